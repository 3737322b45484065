"""The kernels in CuPy: ElementwiseKernel and CuPy's own functions, or what cupy.fuse makes of formulas. A set of operands ends with the result."""

import math

import cupy
import cupyx.scipy.special

import formulas as f

DTYPES = {"f32": cupy.float32, "f16": cupy.float16}


def numbers_kernel():
    """The numbers of numbers.hpp; `i` is the element's index."""
    first, second, third = (f"{word:#x}u" for word in f.HASH)
    return cupy.ElementwiseKernel(
        "uint32 seed, float32 offset, float32 factor", "T y",
        f"""unsigned int bits = (unsigned int)i + seed * {first};
            bits = (bits ^ (bits >> 16)) * {second};
            bits = (bits ^ (bits >> 15)) * {third};
            bits ^= bits >> 15;
            y = (T)(offset + factor * ((float)(bits >> 8) * {2.0**-24!r}f));""", "bench_numbers")


def call_price_kernel():
    return cupy.ElementwiseKernel(
        "float32 price, float32 strike, float32 years", "float32 y",
        f"""const float spread = {f.VOLATILITY}f * sqrtf(years);
            const float d1 = (logf(price / strike) + {f.DRIFT!r}f * years) / spread;
            const float n1 = 0.5f * erfcf(-0.70710678f * d1), n2 = 0.5f * erfcf(-0.70710678f * (d1 - spread));
            y = price * n1 - strike * expf(-{f.INTEREST}f * years) * n2;""", "bench_call_price")


def normal(x):
    return 0.5 * cupyx.scipy.special.erfc(-0.70710678 * x)


def call_price(price, strike, years):
    spread = f.VOLATILITY * cupy.sqrt(years)
    d1 = (cupy.log(price / strike) + f.DRIFT * years) / spread
    return price * normal(d1) - strike * cupy.exp(-f.INTEREST * years) * normal(d1 - spread)


def layer_norm(x):
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / cupy.sqrt((centred * centred).mean(axis=1, keepdims=True) + cupy.float32(f.EPSILON))


