// The string is checked by the compiler.
// expect: has a letter in the result that no operand has, at character 8
import tessera;
using namespace tessera;

auto product(const Array<float, 2>& a, const Array<float, 2>& b) { return einsum<"ij,jk->iz">(a, b); }
