module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:exchanging;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import tessera.algorithm;
import tessera.darray;
import :reduce_op;
import :communicator;

// What groups do with dynamic arrays: the one form behind all static ones.
namespace tessera::collective {

using Where = std::source_location;
using Share = std::shared_ptr<Communicator>;

/// Of messages of users, whose tags begin with 0.
inline constexpr int largest_tag = 16'000;
/// Of the library's own messages: no message of a user is taken for one of these.
enum class OwnTag : int { clock = largest_tag + 1 };

/// The other end of a collective: a rank of the group. Throws IndexError.
int checked_rank(const Communicator& group, std::ptrdiff_t rank, std::string_view operation);

DArray all_reduce(const Share& group, const DArray& x, ReduceOp op, const Where& where);
void all_reduce_into(const Share& group, const DArray& result, const DArray& x, ReduceOp op, const Where& where);
DArray all_reduce_shards(const Share& group, const DArray& shards, ReduceOp op, const Where& where);
DArray reduce(const Share& group, const DArray& x, ReduceOp op, std::ptrdiff_t root, const Where& where);
DArray reduce_scatter(const Share& group, const DArray& x, ReduceOp op, const Where& where);
void broadcast(const Share& group, const DArray& x, std::ptrdiff_t root, const Where& where);
DArray all_gather(const Share& group, const DArray& x, const Where& where);
void all_gather_into(const Share& group, const DArray& result, const DArray& x, const Where& where);
DArray gather(const Share& group, const DArray& x, std::ptrdiff_t root, const Where& where);
DArray scatter(const Share& group, const DArray& x, std::ptrdiff_t root, const Where& where);
DArray all_to_all(const Share& group, const DArray& x, const Where& where);
void send(const Share& group, const DArray& x, std::ptrdiff_t to, int tag, const Where& where);
void receive_into(const Share& group, const DArray& result, std::ptrdiff_t from, int tag, const Where& where);
DArray receive(const Share& group, DType dtype, int rank, std::ptrdiff_t from, int tag, const Where& where);
/// Whatever array comes.
DArray receive(const Share& group, std::ptrdiff_t from, int tag, const Where& where);
void send(const Share& group, const DArray& x, std::ptrdiff_t to, OwnTag tag, const Where& where);
void receive_into(const Share& group, const DArray& result, std::ptrdiff_t from, OwnTag tag, const Where& where);
void barrier(const Share& group, const Where& where);
/// The ranks of each color, in the order of their ranks here.
Share split(const Share& group, int color, const Where& where);

}  // namespace tessera::collective
