// Text is no operand.
// expect first: text and pointers are no operands of arrays
import tessera;
using namespace tessera;

auto unit(const DArray& x) { return x * 2 + " metres"; }
