// bool has logic, not arithmetic.
// expect first: bool_has_no_arithmetic__write_cast_T
import tessera;
using namespace tessera;

auto both(const Array<bool, 1>& a, const Array<bool, 1>& b) { return a + b; }
