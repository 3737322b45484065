// Two ellipses would not say which axes they stand for.
// expect first: an index may hold one ellipsis
import tessera;
using namespace tessera;

auto ambiguous(const Array<float, 3>& array) { return array(ellipsis, 0, ellipsis); }