class Library:
    version = cupy.__version__

    def __init__(self, fuse):
        self.fill = numbers_kernel()
        self.kernels = self.fused_kernels() if fuse else self.own_kernels()

    def synchronize(self):
        cupy.cuda.runtime.deviceSynchronize()

    def trim(self):
        cupy.get_default_memory_pool().free_all_blocks()

    def samples(self, result, positions):
        values = result.reshape(-1)
        chosen = values[cupy.asarray(positions(values.size))].astype(cupy.float64).tolist()
        return [float(value) if math.isfinite(value) else None for value in chosen]

    # Operands: functions of (dtype, shape) that give a set.

    def numbers(self, shape, seed, dtype="f32", scale=(0.0, 1.0)):
        return self.fill(cupy.uint32(seed), cupy.float32(scale[0]), cupy.float32(scale[1]), cupy.empty(shape, DTYPES[dtype]))

    def poisoned(self, shape, dtype="f32"):
        return cupy.full(shape, math.nan, DTYPES[dtype])

    def like(self, result_shape):
        return lambda dtype, shape: [self.numbers(shape, 1, dtype), self.poisoned(result_shape(shape), dtype)]

    def vectors(self, dtype, shape):
        return [self.numbers(f.flat(shape), 1, dtype), self.poisoned(f.flat(shape), dtype)]

    def update_operands(self, dtype, shape):
        return [self.numbers(f.flat(shape), 2), self.numbers(f.flat(shape), 1)]

    def momentum_operands(self, dtype, shape):
        return [self.numbers(f.flat(shape), 2), self.numbers(f.flat(shape), 3), self.numbers(f.flat(shape), 1)]

    def bias_operands(self, dtype, shape):
        return [self.numbers(shape, 1), self.numbers(shape[1:], 2, scale=(-1.0, 1.0)), self.poisoned(shape)]

    def option_operands(self, dtype, shape):
        flat = f.flat(shape)
        return [self.numbers(flat, 1, scale=f.PRICE), self.numbers(flat, 2, scale=f.PRICE), self.numbers(flat, 3, scale=f.YEARS),
                self.poisoned(flat)]

    def factors(self, dtype, shape):
        return [self.numbers(shape, 1, dtype), self.numbers(shape, 2, dtype), self.poisoned(shape, dtype)]

    def launch_operands(self, dtype, shape):
        return [self.numbers(f.flat(shape), 1), self.numbers(f.flat(shape), 2), self.poisoned(f.flat(shape))]

    def positions_of(self, dtype, shape):
        return [self.numbers(f.flat(shape), 1), cupy.full(f.flat(shape), -1, cupy.int64)]

    # Kernels: (operands, run).

    def own_kernels(self):
        update = cupy.ElementwiseKernel("float32 g", "float32 p", f"p -= {f.RATE}f * (g + {f.DECAY}f * p)", "bench_sgd")
        momentum = cupy.ElementwiseKernel(
            "float32 g", "float32 v, float32 p", f"v = {f.MOMENTUM}f * v + (g + {f.DECAY}f * p); p -= {f.RATE}f * v", "bench_momentum")
        bias = cupy.ElementwiseKernel("float32 x, float32 b", "float32 y", "y = fmaxf(x + b, 0.0f)", "bench_bias")
        add = cupy.ElementwiseKernel("float32 a, float32 b", "float32 c", "c = a + 2.0f * b", "bench_add")
        price = call_price_kernel()

        def sort(s):
            s[1][...] = s[0]
            s[1].sort()

        def argsort(s):
            s[1] = None  # its memory serves the result
            s[1] = cupy.argsort(s[0], kind="stable")

        def softmax(s):
            cupy.copyto(s[1], cupyx.scipy.special.softmax(s[0], axis=1))

        kernels = {
            ("copy", "f32"): (self.vectors, lambda s: cupy.copyto(s[1], s[0])),
            ("sgd", "f32"): (self.update_operands, lambda s: update(*s)),
            ("sgd_momentum", "f32"): (self.momentum_operands, lambda s: momentum(*s)),
            ("bias_relu", "f32"): (self.bias_operands, lambda s: bias(*s)),
            ("black_scholes", "f32"): (self.option_operands, lambda s: price(*s)),
            ("row_sums", "f32"): (self.like(lambda s: s[:1]), lambda s: cupy.sum(s[0], axis=1, out=s[1])),
            ("column_sums", "f32"): (self.like(lambda s: s[1:]), lambda s: cupy.sum(s[0], axis=0, out=s[1])),
            ("softmax", "f32"): (self.like(lambda s: s), softmax),
            ("layernorm", "f32"): (self.like(lambda s: s), lambda s: cupy.copyto(s[1], layer_norm(s[0]))),
            ("window_copy", "f32"): (self.like(f.window), lambda s: cupy.copyto(s[1], s[0][1:-1, 1:-1])),
            ("step_copy", "f32"): (self.like(f.halved), lambda s: cupy.copyto(s[1], s[0][:, ::2])),
            ("transposed_copy", "f32"): (self.like(f.turned), lambda s: cupy.copyto(s[1], s[0].T)),
            ("sort", "f32"): (self.vectors, sort),
            ("argsort", "f32"): (self.positions_of, argsort),
            ("scan", "f32"): (self.vectors, lambda s: cupy.cumsum(s[0], out=s[1])),
            ("launch", "f32"): (self.launch_operands, lambda s: add(*s)),
        }
        for dtype in DTYPES:
            kernels["matmul", dtype] = (self.factors, lambda s: cupy.matmul(s[0], s[1], out=s[2]))
        return kernels

    def fused_kernels(self):
        @cupy.fuse()
        def update(g, p):
            p -= f.RATE * (g + f.DECAY * p)

        @cupy.fuse()
        def momentum(g, v, p):
            v *= f.MOMENTUM
            v += g + f.DECAY * p
            p -= f.RATE * v

        @cupy.fuse()
        def bias(x, b, y):
            y[...] = cupy.maximum(x + b, 0.0)

        @cupy.fuse()
        def price(s, k, t, y):
            y[...] = call_price(s, k, t)

        return {("sgd", "f32"): (self.update_operands, lambda s: update(*s)),
                ("sgd_momentum", "f32"): (self.momentum_operands, lambda s: momentum(*s)),
                ("bias_relu", "f32"): (self.bias_operands, lambda s: bias(*s)),
                ("black_scholes", "f32"): (self.option_operands, lambda s: price(*s))}
