"""The kernels in PyTorch, eager or compiled. A set of operands ends with the result."""

import math

import torch

import formulas as f

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
PIECE = 1 << 26  # elements that are filled at once: 64-bit integers are in between


def numbers(shape, seed, device):
    """The numbers of numbers.hpp as float32. torch has no unsigned 32-bit shifts everywhere, so 64 bits and a mask."""
    result = torch.empty(math.prod(shape), dtype=torch.float32, device=device)
    for begin in range(0, len(result), PIECE):
        end = min(begin + PIECE, len(result))
        bits = torch.arange(begin, end, dtype=torch.int64, device=device)
        bits = (bits + seed * f.HASH[0]) & 0xFFFFFFFF
        bits = ((bits ^ (bits >> 16)) * f.HASH[1]) & 0xFFFFFFFF
        bits = ((bits ^ (bits >> 15)) * f.HASH[2]) & 0xFFFFFFFF
        bits ^= bits >> 15
        result[begin:end] = (bits >> 8).to(torch.float32) * 2.0**-24
    return result.reshape(shape)


def normal(x):
    return 0.5 * torch.erfc(-0.70710678 * x)


def call_price(price, strike, years):
    spread = f.VOLATILITY * torch.sqrt(years)
    d1 = (torch.log(price / strike) + f.DRIFT * years) / spread
    return price * normal(d1) - strike * torch.exp(-f.INTEREST * years) * normal(d1 - spread)


def layer_norm(x):
    return torch.nn.functional.layer_norm(x, x.shape[1:], eps=f.EPSILON)


