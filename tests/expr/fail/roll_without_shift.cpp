// Each rolled axis has its shift.
// expect first: one shift for each named axis
import tessera;
using namespace tessera;

auto rolled(const Array<float, 2>& a) { return roll<0, 1>(a, 1); }
