// What is added to a sharded array is sharded too.
// expect: a plain array is not divided: make it a Sharded one, replicated or split
import tessera;
using namespace tessera;

void add(Sharded<Array<float, 2>>& rows, const Array<float, 2>& whole) { rows += whole; }
