// Moves bytes by MPI: a thin C interface, because MPI has no binary one that its implementations share. Large exchanges, whose bytes an int does not
// count, are made of sends and receives in pieces.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "transport.h"

namespace {

/// A call of MPI's that has failed.
struct Failed {
  std::string message;
};

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw Failed{std::string(call) + ": " + std::string(text, static_cast<std::size_t>(length))};
}

/// Calls `body`, and says what it throws.
template <class Body>
int guarded(TesseraTransportFailure* failure, const Body& body) noexcept {
  try {
    body();
    return TESSERA_TRANSPORT_DONE;
  } catch (const Failed& failed) {
    std::snprintf(failure->message, sizeof failure->message, "%s", failed.message.c_str());
  } catch (const std::bad_alloc&) {
    std::snprintf(failure->message, sizeof failure->message, "there is no memory left");
  }
  return TESSERA_TRANSPORT_FAILED;
}

bool is_begun() {
  int begun = 0;
  check(MPI_Initialized(&begun), "MPI_Initialized");
  return begun != 0;
}

bool is_ended() {
  int ended = 0;
  check(MPI_Finalized(&ended), "MPI_Finalized");
  return ended != 0;
}

/// Bytes of one message at most; TESSERA_MPI_PIECE is for tests.
std::int64_t largest_piece() {
  static const std::int64_t bytes = [] {
    const char* const chosen = std::getenv("TESSERA_MPI_PIECE");
    const std::int64_t number = chosen != nullptr ? std::atoll(chosen) : 0;
    return number > 0 ? number : std::int64_t{1} << 30;
  }();
  return bytes;
}

/// What is asked of MPI; TESSERA_MPI_THREADS=one is for tests.
int asked_level() {
  const char* const chosen = std::getenv("TESSERA_MPI_THREADS");
  return chosen != nullptr && std::strcmp(chosen, "one") == 0 ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
}

/// What ranks share memory, for tests: TESSERA_MPI_BOARDS=none, as if each had a host of its own; a number, as if so many after each other had one.
const char* chosen_boards() {
  const char* const chosen = std::getenv("TESSERA_MPI_BOARDS");
  return chosen != nullptr ? chosen : "";
}

