// exp takes floating or complex elements.
// expect first: it_takes_floating_or_complex_elements__write_cast_float
import tessera;
using namespace tessera;

auto growth(const Array<int, 1>& years) { return exp(years); }
