// exp takes floating or complex elements.
// expect: the function takes floating or complex elements: write cast<float>
import tessera;
using namespace tessera;

auto growth(const Array<int, 1>& years) { return exp(years); }
