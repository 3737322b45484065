export module tessera.expr:vector_reach;

// Some functions have a fast form that holds for all but rare arguments (sin of huge ones, log of subnormal ones), and a
// careful form that holds for all. A kernel evaluates a block with Near, which notes whether any argument was out of
// reach; if so it evaluates the block again with Careful. Both give the same value where the fast form holds, so an
// element's value does not depend on its neighbours. An operation offers the two by a function `within(reach, values...)`.
namespace tessera::math {

/// Evaluate fast; `beyond` says whether that was wrong for some argument. `fused`: products and sums are one operation.
template <bool Fused>
struct Near {
  static constexpr bool fused = Fused;
  bool beyond = false;
};

/// Evaluate for any argument.
template <bool Fused>
struct Careful {
  static constexpr bool fused = Fused;
};

}  // namespace tessera::math
