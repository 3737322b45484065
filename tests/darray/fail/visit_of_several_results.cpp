// Results of a visit have one type.
// expect first: no type named 'type' in 'tessera::JoinResults<
import tessera;
using namespace tessera;

auto text_or_array(DArray& x) {
  return visit(
      []<class A>(A& a) {
        if constexpr (A::rank == 1) {
          return "a vector";
        } else {
          return a;
        }
      },
      x);
}
