// bool has no sign.
// expect first: bool_has_no_arithmetic
import tessera;
using namespace tessera;

auto opposite(const Array<bool, 1>& a) { return -a; }
