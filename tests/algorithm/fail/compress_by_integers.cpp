// A mask has elements of bool.
// expect first: a_mask_has_elements_of_bool__write_x_not_equal_0
import tessera;
using namespace tessera;

auto picked(const Array<int, 1>& a) { return compress(a, a); }
