// Numbers of the gamma distribution are floating.
// expect: no matching function for call to 'gamma'
// expect: 'int' does not satisfy 'Floating'
import tessera;
using namespace tessera;

auto drawn = random::gamma<int>(random::Key{1}, Dim{3}, 2.0);
