// Operands whose places are known to differ do not meet.
// expect first: operands_are_on_different_places__move_one_with_to_place
import tessera;
using namespace tessera;

auto total(const Array<float, 1, CpuPlace>& here, const Array<float, 1, GpuPlace>& there) { return here + there; }
