// The function of a visit takes arrays.
// expect first: the function takes no array
import tessera;
using namespace tessera;

void visit_text(DArray& x) {
  visit([](const char*) {}, x);
}
