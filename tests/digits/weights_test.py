"""The files of --save, --load and --resume as a user has them: a run that goes on to the same bits, and a line for each file that does not fit.

weights_test.py DIGITS DIGITS_CSV; reads the files with struct and json, as any program could.
"""
import gzip
import json
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

import digits_data

program, csv = sys.argv[1:]
failures = []


def run(*arguments, cwd):
    return subprocess.run([program, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)


def check(condition, what):
    print(("ok    " if condition else "FAILED ") + what)
    if not condition:
        failures.append(what)


def succeeds(*arguments, cwd):
    result = run(*arguments, "--quiet", cwd=cwd)
    check(result.returncode == 0 and not result.stderr, f"digits {' '.join(map(str, arguments))} succeeds: {result.stderr}")


def refused(arguments, expected, cwd, what):
    """The program says one line with all of `expected`, and the folder stays as it was."""
    before = {path.name: path.read_bytes() for path in cwd.iterdir()}
    result = run(*arguments, cwd=cwd)
    lines = result.stderr.strip().splitlines()
    check(result.returncode == 2, f"{what}: exit code {result.returncode}, expected 2")
    check(len(lines) == 1 and all(part in lines[0] for part in expected), f"{what}: one line with {expected}, got {lines}")
    check({path.name: path.read_bytes() for path in cwd.iterdir()} == before, f"{what}: no file is new or changed")


def header(path):
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    return json.loads(content[8:8 + length]), content[8 + length:]


def write(path, tensors, metadata=None):
    """A file with these tensors: name, type, shape, bytes."""
    described, content = ({"__metadata__": metadata} if metadata else {}), b""
    for name, dtype, shape, elements in tensors:
        described[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(content), len(content) + len(elements)]}
        content += elements
    text = json.dumps(described).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + content)


def tensors_of(path):
    described, content = header(path)
    return [(name, facts["dtype"], facts["shape"], content[slice(*facts["data_offsets"])]) for name, facts in described.items() if name != "__metadata__"]


def floats(path, name):
    """Rows of a float32 tensor of two axes, or the elements of one of a single axis."""
    (_, _, shape, elements), = [tensor for tensor in tensors_of(path) if tensor[0] == name]
    values = struct.unpack(f"<{len(elements) // 4}f", elements)
    return list(values) if len(shape) == 1 else [list(values[i * shape[1]:(i + 1) * shape[1]]) for i in range(shape[0])]


def test_format(cwd):
    succeeds("--epochs", 3, "--seed", 4, "--save", "w.safetensors", "--json", "w.json", cwd=cwd)
    described, content = header(cwd / "w.safetensors")
    metadata = described.pop("__metadata__")
    checksum = metadata.pop("training_data")
    check(len(checksum) == 16 and int(checksum, 16) > 0, f"the data has a checksum: {checksum}")
    check(metadata == {"format": "pt", "epochs": "3", "batch": "32", "widths": "128", "lr": "0.05", "momentum": "0.9", "decay": "1e-04", "seed": "4",
                       "dtype": "f32", "reproducible": "0", "dataset": "digits", "epochs_done": "3"}, f"metadata: {metadata}")
    shapes = {name: facts["shape"] for name, facts in described.items()}
    weights = {"0.weight": [128, 64], "0.bias": [128], "2.weight": [10, 128], "2.bias": [10]}
    check(shapes == weights | {"momentum." + name: shape for name, shape in weights.items()}, f"tensors: {shapes}")
    check({facts["dtype"] for facts in described.values()} == {"F32"}, "all of them are F32")
    check(max(facts["data_offsets"][1] for facts in described.values()) == len(content), "the file ends with the last of them")

    figures = json.loads((cwd / "w.json").read_text())
    layers = [(floats(cwd / "w.safetensors", f"{n}.weight"), floats(cwd / "w.safetensors", f"{n}.bias")) for n in (0, 2)]
    accuracy, loss = digits_data.figures(layers, *digits_data.test_part(csv))
    check(accuracy == figures["accuracy"] and abs(loss - figures["test_loss"]) < 1e-5,
          f"the weights give, in plain Python, accuracy {accuracy} and loss {loss}; the program says {figures['accuracy']}, {figures['test_loss']}")


