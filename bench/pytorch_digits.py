"""Images per second of one epoch of the digits example's network in PyTorch, eager or compiled, on the CPU or on a GPU.

The same work as examples/digits: Fashion-MNIST, 784-256-10, ReLU, softmax cross-entropy, SGD with momentum and
weight decay, the same batch size and number of threads, batches gathered from one tensor in a random order.
Usage: pytorch_digits.py [--threads N] [--batch N] [--epochs N] [--data DIR] [--device cuda] [--compile]; prints one JSON object.
"""
import argparse
import gzip
import json
import pathlib
import statistics
import time

import torch


def read_idx(path, header):
    return torch.frombuffer(bytearray(gzip.open(path).read()[header:]), dtype=torch.uint8)


def load(directory):
    images = read_idx(directory / "train-images-idx3-ubyte.gz", 16).reshape(-1, 784).float() / 255
    labels = read_idx(directory / "train-labels-idx1-ubyte.gz", 8).long()
    return images, labels


def train_epoch(model, optimizer, images, labels, batch, forward):
    order = torch.randperm(len(images), device=images.device)
    total, correct = 0.0, 0
    for start in range(0, len(images), batch):
        chosen = order[start:start + batch]
        x, y = images[chosen], labels[chosen]
        optimizer.zero_grad()
        logits, loss = forward(model, x, y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(chosen)
        correct += (logits.argmax(1) == y).sum().item()
    return total / len(images), correct / len(images)


def logits_and_loss(model, x, y):
    logits = model(x)
    return logits, torch.nn.functional.cross_entropy(logits, y)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compile", action="store_true", help="the model and its loss by torch.compile")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    images, labels = (values.to(arguments.device) for values in load(arguments.data))
    model = torch.nn.Sequential(torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)).to(arguments.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
    forward = torch.compile(logits_and_loss) if arguments.compile else logits_and_loss
    if arguments.compile:
        train_epoch(model, optimizer, images[:1000], labels[:1000], arguments.batch, forward)  # compiles
    rates = []
    for _ in range(arguments.epochs):
        start = time.perf_counter()
        loss, accuracy = train_epoch(model, optimizer, images, labels, arguments.batch, forward)
        rates.append(len(images) / (time.perf_counter() - start))
    print(json.dumps({"images_per_second": statistics.median(rates), "best": max(rates), "train_accuracy": accuracy,
                      "train_loss": loss, "threads": arguments.threads, "batch": arguments.batch, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
