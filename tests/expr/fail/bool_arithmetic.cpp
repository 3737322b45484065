// bool has logic, not arithmetic.
// expect: bool has no arithmetic: write cast<T>
import tessera;
using namespace tessera;

auto both(const Array<bool, 1>& a, const Array<bool, 1>& b) { return a + b; }