def test_resume(cwd):
    variants = {"f32": [], "bf16": ["--dtype", "bf16"], "f64": ["--dtype", "f64"], "async": ["--async"],
                "options": ["--widths", "20,30", "--batch", 100, "--lr", 0.02, "--momentum", 0.5, "--decay", 0.01, "--seed", 2**64 - 1]}
    for name, options in variants.items():
        succeeds("--epochs", 5, *options, "--save", "whole.safetensors", "--json", "whole.json", cwd=cwd)
        whole = (cwd / "whole.safetensors").read_bytes()
        succeeds("--epochs", 5, *options, "--save", "part.safetensors", "--stop-after", 2, cwd=cwd)
        check(header(cwd / "part.safetensors")[0]["__metadata__"]["epochs_done"] == "2", f"{name}: two of five epochs are done")
        check((cwd / "part.safetensors").read_bytes() != whole, f"{name}: the part is not the whole")
        for mode in (["--threads", 1], ["--async"], ["--stop-after", 3]):
            succeeds("--resume", "part.safetensors", *mode, "--save", "on.safetensors", "--json", "on.json", cwd=cwd)
            if "--stop-after" in mode:
                succeeds("--resume", "on.safetensors", "--save", "on.safetensors", "--json", "on.json", cwd=cwd)
            check((cwd / "on.safetensors").read_bytes() == whole, f"{name}: resumed with {mode}, the file has the same bytes")
        a, b = (json.loads((cwd / f"{file}.json").read_text()) for file in ("whole", "on"))
        different = {key for key in a if a[key] != b[key]} - {"train_seconds", "images_per_second", "peak_bytes", "threads"}
        check(not different, f"{name}: the figures are the same, except {different}")

    succeeds("--resume", "whole.safetensors", "--save", "again.safetensors", "--json", "again.json", cwd=cwd)
    check((cwd / "again.safetensors").read_bytes() == whole, "a run that is over is saved as it is")
    again = json.loads((cwd / "again.json").read_text())
    check(again["checksum"] == a["checksum"] and again["accuracy"] == a["accuracy"] and again["epochs"] == 5, "and looked at")
    described, tensors = header(cwd / "part.safetensors")[0], tensors_of(cwd / "part.safetensors")
    write(cwd / "old.safetensors", tensors, {key: value for key, value in described["__metadata__"].items() if key != "reproducible"})
    succeeds("--resume", "old.safetensors", "--save", "on.safetensors", cwd=cwd)
    check((cwd / "on.safetensors").read_bytes() == whole, "a file from before --reproducible was an option is gone on with as well")

    succeeds("--resume", "part.safetensors", cwd=cwd)
    check(header(cwd / "part.safetensors")[0]["__metadata__"]["epochs_done"] == "2", "without --save the file stays as it is")


def test_killed(cwd):
    """A run that is killed at any time leaves a whole file, from which the same bits follow."""
    options = ["--epochs", 300]
    succeeds(*options, "--save", "whole.safetensors", cwd=cwd)
    process = subprocess.Popen([program, *map(str, options), "--save", "killed.safetensors", "--quiet"], cwd=cwd)
    deadline = time.monotonic() + 120
    done = 0
    while done < 3 and process.poll() is None and time.monotonic() < deadline:
        if (cwd / "killed.safetensors").exists():
            done = int(header(cwd / "killed.safetensors")[0]["__metadata__"]["epochs_done"])
    process.send_signal(signal.SIGKILL)
    check(process.wait() == -signal.SIGKILL, f"the run was killed after epoch {done}")
    done = int(header(cwd / "killed.safetensors")[0]["__metadata__"]["epochs_done"])
    check(3 <= done < 300, f"its file is of epoch {done}")
    succeeds("--resume", "killed.safetensors", "--save", "killed.safetensors", cwd=cwd)
    check((cwd / "killed.safetensors").read_bytes() == (cwd / "whole.safetensors").read_bytes(), "resumed after a kill, the file has the same bytes")


