// A member takes the axes that the function takes.
// expect first: it takes what the function takes, which says what is wrong: write sum\(x\)
import tessera;
using namespace tessera;

auto total(const Array<float, 2>& a) { return a.sum<2>(); }
