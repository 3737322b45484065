export module tessera.expr:vector_math;
export import :vector_bits;
export import :range_guard;
export import :vector_exponential;
export import :vector_logarithm;
export import :vector_power;
export import :vector_roots;
export import :vector_trigonometry;
export import :vector_inverse_trigonometry;
export import :vector_hyperbolic;
export import :vector_error_function;
export import :double_exponential;
export import :double_logarithm;
export import :double_power;
export import :double_trigonometry;
export import :box_muller;

// Elementary functions of floats and doubles as plain scalar code without branches, which the compiler vectorises. Polynomials are minimax
// fits; the error of each stands at it, in the relative error of the result. Every function keeps its bound with and without fused
// multiplication. The largest errors stand in docs/benchmarks/math.md: over all floats, and over samples of doubles;
// tests/expr/math checks them. What is missing goes to the C library, in library_math.cppm.
