"""What a step of data-parallel training takes on many machines, by the alpha-beta-gamma model.

A message of n bytes takes alpha + n beta seconds; to combine n bytes of two operands takes n gamma. The formulas are those of R. Thakur, R. Rabenseifner and W. Gropp,
"Optimization of collective communication operations in MPICH", International Journal of High Performance Computing Applications 19 (1), 2005.
"""

import dataclasses
import math


@dataclasses.dataclass
class Net:
    alpha: float  # seconds a message
    beta: float   # seconds a byte
    gamma: float  # seconds a byte combined


def ring(p, n, net):
    """Reduce-scatter and all-gather around a ring: p - 1 messages of n / p bytes each. So is the library's, whose pieces go straight to their ranks."""
    return 2 * (p - 1) * net.alpha + 2 * n * (p - 1) / p * net.beta + n * (p - 1) / p * net.gamma


def tree(p, n, net):
    """Recursive halving, then doubling: as many bytes in log2(p) messages each."""
    return 2 * math.log2(p) * net.alpha + 2 * n * (p - 1) / p * net.beta + n * (p - 1) / p * net.gamma


def hierarchical(p, n, net, host, per_host):
    """Within hosts first, then a tree among hosts for each part of a host's ranks, which share its network, then within hosts."""
    hosts = max(1, p // per_host)
    inside = 2 * (per_host - 1) * host.alpha + 2 * n * (per_host - 1) / per_host * host.beta + n * (per_host - 1) / per_host * host.gamma
    return inside + (tree(hosts, n, net) if hosts > 1 else 0)


def agreement(p, net):
    """The notes of 104 bytes that ranks of several hosts compare before a collective: an all-gather by doubling."""
    return math.log2(p) * net.alpha + 104 * (p - 1) * net.beta


def step(compute, overlapped_share, exchange):
    """A step in which so much of the computing can go on beside the exchange."""
    return compute * (1 - overlapped_share) + max(compute * overlapped_share, exchange)


def fit(samples):
    """alpha and beta (with gamma in it) of two ranks from [(bytes, seconds)] of an all_reduce: 2 alpha + n slope, by least squares of relative errors."""
    rows = [(1 / t, n / t) for n, t in samples]
    a11 = sum(r[0] * r[0] for r in rows)
    a12 = sum(r[0] * r[1] for r in rows)
    a22 = sum(r[1] * r[1] for r in rows)
    b1, b2 = sum(r[0] for r in rows), sum(r[1] for r in rows)
    determinant = a11 * a22 - a12 * a12
    return (b1 * a22 - b2 * a12) / determinant / 2, (a11 * b2 - a12 * b1) / determinant
