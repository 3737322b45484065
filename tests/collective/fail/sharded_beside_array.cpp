// A rank has a part of a sharded array: of a plain one nobody knows which part is meant.
// expect: a plain array is not divided: make it a Sharded one, replicated or split
import tessera;
using namespace tessera;

auto sum_of(const Sharded<Array<float, 2>>& rows, const Array<float, 2>& whole) { return rows + whole; }
