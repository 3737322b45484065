// % is for integers, as in C++.
// expect first: it_takes_integers
import tessera;
using namespace tessera;

auto rest(const Array<float, 1>& a) { return a % 2; }
