"""Images per second of one epoch of the digits example's network in JAX: a jitted epoch, whose steps XLA compiles into one loop.

The same work as examples/digits and pytorch_digits.py: Fashion-MNIST, 784-256-10, ReLU, softmax cross-entropy, SGD with momentum and weight decay,
batches gathered from one array in a random order, the loss and the hits. Usage: jax_digits.py [--threads N] [--batch N] [--epochs N] [--data DIR]; prints
one JSON object. With one thread the process stays on one core.
"""
import argparse
import gzip
import json
import os
import pathlib
import statistics
import sys
import time


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    return parser.parse_args()


arguments = parse()
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:arguments.threads])  # before XLA makes its threads
os.environ["JAX_PLATFORMS"] = "cpu"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402

RATE, MOMENTUM, DECAY = 0.02, 0.9, 1e-4


def read_idx(path, header):
    return numpy.frombuffer(gzip.open(path).read()[header:], dtype=numpy.uint8)


def load(directory):
    images = read_idx(directory / "train-images-idx3-ubyte.gz", 16).reshape(-1, 784).astype(numpy.float32) / 255
    labels = read_idx(directory / "train-labels-idx1-ubyte.gz", 8).astype(numpy.int32)
    return jnp.asarray(images), jnp.asarray(labels)


def initial(key):
    first, second = jax.random.split(key)
    return {"w1": jax.random.normal(first, (784, 256)) * (2 / 784) ** 0.5, "b1": jnp.zeros(256),
            "w2": jax.random.normal(second, (256, 10)) * (2 / 256) ** 0.5, "b2": jnp.zeros(10)}


def loss_of(weights, x, y):
    hidden = jax.nn.relu(x @ weights["w1"] + weights["b1"])
    logits = hidden @ weights["w2"] + weights["b2"]
    losses = -jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], axis=1)
    return losses.mean(), (logits.argmax(1) == y).sum()


def make_epoch(images, labels, batch):
    def step(state, chosen):
        weights, velocity = state
        (loss, hits), gradient = jax.value_and_grad(loss_of, has_aux=True)(weights, images[chosen], labels[chosen])
        velocity = jax.tree.map(lambda v, g, w: MOMENTUM * v + g + DECAY * w, velocity, gradient, weights)
        weights = jax.tree.map(lambda w, v: w - RATE * v, weights, velocity)
        return (weights, velocity), (loss, hits)

    def epoch(weights, velocity, key):
        order = jax.random.permutation(key, len(images))[:len(images) // batch * batch].reshape(-1, batch)
        state, (losses, hits) = jax.lax.scan(step, (weights, velocity), order)
        return state, losses.mean(), hits.sum()

    return jax.jit(epoch, donate_argnums=(0, 1))


def main():
    images, labels = load(arguments.data)
    weights = initial(jax.random.key(1))
    velocity = jax.tree.map(jnp.zeros_like, weights)
    epoch = make_epoch(images, labels, arguments.batch)
    rates = []
    for number in range(arguments.epochs + 1):
        start = time.perf_counter()
        (weights, velocity), loss, hits = jax.block_until_ready(epoch(weights, velocity, jax.random.key(number)))
        rates.append(len(images) / (time.perf_counter() - start))
    print(json.dumps({"images_per_second": statistics.median(rates[1:]), "best": max(rates), "train_accuracy": float(hits) / len(images),
                      "train_loss": float(loss), "threads": arguments.threads, "batch": arguments.batch, "jax": jax.__version__}))


if __name__ == "__main__":
    sys.exit(main())
