// The branches of where have a common type.
// expect first: the_branches_have_no_common_element_type__write_cast_T
import tessera;
using namespace tessera;

auto choose(const Array<bool, 1>& which, const Array<float, 1>& a, const Array<int, 1>& b) {
  return where(which, a, b);
}
