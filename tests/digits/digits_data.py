"""The embedded digits as the program splits them, and a network's figures on them in plain Python."""
import gzip
import math


def shuffled_indices(count, seed):
    """Fisher-Yates over SplitMix64, as in split_mix.hpp."""
    state = seed
    mask = 2**64 - 1

    def following():
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def below(bound):
        number = following()
        while number < 2**64 % bound:
            number = following()
        return number % bound

    order = list(range(count))
    for left in range(count, 1, -1):
        chosen = below(left)
        order[left - 1], order[chosen] = order[chosen], order[left - 1]
    return order


def parts(path):
    """What the network learns from and what it is judged by: images, as lists of 64 numbers of 0..1, and labels."""
    with gzip.open(path, "rt") as file:
        rows = [[int(number) for number in line.split(",")] for line in file if line.strip()]
    order = shuffled_indices(len(rows), 1797)
    edge = len(rows) * 4 // 5
    return [([[pixel / 16 for pixel in rows[i][:64]] for i in chosen], [rows[i][64] for i in chosen]) for chosen in (order[:edge], order[edge:])]


def train_part(path):
    return parts(path)[0]


def test_part(path):
    return parts(path)[1]


def layer(inputs, weight, bias):
    """A Linear of PyTorch's: a row of `weight` for each output."""
    return [sum(map(float.__mul__, inputs, row), start) for row, start in zip(weight, bias)]


def figures(layers, images, labels):
    """Accuracy and mean cross-entropy of a perceptron with ReLU; `layers` are pairs of weight and bias."""
    hits, loss = 0, 0.0
    for values, label in zip(images, labels):
        for number, (weight, bias) in enumerate(layers):
            values = layer(values if number == 0 else [max(value, 0.0) for value in values], weight, bias)
        highest = max(values)
        loss += highest + math.log(sum(math.exp(value - highest) for value in values)) - values[label]
        hits += values.index(highest) == label
    return hits / len(labels), loss / len(labels)
