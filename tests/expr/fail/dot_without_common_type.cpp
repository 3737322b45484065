// What is multiplied has a common type.
// expect first: no_common_element_type
import tessera;
using namespace tessera;

auto product(const Array<float, 2>& a, const Array<int, 2>& b) { return dot(a, b); }