class Communicator {
 public:
  Communicator() = default;
  explicit Communicator(MPI_Comm handle) : handle_(handle) {
    check(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  static Communicator copy_of(MPI_Comm of) {
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(of, &copy), "MPI_Comm_dup");
    return Communicator(copy);
  }
  Communicator(Communicator&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Communicator() {
    int ended = 1;
    MPI_Finalized(&ended);
    if (handle_ != MPI_COMM_NULL && ended == 0) MPI_Comm_free(&handle_);
  }

  MPI_Comm get() const { return handle_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

}  // namespace

struct TesseraGroup {
  explicit TesseraGroup(Communicator own) : points(std::move(own)) {
    for (Communicator& lane : lanes) lane = Communicator::copy_of(points.get());
    check(MPI_Comm_rank(points.get(), &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(points.get(), &size), "MPI_Comm_size");
    make_boards();
  }
  TesseraGroup(const TesseraGroup&) = delete;
  TesseraGroup& operator=(const TesseraGroup&) = delete;

  Communicator points;  // sends and receives
  Communicator lanes[tessera_lanes];
  int rank = 0, size = 0, local_rank = 0;
  Communicator host;              // the ranks of this host, which share memory
  MPI_Win window = MPI_WIN_NULL;  // never freed: all would have to do it together
  std::vector<void*> boards;      // by rank

 private:
  void make_boards() {
    boards.assign(static_cast<std::size_t>(size), nullptr);
    MPI_Comm neighbours = MPI_COMM_NULL;
    check(MPI_Comm_split_type(points.get(), MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &neighbours),
          "MPI_Comm_split_type");
    host = Communicator(neighbours);
    if (const int ranks = std::atoi(chosen_boards()); ranks > 0) {
      int of_all = 0;
      check(MPI_Comm_rank(MPI_COMM_WORLD, &of_all), "MPI_Comm_rank");
      check(MPI_Comm_split(host.get(), of_all / ranks, rank, &neighbours), "MPI_Comm_split");
      host = Communicator(neighbours);
    }
    check(MPI_Comm_rank(neighbours, &local_rank), "MPI_Comm_rank");
    if (std::strcmp(chosen_boards(), "none") == 0) return;
    void* own = nullptr;
    check(MPI_Win_allocate_shared(tessera_board_bytes, 1, MPI_INFO_NULL, neighbours, &own, &window),
          "MPI_Win_allocate_shared");
    std::memset(own, 0, tessera_board_bytes);
    check(MPI_Barrier(neighbours), "MPI_Barrier");
    int count = 0;
    check(MPI_Comm_size(neighbours, &count), "MPI_Comm_size");
    std::vector<int> local(static_cast<std::size_t>(count)), global(local.size());
    std::iota(local.begin(), local.end(), 0);
    MPI_Group here = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    check(MPI_Comm_group(neighbours, &here), "MPI_Comm_group");
    check(MPI_Comm_group(points.get(), &all), "MPI_Comm_group");
    check(MPI_Group_translate_ranks(here, count, local.data(), all, global.data()), "MPI_Group_translate_ranks");
    MPI_Group_free(&here);
    MPI_Group_free(&all);
    for (int i = 0; i < count; ++i) {
      MPI_Aint bytes = 0;
      int unit = 0;
      void* memory = nullptr;
      check(MPI_Win_shared_query(window, i, &bytes, &unit, &memory), "MPI_Win_shared_query");
      boards[static_cast<std::size_t>(global[static_cast<std::size_t>(i)])] = memory;
    }
  }
};

struct TesseraRequest {
  std::vector<MPI_Request> parts;
  std::vector<int> counts, displacements;  // in use until it has ended
  bool is_receive = false;
};

namespace {

/// What a kind needs of the calls of MPI, with all counts at hand.
class Begin {
 public:
  Begin(const TesseraGroup& group, const TesseraExchange& exchange, TesseraRequest& request)
      : group_(group), call_(exchange), request_(request), ranks_(static_cast<std::size_t>(group.size)) {}

  void run() {
    switch (call_.kind) {
      case TESSERA_BROADCAST: return broadcast();
      case TESSERA_ALL_GATHER: return all_gather();
      case TESSERA_GATHER: return gather();
      case TESSERA_SCATTER: return scatter();
      case TESSERA_ALL_TO_ALL: return all_to_all();
      case TESSERA_SEND: return send(call_.from, call_.from_bytes[0], call_.peer, group_.points.get(), call_.tag);
      case TESSERA_RECEIVE:
        request_.is_receive = true;
        return receive(call_.to, call_.to_bytes[0], call_.peer, group_.points.get(), call_.tag);
      default: throw Failed{"there is no exchange " + std::to_string(call_.kind)};
    }
  }

 private:
  MPI_Comm lane() const { return group_.lanes[call_.lane].get(); }
  MPI_Request* part() { return &request_.parts.emplace_back(MPI_REQUEST_NULL); }

  static std::int64_t sum(const std::int64_t* bytes, std::size_t count) {
    return std::accumulate(bytes, bytes + count, std::int64_t{0});
  }
  bool are_equal(const std::int64_t* bytes) const {
    return std::all_of(bytes, bytes + ranks_, [&](std::int64_t other) { return other == bytes[0]; });
  }
  static bool is_large(std::int64_t bytes) { return bytes > std::min<std::int64_t>(largest_piece(), INT_MAX); }

  /// Counts and displacements as MPI takes them; they live in the request.
  std::pair<const int*, const int*> layout(const std::int64_t* bytes) {
    const std::size_t first = request_.counts.size();
    int at = 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
      request_.counts.push_back(static_cast<int>(bytes[r]));
      request_.displacements.push_back(at);
      at += static_cast<int>(bytes[r]);
    }
    return {request_.counts.data() + first, request_.displacements.data() + first};
  }

  void send(const void* from, std::int64_t bytes, int to, MPI_Comm comm, int tag) {
    const char* at = static_cast<const char*>(from);
    do {
      const std::int64_t piece = std::min(bytes, largest_piece());
      check(MPI_Isend(at, static_cast<int>(piece), MPI_BYTE, to, tag, comm, part()), "MPI_Isend");
      at += piece;
      bytes -= piece;
    } while (bytes > 0);
  }
  void receive(void* to, std::int64_t bytes, int from, MPI_Comm comm, int tag) {
    char* at = static_cast<char*>(to);
    do {
      const std::int64_t piece = std::min(bytes, largest_piece());
      check(MPI_Irecv(at, static_cast<int>(piece), MPI_BYTE, from, tag, comm, part()), "MPI_Irecv");
      at += piece;
      bytes -= piece;
    } while (bytes > 0);
  }

  /// All pairs of ranks between which something is to be moved, by messages of their own.
  void move(const std::int64_t* from_bytes, const std::int64_t* to_bytes) {
    const char* from = static_cast<const char*>(call_.from);
    char* to = static_cast<char*>(call_.to);
    for (int r = 0; r < group_.size; ++r) {
      if (to_bytes != nullptr && to_bytes[r] != 0) receive(to, to_bytes[r], r, lane(), 0);
      if (to_bytes != nullptr) to += to_bytes[r];
    }
    for (int r = 0; r < group_.size; ++r) {
      if (from_bytes != nullptr && from_bytes[r] != 0) send(from, from_bytes[r], r, lane(), 0);
      if (from_bytes != nullptr) from += from_bytes[r];
    }
  }

  void broadcast() {
    const bool is_root = group_.rank == call_.peer;
    char* at = is_root ? const_cast<char*>(static_cast<const char*>(call_.from)) : static_cast<char*>(call_.to);
    for (std::int64_t left = call_.to_bytes[0]; left > 0;) {
      const std::int64_t piece = std::min(left, largest_piece());
      check(MPI_Ibcast(at, static_cast<int>(piece), MPI_BYTE, call_.peer, lane(), part()), "MPI_Ibcast");
      at += piece;
      left -= piece;
    }
  }

  void all_gather() {
    const std::int64_t before = sum(call_.to_bytes, static_cast<std::size_t>(group_.rank));
    const char* const own = static_cast<const char*>(call_.to) + before;
    const std::int64_t bytes = call_.to_bytes[group_.rank];
    const std::int64_t all = sum(call_.to_bytes, ranks_);
    // Of Open MPI's 4.1 a nonblocking all-gather of 256 KB takes twice as long as its messages, one of 2 MB half as long.
    const bool is_middling = own != call_.from && all > (64 << 10) && all <= (1 << 20) && group_.size <= 8;
    if (is_middling || is_large(all)) {
      for (int r = 0; r < group_.size; ++r)
        if (r != group_.rank && bytes != 0) send(call_.from, bytes, r, lane(), 0);
      char* to = static_cast<char*>(call_.to);
      for (int r = 0; r < group_.size; to += call_.to_bytes[r], ++r)
        if (r != group_.rank && call_.to_bytes[r] != 0) receive(to, call_.to_bytes[r], r, lane(), 0);
      if (own != call_.from) std::memcpy(const_cast<char*>(own), call_.from, static_cast<std::size_t>(bytes));
      return;
    }
    const void* const from = own == call_.from ? MPI_IN_PLACE : call_.from;
    const int count = static_cast<int>(bytes);
    if (are_equal(call_.to_bytes)) {
      check(MPI_Iallgather(from, count, MPI_BYTE, call_.to, count, MPI_BYTE, lane(), part()), "MPI_Iallgather");
    } else {
      const auto [counts, displacements] = layout(call_.to_bytes);
      check(MPI_Iallgatherv(from, count, MPI_BYTE, call_.to, counts, displacements, MPI_BYTE, lane(), part()),
            "MPI_Iallgatherv");
    }
  }

  void gather() {
    const bool is_root = group_.rank == call_.peer;
    const std::int64_t bytes = call_.to_bytes[group_.rank];
    if (is_large(sum(call_.to_bytes, ranks_))) {
      std::vector<std::int64_t> sent(ranks_, 0);
      sent[static_cast<std::size_t>(call_.peer)] = bytes;
      return move(sent.data(), is_root ? call_.to_bytes : nullptr);
    }
    const int count = static_cast<int>(bytes);
    if (are_equal(call_.to_bytes)) {
      check(MPI_Igather(call_.from, count, MPI_BYTE, call_.to, count, MPI_BYTE, call_.peer, lane(), part()),
            "MPI_Igather");
    } else {
      const auto [counts, displacements] = layout(call_.to_bytes);
      check(MPI_Igatherv(call_.from, count, MPI_BYTE, call_.to, counts, displacements, MPI_BYTE, call_.peer, lane(),
                         part()),
            "MPI_Igatherv");
    }
  }

  void scatter() {
    const bool is_root = group_.rank == call_.peer;
    const std::int64_t bytes = call_.from_bytes[group_.rank];
    if (is_large(sum(call_.from_bytes, ranks_))) {
      std::vector<std::int64_t> received(ranks_, 0);
      received[static_cast<std::size_t>(call_.peer)] = bytes;
      return move(is_root ? call_.from_bytes : nullptr, received.data());
    }
    const int count = static_cast<int>(bytes);
    if (are_equal(call_.from_bytes)) {
      check(MPI_Iscatter(call_.from, count, MPI_BYTE, call_.to, count, MPI_BYTE, call_.peer, lane(), part()),
            "MPI_Iscatter");
    } else {
      const auto [counts, displacements] = layout(call_.from_bytes);
      check(MPI_Iscatterv(call_.from, counts, displacements, MPI_BYTE, call_.to, count, MPI_BYTE, call_.peer, lane(),
                          part()),
            "MPI_Iscatterv");
    }
  }

  void all_to_all() {
    // Equal blocks are equal in all ranks, unless they are empty: who gives nothing does not know what the others do. Of others no rank knows whether all counts
    // of another fit an int.
    const bool is_even = call_.from_bytes[0] != 0 && are_equal(call_.from_bytes) && are_equal(call_.to_bytes) &&
                         call_.from_bytes[0] == call_.to_bytes[0];
    if (!is_even || is_large(sum(call_.to_bytes, ranks_))) return move(call_.from_bytes, call_.to_bytes);
    const int count = static_cast<int>(call_.to_bytes[0]);
    check(MPI_Ialltoall(call_.from, count, MPI_BYTE, call_.to, count, MPI_BYTE, lane(), part()), "MPI_Ialltoall");
  }

  const TesseraGroup& group_;
  const TesseraExchange& call_;
  TesseraRequest& request_;
  std::size_t ranks_;
};

TesseraJob the_job{};
void (*call_before_end)() = nullptr;

/// MPI_Finalize deletes what MPI_COMM_SELF has before it does anything else (MPI 3.1, 8.7.1).
int end_of_program(MPI_Comm, int, void*, void*) {
  call_before_end();
  return MPI_SUCCESS;
}

void call_at_end_of_program(void (*before_end)()) {
  call_before_end = before_end;
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_program, &key, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
}

}  // namespace

int tessera_job_begin(TesseraJob* job, void (*before_end)(), TesseraTransportFailure* failure) {
  return guarded(failure, [&] {
    if (is_ended()) throw Failed{"MPI has been ended by the program"};
    int given = MPI_THREAD_SINGLE;
    the_job.is_ours = is_begun() ? 0 : 1;
    if (the_job.is_ours != 0) {
      check(MPI_Init_thread(nullptr, nullptr, asked_level(), &given), "MPI_Init_thread");
    } else {
      check(MPI_Query_thread(&given), "MPI_Query_thread");
      call_at_end_of_program(before_end);
    }
    the_job.threads = given >= MPI_THREAD_SERIALIZED ? TESSERA_THREADS_IN_TURN : TESSERA_THREADS_ONE;
    *job = the_job;
  });
}

int tessera_job_end(TesseraTransportFailure* failure) {
  return guarded(failure, [] {
    if (the_job.is_ours != 0 && !is_ended()) check(MPI_Finalize(), "MPI_Finalize");
  });
}

int tessera_group_world(TesseraGroup** group, TesseraTransportFailure* failure) {
  return guarded(failure, [&] { *group = new TesseraGroup(Communicator::copy_of(MPI_COMM_WORLD)); });
}

int tessera_group_split(TesseraGroup* group, int color, TesseraGroup** part, TesseraTransportFailure* failure) {
  return guarded(failure, [&] {
    MPI_Comm own = MPI_COMM_NULL;
    check(MPI_Comm_split(group->points.get(), color, group->rank, &own), "MPI_Comm_split");
    *part = new TesseraGroup(Communicator(own));
  });
}

void tessera_group_free(TesseraGroup* group) {
  // MPI_Comm_free may wait for the others, and MPI_Win_free does, so that they are given back when the job ends.
  static std::vector<TesseraGroup*> given_up;
  given_up.push_back(group);
}

int tessera_group_rank(const TesseraGroup* group) { return group->rank; }
int tessera_group_size(const TesseraGroup* group) { return group->size; }
int tessera_group_local_rank(const TesseraGroup* group) { return group->local_rank; }

void* tessera_group_board(const TesseraGroup* group, int rank) { return group->boards[static_cast<std::size_t>(rank)]; }

int tessera_exchange_begin(TesseraGroup* group, const TesseraExchange* exchange, TesseraRequest** request,
                           TesseraTransportFailure* failure) {
  return guarded(failure, [&] {
    auto begun = std::make_unique<TesseraRequest>();
    begun->counts.reserve(2 * static_cast<std::size_t>(group->size));
    begun->displacements.reserve(2 * static_cast<std::size_t>(group->size));
    Begin(*group, *exchange, *begun).run();
    *request = begun.release();
  });
}

int tessera_exchange_test(TesseraRequest* request, int* has_ended, int64_t* received,
                          TesseraTransportFailure* failure) {
  *has_ended = 1;
  const int status = guarded(failure, [&] {
    std::vector<MPI_Request>& parts = request->parts;
    if (parts.size() == 1) {
      MPI_Status of{};
      check(MPI_Test(parts.data(), has_ended, &of), "MPI_Test");
      if (*has_ended == 0 || !request->is_receive) return;
      MPI_Count bytes = 0;
      check(MPI_Get_elements_x(&of, MPI_BYTE, &bytes), "MPI_Get_elements_x");
      *received = bytes;
    } else {
      check(MPI_Testall(static_cast<int>(parts.size()), parts.data(), has_ended, MPI_STATUSES_IGNORE), "MPI_Testall");
    }
  });
  if (*has_ended != 0 || status != TESSERA_TRANSPORT_DONE) delete request;
  return status;
}
