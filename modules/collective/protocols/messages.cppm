module;
#include <cstddef>
export module tessera.collective:messages;
import tessera.standard;
import :protocol;
import :operation;

// The steps of messages between two ranks. A message says what it is: what does not fit is refused before it is waited for.
namespace tessera::collective {

/// `from` to rank `note.root`.
Protocol send_steps(Operation& operation);
/// Into `to`, from rank `note.root`. Throws ShapeError or DTypeError for other elements.
Protocol receive_steps(Operation& operation);
/// Elements of `note.dtype` with `note.rank` axes of any extents, or any array if that is any_rank, into a new `result`.
Protocol receive_any_steps(Operation& operation);

}  // namespace tessera::collective
