export module tessera.collective:moving;
import tessera.standard;
import :protocol;
import :operation;

// The steps of the collectives that move elements and compute nothing.
namespace tessera::collective {

Protocol barrier_steps(Operation& operation);
/// `from` of rank `note.root` to `to` of the others.
Protocol broadcast_steps(Operation& operation);
/// `note.own` is each rank's number of rows; those of all come to all, or to rank `note.root`.
Protocol all_gather_steps(Operation& operation);
Protocol gather_steps(Operation& operation);
/// `note.own` of rank `note.root` is the number of rows that are scattered from there.
Protocol scatter_steps(Operation& operation);
/// The rows of each rank in as many parts as there are ranks, part r to rank r.
Protocol all_to_all_steps(Operation& operation);

/// What each rank says for itself comes to operation.said: for what must be known before a result can be made.
Protocol notes_steps(Operation& operation);
/// The shape of rank `note.root`'s array comes to operation.facts: its extents, as many as `note.rank` says.
Protocol shape_steps(Operation& operation);

}  // namespace tessera::collective
