// A reduction takes arrays and expressions.
// expect first: no matching function for call to 'sum'
import tessera;
using namespace tessera;

auto total = sum("text");
