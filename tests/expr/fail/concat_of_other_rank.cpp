// Joined operands have one rank.
// expect: joined operands have the same number of axes
import tessera;
using namespace tessera;

auto joined(const Array<float, 2>& a, const Array<float, 1>& b) { return concat<0>(a, b); }
