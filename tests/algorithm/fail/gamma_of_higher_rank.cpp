// A parameter broadcasts to the shape of the numbers, and not the other way round.
// expect: no matching function for call to 'gamma'
// expect: 'Parameter<.*>' evaluated to false|does not satisfy 'Parameter'
import tessera;
using namespace tessera;

auto drawn = random::gamma<float>(random::Key{1}, Dim{3}, zeros<float>(Dim{2, 3}));
