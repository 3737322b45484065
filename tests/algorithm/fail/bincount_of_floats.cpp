// Labels are integers.
// expect: labels are integers
import tessera;
using namespace tessera;

auto counted(const Array<float, 1>& a) { return bincount(a); }
