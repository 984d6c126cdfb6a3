#!/usr/bin/env python3
"""Logits of llama31 and llama after 3000 tokens, where rounding of RoPE's angles would show.

    python make_long.py    # writes NAME/long.safetensors: ids I64 [3000], logits F32 [1, V]

Made with transformers 5.23, float32, eager attention.
"""
import os
import numpy as np, torch
from safetensors.numpy import save_file
from transformers import AutoModelForCausalLM

here = os.path.dirname(os.path.abspath(__file__))
for name in ("llama", "llama31"):
    model = AutoModelForCausalLM.from_pretrained(os.path.join(here, name), dtype=torch.float32, attn_implementation="eager")
    ids = np.random.default_rng(7).integers(3, model.config.vocab_size, 3000)
    with torch.no_grad():
        logits = model(torch.tensor(ids)[None], use_cache=False).logits[0, -1:]
    save_file({"ids": ids.astype(np.int64), "logits": logits.numpy()}, os.path.join(here, name, "long.safetensors"))
