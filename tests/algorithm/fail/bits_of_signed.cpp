// Random bits are unsigned integers.
// expect: no matching function for call to 'bits'
// expect: 'std::unsigned_integral<int>' evaluated to false|does not satisfy 'unsigned_integral'
import tessera;
using namespace tessera;

auto drawn = random::bits<int>(random::Key{1}, Dim{3});
