// && asks for one truth value.
// expect first: && asks for one truth value: write a & b for elements
import tessera;
using namespace tessera;

auto both(const Array<bool, 1>& a, const Array<bool, 1>& b) { return a && b; }
