"""Writes the files with which fuzzing begins that PyTorch itself makes: make_torch.py, in this folder, after make.py."""
import pathlib

import numpy as np
import safetensors.torch
import torch

here = pathlib.Path(__file__).parent
torch.manual_seed(1)
layer = torch.nn.Linear(3, 2)
safetensors.torch.save_model(torch.nn.Sequential(layer, torch.nn.BatchNorm1d(2)), here / "safetensors/torch_model.safetensors")
safetensors.torch.save_file({"half": torch.arange(3).half(), "bfloat16": torch.arange(4).bfloat16(), "bool": torch.tensor([True, False]), "int64": torch.tensor(7),
                             "empty": torch.zeros(0, 2, dtype=torch.uint8)}, here / "safetensors/torch_types.safetensors", metadata={"format": "pt"})
np.save(here / "npy/torch.npy", layer.weight.detach().T.numpy())
