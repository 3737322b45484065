// The string is checked by the compiler.
// expect: at 8: no operand has this letter
import tessera;
using namespace tessera;

auto product(const Array<float, 2>& a, const Array<float, 2>& b) { return einsum<"ij,jk->iz">(a, b); }
