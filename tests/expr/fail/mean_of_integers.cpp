// A mean of integers would be no integer: the type is to be chosen.
// expect: the function takes floating or complex elements: write cast<float>
import tessera;
using namespace tessera;

auto average(const Array<int, 1>& a) { return mean(a); }
