// An expression is assigned where its operands are.
// expect: the source and the array are on different places: move one with to\(place\)
import tessera;
using namespace tessera;

void fetch(Array<float, 1, CpuPlace>& here, const Array<float, 1, GpuPlace>& there) { here = there * 2; }
