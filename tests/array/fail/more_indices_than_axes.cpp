// A matrix takes two indices.
// expect first: more indices than axes
import tessera;
using namespace tessera;

auto third_axis(const Array<float, 2>& matrix) { return matrix(0, all, 1); }