class Library:
    version = torch.__version__

    def __init__(self, device, compiles):
        torch.set_grad_enabled(False)
        torch.backends.cuda.matmul.allow_tf32 = False
        self.device = device
        self.kernels = self.compiled_kernels() if compiles else self.eager_kernels()

    def synchronize(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def trim(self):
        if self.device == "cuda":
            torch.cuda.empty_cache()

    def samples(self, result, positions):
        """Elements of the result, whose last operand may be a list that holds it."""
        values = result.reshape(-1)
        chosen = torch.tensor(positions(len(values)), device=values.device)
        return [float(value) if math.isfinite(value) else None for value in values[chosen].to(torch.float64).tolist()]

    # Operands: functions of (dtype, shape) that give a set.

    def numbers(self, shape, seed, dtype="f32", scale=(0.0, 1.0)):
        made = numbers(shape, seed, self.device)
        if scale != (0.0, 1.0):
            made = scale[0] + scale[1] * made
        return made.to(DTYPES[dtype])

    def poisoned(self, shape, dtype="f32"):
        return torch.full(shape, math.nan, dtype=DTYPES[dtype], device=self.device)

    def like(self, result_shape):
        """One operand and a result of another shape."""
        return lambda dtype, shape: (self.numbers(shape, 1, dtype), self.poisoned(result_shape(shape), dtype))

    def vectors(self, dtype, shape):
        return self.numbers(f.flat(shape), 1, dtype), self.poisoned(f.flat(shape), dtype)

    def update_operands(self, dtype, shape):
        return self.numbers(f.flat(shape), 2, dtype), self.numbers(f.flat(shape), 1, dtype)

    def momentum_operands(self, dtype, shape):
        return (self.numbers(f.flat(shape), 2), self.numbers(f.flat(shape), 3), self.numbers(f.flat(shape), 1))

    def bias_operands(self, dtype, shape, scale=(-1.0, 1.0)):
        return (self.numbers(shape, 1, dtype), self.numbers(shape[1:], 2, dtype, scale), self.poisoned(shape, dtype))

    def option_operands(self, dtype, shape):
        flat = f.flat(shape)
        return (self.numbers(flat, 1, scale=f.PRICE), self.numbers(flat, 2, scale=f.PRICE), self.numbers(flat, 3, scale=f.YEARS),
                self.poisoned(flat))

    def factors(self, dtype, shape):
        return self.numbers(shape, 1, dtype), self.numbers(shape, 2, dtype), self.poisoned(shape, dtype)

    def launch_operands(self, dtype, shape):
        return self.numbers(f.flat(shape), 1), self.numbers(f.flat(shape), 2), self.poisoned(f.flat(shape))

    def positions_of(self, dtype, shape):
        return self.numbers(f.flat(shape), 1), torch.full(f.flat(shape), -1, dtype=torch.int64, device=self.device)

    def column_row_operands(self, dtype, shape):
        return self.numbers((shape[0], 1), 1), self.numbers(shape[1:], 2), self.poisoned(shape)

    def channel_operands(self, dtype, shape):
        return self.bias_operands(dtype, shape, (0.0, 1.0))

    def bytes_of(self, dtype, shape):
        return (256 * self.numbers(f.flat(shape), 1)).to(torch.uint8), self.poisoned(f.flat(shape))

    def below(self, end, count):
        return (self.numbers((count,), 2).to(torch.float64) * end).to(torch.int64)

    def picked_row_operands(self, dtype, shape):
        return self.numbers(shape, 1), self.below(shape[0], shape[0]), self.poisoned(shape)

    def picked_operands(self, dtype, shape):
        flat = f.flat(shape)
        return self.numbers(flat, 1), self.below(flat[0], flat[0]), self.poisoned(flat)

    # Kernels: (operands, run).

    def eager_kernels(self):
        def sgd(s):
            s[1].sub_(f.RATE * torch.add(s[0], s[1], alpha=f.DECAY))

        def bias_relu(s):
            torch.add(s[0], s[1], out=s[2])
            s[2].relu_()

        def sort(s):
            torch.sort(s[0], out=(s[1], torch.empty_like(s[1], dtype=torch.int64)))

        same, rows, columns = self.like(lambda s: s), self.like(lambda s: s[:1]), self.like(lambda s: s[1:])
        kernels = {
            ("copy", "f32"): (self.vectors, lambda s: s[1].copy_(s[0])),
            ("sgd", "f32"): (self.update_operands, sgd), ("sgd", "bf16"): (self.update_operands, sgd),
            ("sgd_momentum", "f32"): (replaced(self.momentum_operands), fused_optimizer),
            ("bias_relu", "f32"): (self.bias_operands, bias_relu), ("bias_relu", "bf16"): (self.bias_operands, bias_relu),
            ("black_scholes", "f32"): (self.option_operands, lambda s: s[3].copy_(call_price(*s[:3]))),
            ("row_sums", "f32"): (rows, lambda s: torch.sum(s[0], 1, out=s[1])),
            ("column_sums", "f32"): (columns, lambda s: torch.sum(s[0], 0, out=s[1])),
            ("softmax", "f32"): (same, lambda s: torch.softmax(s[0], 1, out=s[1])),
            ("softmax", "bf16"): (same, lambda s: torch.softmax(s[0], 1, out=s[1])),
            ("layernorm", "f32"): (replaced(same), replace(layer_norm)),
            ("window_copy", "f32"): (self.like(f.window), lambda s: s[1].copy_(s[0][1:-1, 1:-1])),
            ("step_copy", "f32"): (self.like(f.halved), lambda s: s[1].copy_(s[0][:, ::2])),
            ("transposed_copy", "f32"): (self.like(f.turned), lambda s: s[1].copy_(s[0].T)),
            ("transposed_copy", "bf16"): (self.like(f.turned), lambda s: s[1].copy_(s[0].T)),
            ("sort", "f32"): (self.vectors, sort),
            ("argsort", "f32"): (replaced(self.positions_of), replace(lambda x: torch.argsort(x, stable=True))),
            ("scan", "f32"): (self.vectors, lambda s: torch.cumsum(s[0], 0, out=s[1])),
            ("launch", "f32"): (self.launch_operands, lambda s: torch.add(s[0], s[1], alpha=2, out=s[2])),
        }
        for dtype in DTYPES:
            kernels["matmul", dtype] = (self.factors, lambda s: torch.mm(s[0], s[1], out=s[2]))
        return kernels | self.eager_patterns()

    def eager_patterns(self):
        def variances(s):
            torch.var(s[0], 1, correction=0, out=s[1])

        def neighbours(s):
            torch.add(s[0][1:-1, 1:-1], s[0][:-2, 1:-1], out=s[1])
            s[1].add_(s[0][2:, 1:-1]).add_(s[0][1:-1, :-2]).add_(s[0][1:-1, 2:])

        def from_bytes(s):
            s[1].copy_(s[0])
            s[1].div_(255)

        rows = self.like(lambda s: s[:1])
        return {(kernel, "f32"): work for kernel, work in {
            "reversed": (replaced(self.vectors), replace(lambda x: torch.flip(x, (0,)))),
            "every_third": (lambda dtype, shape: (self.numbers(f.flat(shape), 1), self.poisoned(f.third(shape))),
                            lambda s: s[1].copy_(s[0][::3])),
            "axes_reversed": (lambda dtype, shape: (self.numbers(f.with_middle(shape), 1), self.poisoned(f.with_middle(shape)[::-1])),
                              lambda s: s[1].copy_(s[0].permute(2, 1, 0))),
            "maxima_of_middles": (lambda dtype, shape: (self.numbers(f.with_middle(shape), 1), self.poisoned(f.with_middle(shape)[::2])),
                                  lambda s: torch.amax(s[0], 1, out=s[1])),
            "variances": (rows, variances),
            "total": (lambda dtype, shape: (self.numbers(f.flat(shape), 1), self.poisoned((1,))),
                      lambda s: torch.sum(s[0], 0, keepdim=True, out=s[1])),
            "neighbours": (self.like(f.window), neighbours),
            "weighted_channels": (self.channel_operands, lambda s: torch.mul(s[0], s[1], out=s[2])),
            "column_and_row": (self.column_row_operands, lambda s: torch.add(s[0], s[1], out=s[2])),
            "choosing": (self.launch_operands, lambda s: torch.where(s[0] > 0.5, s[0], s[1], out=s[2])),
            "from_bytes": (self.bytes_of, from_bytes),
            "picked_rows": (self.picked_row_operands, lambda s: torch.index_select(s[0], 0, s[1], out=s[2])),
            "picked_elements": (self.picked_operands, lambda s: torch.index_select(s[0], 0, s[1], out=s[2])),
        }.items()}

    def compiled_kernels(self):
        same, rows, columns = self.like(lambda s: s), self.like(lambda s: s[:1]), self.like(lambda s: s[1:])

        def momentum(g, v, p):
            v.copy_(f.MOMENTUM * v + (g + f.DECAY * p))
            p.sub_(f.RATE * v)

        functions = {
            "sgd": (self.update_operands, lambda g, p: p.sub_(f.RATE * (g + f.DECAY * p)), ("f32", "bf16")),
            "sgd_momentum": (self.momentum_operands, momentum, ("f32",)),
            "bias_relu": (self.bias_operands, lambda x, b, y: y.copy_(torch.relu(x + b)), ("f32", "bf16")),
            "black_scholes": (self.option_operands, lambda s, k, t, y: y.copy_(call_price(s, k, t)), ("f32",)),
            "row_sums": (rows, lambda x, y: y.copy_(x.sum(1)), ("f32",)),
            "column_sums": (columns, lambda x, y: y.copy_(x.sum(0)), ("f32",)),
            "softmax": (same, lambda x, y: y.copy_(torch.softmax(x, 1)), ("f32", "bf16")),
            "layernorm": (same, lambda x, y: y.copy_(layer_norm(x)), ("f32",)),
            "step_copy": (self.like(f.halved), lambda x, y: y.copy_(x[:, ::2]), ("f32",)),
            "transposed_copy": (self.like(f.turned), lambda x, y: y.copy_(x.T), ("f32", "bf16")),
        }
        return {(kernel, dtype): (make, compiled(function)) for kernel, (make, function, dtypes) in functions.items()
                for dtype in dtypes}


def compiled(function):
    fast = torch.compile(function, dynamic=False)
    return lambda s: fast(*s)


class Holder(list):
    """Operands that change from one repetition to the next: functions that return a new array replace the result."""

    optimizer = None


def replaced(make):
    return lambda dtype, shape: Holder(make(dtype, shape))


def replace(function):
    def run(s):
        s[1] = None  # its memory serves the result
        s[1] = function(s[0])
    return run


def fused_optimizer(s):
    """torch.optim.SGD's fused step; the optimizer belongs to the set of operands."""
    gradient, velocity, parameters = s
    if s.optimizer is None:
        parameters.requires_grad_(True)
        parameters.grad = gradient
        s.optimizer = torch.optim.SGD([parameters], lr=f.RATE, momentum=f.MOMENTUM, weight_decay=f.DECAY, fused=True)
        s.optimizer.state[parameters]["momentum_buffer"] = velocity
    s.optimizer.step()
