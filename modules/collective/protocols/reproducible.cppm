export module tessera.collective:reproducible;
import tessera.standard;
import :protocol;
import :operation;

// The steps of sums that have the same bits for any number of ranks. Each rank combines the subtrees that lie within its shards; the roots of these go the same
// ways as what ranks have in other reductions.
namespace tessera::collective {

/// The first axis of `from` are `note.own` shards: leaves of one tree over the shards of all ranks.
Protocol reproducible_steps(Operation& operation);

}  // namespace tessera::collective
