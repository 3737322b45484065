// Integers stay integers when a fraction is added.
// expect first: the_elements_do_not_fit__write_cast_T
import tessera;
using namespace tessera;

void add_half(Array<int, 1>& counts) { counts += 0.5; }
