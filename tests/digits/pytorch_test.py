"""The digits' weights in PyTorch, and PyTorch's in the digits: both give the same figures on the same images.

pytorch_test.py DIGITS DIGITS_CSV; skipped (77) where Python has no PyTorch or no safetensors.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import torch
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file
except ImportError as error:
    print(f"skipped: {error}; `pip install torch safetensors` makes this test run")
    sys.exit(77)

import digits_data

program, csv = sys.argv[1:]
images, labels = (torch.tensor(part) for part in digits_data.test_part(csv))
failures = []


def check(condition, what):
    print(("ok    " if condition else "FAILED ") + what)
    if not condition:
        failures.append(what)


def digits(*arguments, cwd):
    """The final figures of a run."""
    result = subprocess.run([program, *map(str, arguments), "--quiet", "--json", "figures.json"], cwd=cwd, capture_output=True, text=True, timeout=300,
                            stdin=subprocess.DEVNULL)
    check(result.returncode == 0, f"digits {' '.join(map(str, arguments))} succeeds: {result.stderr}")
    return json.loads((cwd / "figures.json").read_text())


def model_of(*widths):
    """Layers of these widths with ReLU between them."""
    layers = [part for a, b in zip(widths, widths[1:]) for part in (torch.nn.Linear(a, b), torch.nn.ReLU())]
    return torch.nn.Sequential(*layers[:-1])


def figures_of(model, dtype=torch.float64):
    """Accuracy and loss on the test images; in float64, so that the rounding is the program's alone."""
    with torch.no_grad():
        logits = model.to(dtype)(images.to(dtype)).double()
    return (logits.argmax(1) == labels).double().mean().item(), torch.nn.functional.cross_entropy(logits, labels).item()


def test_loaded_by_pytorch(folder):
    kinds = {"f32": (torch.float32, 1e-5, 0.001), "f64": (torch.float64, 1e-12, 0), "bf16": (torch.bfloat16, 0.02, 0.012)}
    for name, (dtype, loss_error, accuracy_error) in kinds.items():
        ours = digits("--dtype", name, "--widths", "32,16", "--epochs", 5, "--save", "w.safetensors", cwd=folder)
        # --8<-- [start:load]
        tensors = load_file(folder / "w.safetensors")
        weights = {name: tensor for name, tensor in tensors.items() if not name.startswith("momentum.")}
        model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 16), torch.nn.ReLU(), torch.nn.Linear(16, 10))
        model.load_state_dict(weights, assign=True)  # in the file's type
        # --8<-- [end:load]
        check({tensor.dtype for tensor in weights.values()} == {dtype}, f"{name}: all weights are {dtype}")
        accuracy, loss = figures_of(model)
        check(abs(accuracy - ours["accuracy"]) <= accuracy_error, f"{name}: accuracy {accuracy} in PyTorch, {ours['accuracy']} here")
        check(abs(loss - ours["test_loss"]) <= loss_error, f"{name}: loss {loss} in PyTorch, {ours['test_loss']} here")
        check(accuracy > 0.9, f"{name}: the network has learned")
        with safe_open(folder / "w.safetensors", "pt") as file:
            check(file.metadata()["format"] == "pt" and file.metadata()["dtype"] == name, f"{name}: metadata {file.metadata()}")


def test_saved_by_pytorch(folder):
    torch.manual_seed(1)
    model = model_of(64, 24, 12, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(200):  # so that the figures are not those of chance
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    save_file(model.state_dict(), folder / "p.safetensors")
    ours = digits("--load", "p.safetensors", "--epochs", 0, cwd=folder)
    accuracy, loss = figures_of(model)
    check(accuracy > 0.5, f"the network of PyTorch has learned: {accuracy}")
    check(ours["layers"] == [64, 24, 12, 10], f"the layers are PyTorch's: {ours['layers']}")
    check(abs(accuracy - ours["accuracy"]) <= 0.003, f"accuracy {accuracy} in PyTorch, {ours['accuracy']} here")
    check(abs(loss - ours["test_loss"]) <= 1e-5, f"loss {loss} in PyTorch, {ours['test_loss']} here")
    trained = digits("--load", "p.safetensors", "--epochs", 20, cwd=folder)
    check(trained["train_loss"] < 0.3, f"a run that begins with them learns: loss {trained['train_loss']}")


def test_step(folder):
    """A step of descent on all images has PyTorch's gradients; the momentum in the file is what the rule says, the rate included."""
    count = 1437
    rate, momentum, decay = 0.1, 0.9, 0.01
    options = ["--dtype", "f64", "--widths", 16, "--batch", count, "--lr", rate, "--momentum", momentum, "--decay", decay, "--epochs", 2]
    digits(*options, "--stop-after", 1, "--save", "one.safetensors", cwd=folder)
    digits(*options, "--save", "two.safetensors", cwd=folder)
    before, after = load_file(folder / "one.safetensors"), load_file(folder / "two.safetensors")
    model = model_of(64, 16, 10).double()
    model.load_state_dict({name: tensor for name, tensor in before.items() if not name.startswith("momentum.")})
    train_images, train_labels = (torch.tensor(part) for part in digits_data.train_part(csv))
    torch.nn.functional.cross_entropy(model(train_images.double()), train_labels).backward()
    for name, weight in model.named_parameters():
        decayed = decay * weight.detach() if name.endswith("weight") else 0
        velocity = momentum * before["momentum." + name] - rate / 2 * (weight.grad + decayed)
        check(torch.allclose(after["momentum." + name], velocity, 1e-10, 1e-14), f"the momentum of {name} after a step")
        check(torch.allclose(after[name], weight.detach() + velocity, 1e-12, 1e-14), f"{name} after a step")


for test in (test_loaded_by_pytorch, test_saved_by_pytorch, test_step):
    with tempfile.TemporaryDirectory() as name:
        test(pathlib.Path(name))
print(f"PyTorch {torch.__version__}, {len(failures)} failed")
sys.exit(1 if failures else 0)
