// ! is for bool.
// expect first: logic_takes_bool__write_x_not_equal_0
import tessera;
using namespace tessera;

auto zero(const Array<int, 1>& a) { return !a; }
