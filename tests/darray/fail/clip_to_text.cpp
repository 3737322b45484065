// A bound is a number, an operand or none.
// expect first: no matching function for call to 'clip'
import tessera;
using namespace tessera;

auto bounded(const DArray& x) { return clip(x, "low", none); }
