// Nor is it written by a call.
// expect first: elements of a const array only read
import tessera;
using namespace tessera;

void set(const Array<float, 2, CpuPlace>& fixed) { fixed(0, 1) = 1; }
