package loader

func (c *Checkpoint) openBin(path string) error {
	return unsupported(path, "a Hugging Face directory is needed")
}

const methodLlama2C = "llama2.c"
