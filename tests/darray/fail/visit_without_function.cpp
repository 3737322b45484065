// visit calls a function.
// expect first: the function takes no array
import tessera;
using namespace tessera;

void visit_nothing(DArray& x) { visit(3, x); }