def test_load(cwd):
    succeeds("--epochs", 3, "--widths", "40,20", "--save", "w.safetensors", "--json", "w.json", cwd=cwd)
    figures = json.loads((cwd / "w.json").read_text())
    write(cwd / "bare.safetensors", [tensor for tensor in tensors_of(cwd / "w.safetensors") if not tensor[0].startswith("momentum")])
    for file in ("w.safetensors", "bare.safetensors"):
        succeeds("--load", file, "--epochs", 0, "--json", "l.json", cwd=cwd)
        loaded = json.loads((cwd / "l.json").read_text())
        check(all(loaded[key] == figures[key] for key in ("checksum", "accuracy", "test_loss", "layers")), f"{file}: the network is the same: {loaded}")
        check(loaded["epochs"] == 0 and loaded["train_loss"] is None, f"{file}: nothing was trained")
        report = (cwd / "report.html").read_text()
        check("not trained here" in report, f"{file}: the report says so")
    for mode in ([], ["--async"]):
        succeeds("--load", "bare.safetensors", "--epochs", 2, *mode, "--save", f"more{len(mode)}.safetensors", "--json", "l.json", cwd=cwd)
    more = (cwd / "more0.safetensors").read_bytes()
    check(more == (cwd / "more1.safetensors").read_bytes(), "trained on with and without --async, the weights are the same")
    loss = json.loads((cwd / "l.json").read_text())["train_loss"]
    check(loss < figures["train_loss"], f"a run that begins with trained weights begins better: loss {loss}, {figures['train_loss']}")
    succeeds("--load", "bare.safetensors", "--epochs", 2, "--stop-after", 1, "--save", "p.safetensors", cwd=cwd)
    succeeds("--resume", "p.safetensors", "--save", "p.safetensors", cwd=cwd)
    check((cwd / "p.safetensors").read_bytes() == more, "a run that began with weights is resumed to the same bytes")


