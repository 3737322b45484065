module;
#include <string>
#include <vector>
module tessera.collective;
import tessera.device;

// Opening NCCL.
namespace tessera::collective {

namespace {

Nccl open() {
  device::runtime::Library library("NCCL", "TESSERA_NCCL", {"libnccl.so.2", "libnccl.so"});
  Nccl found;
  library.require(found.unique_id, "ncclGetUniqueId");
  library.require(found.begin, "ncclCommInitRankConfig");
  library.require(found.state, "ncclCommGetAsyncError");
  library.require(found.abort, "ncclCommAbort");
  library.require(found.group_start, "ncclGroupStart");
  library.require(found.group_end, "ncclGroupEnd");
  library.require(found.send, "ncclSend");
  library.require(found.receive, "ncclRecv");
  library.require(found.broadcast, "ncclBroadcast");
  library.require(found.all_gather, "ncclAllGather");
  library.require(found.words, "ncclGetErrorString");
  library.require(found.last_error, "ncclGetLastError");
  found.reason = library.reason();
  return found;
}

}  // namespace

const Nccl& nccl() {
  static const Nccl opened = open();
  return opened;
}

}  // namespace tessera::collective
