export module tessera.memory:segregated_fit;
import tessera.standard;
import :allocator;
import :upstream;
import :strategy;

// Segregated fit as a strategy and as an allocator.
namespace tessera::memory {

/// Two-level segregated fit: free blocks in lists by size, sixteen lists per doubling, neighbours merged at once. O(1).
export std::unique_ptr<Strategy> make_segregated_fit(std::unique_ptr<Upstream> upstream, Layout layout = {});

/// The same with a map that strategies have in common: a pointer that is another's is none of its own.
std::unique_ptr<Strategy> make_segregated_fit(std::unique_ptr<Upstream> upstream, Layout layout,
                                              std::shared_ptr<AddressMap> map);

/// Two-level segregated fit over chunks from `Upstream`, with its boundary tags outside of them.
export template <Allocator Upstream>
class SegregatedFitAllocator : public StrategyAllocator<make_segregated_fit, Upstream> {
 public:
  explicit SegregatedFitAllocator(Upstream upstream, Layout layout = {})
      : StrategyAllocator<make_segregated_fit, Upstream>(std::move(upstream), layout) {}
};

}  // namespace tessera::memory
