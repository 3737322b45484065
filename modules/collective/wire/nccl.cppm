module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:nccl;
import tessera.standard;

// NCCL's functions, found by name at run time. Declared by their published C signatures (nccl.h of NCCL 2.14 and later), so that its header is not needed.
namespace tessera::collective {

using NcclResult = int;
using NcclCommunicator = void*;

inline constexpr NcclResult nccl_success = 0;
inline constexpr NcclResult nccl_in_progress = 7;
inline constexpr int nccl_bytes = 1;  // ncclUint8

/// ncclUniqueId: what the ranks of a communicator know of each other when they begin it.
struct NcclId {
  char bytes[128];
};

/// The beginning of ncclConfig_t as NCCL 2.14 has it, which later ones read as well.
struct NcclConfig {
  std::size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 0;
};

struct Nccl {
  std::string reason;  // why there is none

  NcclResult (*unique_id)(NcclId*) = nullptr;
  NcclResult (*begin)(NcclCommunicator*, int size, NcclId, int rank, NcclConfig*) = nullptr;
  NcclResult (*state)(NcclCommunicator, NcclResult*) = nullptr;
  NcclResult (*abort)(NcclCommunicator) = nullptr;
  NcclResult (*group_start)() = nullptr;
  NcclResult (*group_end)() = nullptr;
  NcclResult (*send)(const void*, std::size_t, int type, int peer, NcclCommunicator, void* stream) = nullptr;
  NcclResult (*receive)(void*, std::size_t, int type, int peer, NcclCommunicator, void* stream) = nullptr;
  NcclResult (*broadcast)(const void*, void*, std::size_t, int type, int root, NcclCommunicator,
                          void* stream) = nullptr;
  NcclResult (*all_gather)(const void*, void*, std::size_t, int type, NcclCommunicator, void* stream) = nullptr;
  const char* (*words)(NcclResult) = nullptr;
  const char* (*last_error)(NcclCommunicator) = nullptr;
};

/// Opened at the first call: libnccl.so.2, or what the environment's TESSERA_NCCL names, which may be "none".
const Nccl& nccl();

}  // namespace tessera::collective
