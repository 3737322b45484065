module;
#include <dlfcn.h>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "../../../collective/transport.h"
module tessera.collective;
import tessera.core;
import tessera.device;

// Opening the library that speaks MPI, and calling its C interface, whose header needs no MPI.
namespace tessera::collective {

namespace {

static_assert(lane_count == tessera_lanes && board_bytes == tessera_board_bytes);
static_assert(static_cast<int>(ExchangeKind::all_gather) == TESSERA_ALL_GATHER &&
              static_cast<int>(ExchangeKind::all_to_all) == TESSERA_ALL_TO_ALL &&
              static_cast<int>(ExchangeKind::receive) == TESSERA_RECEIVE);

struct Functions {
  decltype(&tessera_job_begin) job_begin = nullptr;
  decltype(&tessera_job_end) job_end = nullptr;
  decltype(&tessera_group_world) group_world = nullptr;
  decltype(&tessera_group_split) group_split = nullptr;
  decltype(&tessera_group_free) group_free = nullptr;
  decltype(&tessera_group_rank) group_rank = nullptr;
  decltype(&tessera_group_size) group_size = nullptr;
  decltype(&tessera_group_local_rank) group_local_rank = nullptr;
  decltype(&tessera_group_board) group_board = nullptr;
  decltype(&tessera_exchange_begin) exchange_begin = nullptr;
  decltype(&tessera_exchange_test) exchange_test = nullptr;
  std::string reason;  // why there is none
};

constexpr const char* file_name = "libtessera_mpi.so";

Functions open() {
  device::runtime::Library library("the library that speaks MPI", "TESSERA_MPI",
                                   device::runtime::places_of_own_library(file_name));
  Functions functions;
  library.require(functions.job_begin, "tessera_job_begin");
  library.require(functions.job_end, "tessera_job_end");
  library.require(functions.group_world, "tessera_group_world");
  library.require(functions.group_split, "tessera_group_split");
  library.require(functions.group_free, "tessera_group_free");
  library.require(functions.group_rank, "tessera_group_rank");
  library.require(functions.group_size, "tessera_group_size");
  library.require(functions.group_local_rank, "tessera_group_local_rank");
  library.require(functions.group_board, "tessera_group_board");
  library.require(functions.exchange_begin, "tessera_exchange_begin");
  library.require(functions.exchange_test, "tessera_exchange_test");
  functions.reason = library.reason();
  return functions;
}

const Functions& opened() {
  static const Functions functions = open();
  return functions;
}

void check(int status, const TesseraTransportFailure& failure) {
  if (status == TESSERA_TRANSPORT_DONE) return;
  throw CollectiveError(to_string(Failure{.operation = "MPI", .problem = failure.message}));
}

class MpiWire final : public Wire {
 public:
  explicit MpiWire(TesseraGroup* group) : group_(group) {}
  ~MpiWire() override { opened().group_free(group_); }

  int rank() const noexcept override { return opened().group_rank(group_); }
  int size() const noexcept override { return opened().group_size(group_); }
  int local_rank() const noexcept override { return opened().group_local_rank(group_); }
  void* board(int rank) const noexcept override { return opened().group_board(group_, rank); }

  Request begin(const Exchange& exchange) override {
    const TesseraExchange call{.kind = static_cast<int>(exchange.kind),
                               .lane = exchange.lane,
                               .peer = exchange.peer,
                               .tag = exchange.tag,
                               .from = exchange.from,
                               .to = exchange.to,
                               .from_bytes = exchange.from_bytes,
                               .to_bytes = exchange.to_bytes};
    TesseraRequest* request = nullptr;
    TesseraTransportFailure failure;
    check(opened().exchange_begin(group_, &call, &request, &failure), failure);
    return request;
  }

  bool has_ended(Request request, std::int64_t& received) override {
    int has_ended = 0;
    TesseraTransportFailure failure;
    check(opened().exchange_test(static_cast<TesseraRequest*>(request), &has_ended, &received, &failure), failure);
    return has_ended != 0;
  }

  std::unique_ptr<Wire> split(int color) override {
    TesseraGroup* part = nullptr;
    TesseraTransportFailure failure;
    check(opened().group_split(group_, color, &part, &failure), failure);
    return std::make_unique<MpiWire>(part);
  }

 private:
  TesseraGroup* group_;
};

}  // namespace

bool program_has_begun_mpi() noexcept {
  void* const found = dlsym(RTLD_DEFAULT, "MPI_Initialized");
  if (found == nullptr) return false;
  int begun = 0;
  reinterpret_cast<int (*)(int*)>(found)(&begun);
  return begun != 0;
}

EngineThreads begin_mpi(const std::string& why, void (*before_end)()) {
  const Functions& functions = opened();
  if (!functions.reason.empty()) {
    throw CollectiveError(
        to_string(Failure{.operation = "Group::world",
                          .problem = "this process is one of several (" + why + "), and " + functions.reason,
                          .advice = "build it where CMake finds an MPI (TESSERA_MPI=ON), name it in TESSERA_MPI, or "
                                    "start the program by itself"}));
  }
  TesseraJob job{};
  TesseraTransportFailure failure;
  check(functions.job_begin(&job, before_end, &failure), failure);
  return {.is_one = job.threads == TESSERA_THREADS_ONE, .is_ours = job.is_ours != 0};
}

void end_mpi() noexcept {
  TesseraTransportFailure failure;
  opened().job_end(&failure);  // what fails now is nobody's any more
}

std::unique_ptr<Wire> make_world_wire() {
  TesseraGroup* group = nullptr;
  TesseraTransportFailure failure;
  check(opened().group_world(&group, &failure), failure);
  return std::make_unique<MpiWire>(group);
}

}  // namespace tessera::collective
