// Operands whose places are known to differ do not meet.
// expect: the operands are on different places: move one with to\(place\)
import tessera;
using namespace tessera;

auto total(const Array<float, 1, CpuPlace>& here, const Array<float, 1, GpuPlace>& there) { return here + there; }
