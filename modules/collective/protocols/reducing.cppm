export module tessera.collective:reducing;
import tessera.standard;
import :protocol;
import :operation;

// The steps of the collectives that combine elements. Bytes are moved by the engine and elements combined by us, in an order of ours: so any element
// type is as fast as another, and the same ranks come to the same bits whatever the engine, the network and the threads. An all_reduce is an all_to_all
// of pieces, a sum of what each rank has got, and an all_gather of the sums (Rabenseifner, "Optimization of Collective Reduction Operations", ICCS
// 2004); of few bytes it is an all_gather of everything.
namespace tessera::collective {

Protocol all_reduce_steps(Operation& operation);
/// To rank `note.root`.
Protocol reduce_steps(Operation& operation);
/// The rows in as many parts as there are ranks, as equal as possible: part r to rank r.
Protocol reduce_scatter_steps(Operation& operation);

}  // namespace tessera::collective
