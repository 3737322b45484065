// bool has no arithmetic.
// expect first: these_elements_have_no_such_operation__write_cast_T
import tessera;
using namespace tessera;

void add(Array<bool, 1>& mask, const Array<bool, 1>& other) { mask += other; }
