package validate

import _ "embed"

//go:embed english.txt
var english string

//go:embed stories.txt
var stories string

// English is a text to measure models of English with: some 10 kB of narrative, dialogue,
// explanation, a recipe, a letter, figures and code, written for this purpose. About 2,300
// tokens in common vocabularies.
func English() string { return english }

// Stories is a text for the embedded demo model: 8 kB of stories of the kind that it was
// trained on, which it has not seen.
func Stories() string { return stories }
