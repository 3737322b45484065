export module tessera.memory:buddy;
import tessera.standard;
import :allocator;
import :upstream;
import :strategy;

// The buddy system as a strategy and as an allocator.
namespace tessera::memory {

/// The buddy system: blocks are split in halves, and a freed one merges with its other half. O(log) in every case.
export std::unique_ptr<Strategy> make_buddy(std::unique_ptr<Upstream> upstream, Layout layout = {});

/// The same with a map that strategies have in common: a pointer that is another's is none of its own.
std::unique_ptr<Strategy> make_buddy(std::unique_ptr<Upstream> upstream, Layout layout,
                                     std::shared_ptr<AddressMap> map);

/// The classical buddy system over chunks from `Upstream`. The tail of a block that was rounded up to a power of two is free
/// for others at once, so that a block is at most one granule larger than asked for.
export template <Allocator Upstream>
class BuddyAllocator : public StrategyAllocator<make_buddy, Upstream> {
 public:
  explicit BuddyAllocator(Upstream upstream, Layout layout = {})
      : StrategyAllocator<make_buddy, Upstream>(std::move(upstream), layout) {}
};

}  // namespace tessera::memory
