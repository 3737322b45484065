// What only reads cannot be written through another name.
// expect first: an array that only reads cannot become one that writes: write copy\(b\)
import tessera;
using namespace tessera;

void take(Array<float, 1>& mine, const Array<const float, 1>& fixed) { mine = fixed; }