def write_fashion(folder, seed):
    """Small files in the form of Fashion-MNIST's: 100 images of noise to learn from, 20 to be judged by."""
    folder.mkdir(exist_ok=True)
    noise = random.Random(seed)
    for stem, count in (("train", 100), ("t10k", 20)):
        pixels = struct.pack(">4I", 0x803, count, 28, 28) + noise.randbytes(count * 784)
        (folder / f"{stem}-images-idx3-ubyte.gz").write_bytes(gzip.compress(pixels))
        (folder / f"{stem}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(struct.pack(">2I", 0x801, count) + bytes(i % 10 for i in range(count))))


def test_data(cwd):
    """A run goes on with the images that it began with."""
    write_fashion(cwd / "data", 1)
    run_of = ["--fashion=data", "--epochs", 3]
    succeeds(*run_of, "--save", "whole.safetensors", cwd=cwd)
    succeeds(*run_of, "--stop-after", 1, "--save", "part.safetensors", cwd=cwd)
    facts = header(cwd / "part.safetensors")[0]["__metadata__"]
    check((facts["dataset"], facts["batch"], facts["widths"]) == ("Fashion-MNIST", "64", "256"), f"the file says what was trained: {facts}")
    succeeds("--resume", "part.safetensors", "--fashion=data", "--save", "on.safetensors", cwd=cwd)
    check((cwd / "on.safetensors").read_bytes() == (cwd / "whole.safetensors").read_bytes(), "resumed on the same images, the file has the same bytes")
    write_fashion(cwd / "data", 2)
    result = run("--resume", "part.safetensors", "--fashion=data", "--save", "part.safetensors", cwd=cwd)
    check(result.returncode == 2 and f"'{facts['training_data']}'" in result.stderr and result.stderr.count("\n") == 1, f"other images are refused: {result.stderr}")
    check(header(cwd / "part.safetensors")[0]["__metadata__"] == facts, "and the file stays as it was")
    # The file chooses the data set: here the one that is installed, which is another one or not there.
    result = run("--resume", "part.safetensors", cwd=cwd)
    check(result.returncode == 2 and ("Fashion-MNIST" in result.stderr or "/usr/share/datasets" in result.stderr), f"the file chooses the data set: {result.stderr}")


def test_refused(cwd):
    succeeds("--epochs", 2, "--stop-after", 1, "--save", "w.safetensors", "--report", "r.html", cwd=cwd)
    file = "'w.safetensors'"
    for option, given, has in (("--seed", "2", "1"), ("--batch", "16", "32"), ("--widths", "64", "128"), ("--epochs", "3", "2"), ("--lr", "0.1", "0.05"),
                               ("--momentum", "0", "0.9"), ("--decay", "0", "1e-04"), ("--dtype", "f64", "f32")):
        refused(["--resume", "w.safetensors", "--save", "w.safetensors", option, given], [option, f"'{given}'", file, f"'{has}'"], cwd, f"resumed with another {option}")
    refused(["--resume", "w.safetensors", "--fashion"], ["--fashion", "'Fashion-MNIST'", file, "'digits'"], cwd, "resumed on other data")
    refused(["--load", "w.safetensors", "--widths", "64"], ["--widths", "'64'", file, "'128'"], cwd, "weights of another shape")
    refused(["--load", "w.safetensors", "--dtype", "bf16"], ["--dtype", "'bf16'", file, "'f32'"], cwd, "weights of another type")

    good = tensors_of(cwd / "w.safetensors")
    facts = header(cwd / "w.safetensors")[0]["__metadata__"]

    def changed(what, expected, tensors=good, metadata=facts, option="--resume"):
        write(cwd / "c.safetensors", tensors, metadata)
        refused([option, "c.safetensors", "--save", "w.safetensors"], ["c.safetensors", *expected], cwd, what)

    def with_tensor(name, dtype, shape, size):
        return [tensor for tensor in good if tensor[0] != name] + [(name, dtype, shape, b"\0" * size)]

    for option in ("--load", "--resume"):
        without = [tensor for tensor in good if tensor[0] != "2.bias"]
        changed(f"{option}: a tensor is missing", ["'2.bias'"], without, option=option)
        changed(f"{option}: a wrong shape", ["'2.bias'", "(11,)", "(10,)"], with_tensor("2.bias", "F32", [11], 44), option=option)
        changed(f"{option}: a wrong type", ["'2.bias'", "float64", "float32"], with_tensor("2.bias", "F64", [10], 80), option=option)
        changed(f"{option}: images of another size", ["'0.weight'", "(128, 784)", "(128, 64)"], with_tensor("0.weight", "F32", [128, 784], 128 * 784 * 4), option=option)
        changed(f"{option}: a tensor too many", ["'6.weight'"], with_tensor("6.weight", "F32", [1], 4), option=option)
        refused([option, "none.safetensors"], ["none.safetensors", "No such file"], cwd, f"{option}: no file")
        refused([option, "r.html"], ["r.html"], cwd, f"{option}: another file")
        refused([option, "w.safetensors", "--json", "w.safetensors"], [option, "--json", "'w.safetensors'"], cwd, f"{option}: figures over weights")
    changed("momentum is missing", ["'momentum.0.bias'"], [tensor for tensor in good if tensor[0] != "momentum.0.bias"])
    for key in facts.keys() - {"format", "reproducible"}:
        changed(f"{key} is missing", [f"'{key}'"], metadata={k: v for k, v in facts.items() if k != key})
    for key, value in (("epochs_done", "3"), ("epochs_done", "-1"), ("epochs_done", "one"), ("batch", "0"), ("epochs", "0"), ("dataset", "letters"),
                       ("training_data", "0" * 16), ("reproducible", "1025"), ("reproducible", "-1")):
        changed(f"{key} is {value}", [f"'{value}'"], metadata=facts | {key: value})
    (cwd / "cut.safetensors").write_bytes((cwd / "w.safetensors").read_bytes()[:-1])
    refused(["--resume", "cut.safetensors"], ["cut.safetensors", "cut off"], cwd, "a file that was cut off")

    refused(["--epochs", 0], ["--epochs", "--load"], cwd, "no epochs and no weights")
    refused(["--load", "w.safetensors", "--epochs", 0, "--save", "n.safetensors"], ["--save", "--epochs 0"], cwd, "nothing to save")
    refused(["--load", "w.safetensors", "--resume", "w.safetensors"], ["--load", "--resume"], cwd, "two beginnings")
    refused(["--save", "no/such/folder/w.safetensors"], ["no/such/folder/w.safetensors"], cwd, "a folder that is not there")
    refused(["--save", "/dev/null"], ["/dev/null"], cwd, "a device")
    (cwd / "folder").mkdir()
    result = run("--save", "folder", cwd=cwd)
    check(result.returncode == 2 and "'folder'" in result.stderr, f"a folder: {result.stderr}")


for test in (test_format, test_resume, test_killed, test_load, test_data, test_refused):
    with tempfile.TemporaryDirectory() as name:
        test(pathlib.Path(name))
print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
