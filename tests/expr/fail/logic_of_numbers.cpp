// logical_and is for bool; numbers do not count as true or false.
// expect first: logic_takes_bool__write_x_not_equal_0__or_bitwise_and
import tessera;
using namespace tessera;

auto both(const Array<int, 1>& a, const Array<int, 1>& b) { return logical_and(a, b); }
