// An element of a const array is const, where it is a plain reference.
// expect first: elements of a const array only read
import tessera;
using namespace tessera;

void set(const Array<float, 1, CpuPlace>& fixed) { fixed[0] = 1; }
