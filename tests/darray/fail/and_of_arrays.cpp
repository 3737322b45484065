// && asks for one truth value, of which an array has several.
// expect first: // expect first: && asks for one truth value: write a & b for elements, or all_of(a) & all_of(b)// expect first: && asks for one truth value: write a & b for elements, or all_of(a) & all_of(b) asks for one truth value: write a // expect first: && asks for one truth value: write a & b for elements, or all_of(a) & all_of(b) b for elements
import tessera;
using namespace tessera;

auto both(const DArray& x, const DArray& y) { return x > 1 && y > 1; }
