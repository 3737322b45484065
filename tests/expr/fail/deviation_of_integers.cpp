// The deviation of integers is no integer.
// expect first: it_takes_floating_elements__write_cast_float
import tessera;
using namespace tessera;

auto spread(const Array<int, 1>& a) { return stddev(a); }
