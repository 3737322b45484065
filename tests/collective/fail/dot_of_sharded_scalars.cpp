// A dot product is along an axis.
// expect: rank_of<A> >= 1
import tessera;
using namespace tessera;

auto product_of(const Sharded<Array<float, 0>>& a, const Sharded<Array<float, 0>>& b) { return dot(a, b); }
