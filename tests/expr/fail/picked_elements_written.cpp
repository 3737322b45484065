// What indices pick is an operand, not a destination.
// expect first: picked elements are only read: write rows one by one
import tessera;
using namespace tessera;

void write(const Array<float, 2>& x, const Array<int, 1>& at) { x(at, all) = 0.0f; }
