// logical_and is for bool; numbers do not count as true or false.
// expect: logic takes elements of bool: write x != 0
import tessera;
using namespace tessera;

auto both(const Array<int, 1>& a, const Array<int, 1>& b) { return logical_and(a, b); }
