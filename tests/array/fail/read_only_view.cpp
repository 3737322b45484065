// A view of const elements only reads.
// expect first: a view of const elements is read only
import tessera;
using namespace tessera;

void clear(const ArrayView<const float, 1>& seen) { seen = 0; }
