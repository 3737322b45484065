// An expression is assigned where its operands are.
// expect first: is on another place than the array: move it with to\(place\)
import tessera;
using namespace tessera;

void fetch(Array<float, 1, CpuPlace>& here, const Array<float, 1, GpuPlace>& there) { here = there * 2; }
