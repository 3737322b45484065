// exp takes floating elements.
// expect: the function takes floating elements: write cast<float>
import tessera;
using namespace tessera;

auto growth(const Array<int, 1>& years) { return exp(years); }
