// A stand-in for NCCL between the fake GPUs of processes of one host: what is sent lies as files in a folder until it is received.
//
// Communicators are those that do not block: what a call or a group asks for is given to the stream when the program asks how far the communicator is, and
// not by the call itself. Stricter than NCCL: a program ends with a message that calls anything while the communicator has not settled, that gives a rank
// pieces in another order or of other sizes than the other rank takes them.
//
// Environment: TESSERA_CUDA_DRIVER is the fake driver, FAKE_NCCL_FAIL=<function>:<result>, FAKE_NCCL_SILENT=<rank> never sends.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

constexpr int success = 0, invalid_argument = 4, in_progress = 7;
constexpr unsigned magic = 0xcafebeef;

[[noreturn]] void refuse(const std::string& message) {
  std::fprintf(stderr, "fake NCCL: %s\n", message.c_str());
  std::abort();
}

int wanted_failure(const std::string& function) {
  const char* text = std::getenv("FAKE_NCCL_FAIL");
  const std::string wish = text != nullptr ? text : "";
  return wish.starts_with(function + ":") ? std::atoi(wish.c_str() + function.size() + 1) : success;
}

template <class Function>
Function* of_driver(const char* name) {
  static void* const driver = dlopen(std::getenv("TESSERA_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  auto* const found = driver != nullptr ? reinterpret_cast<Function*>(dlsym(driver, name)) : nullptr;
  if (found == nullptr) refuse(std::string("the fake driver has no ") + name);
  return found;
}

bool exists(const std::string& file) { return access(file.c_str(), F_OK) == 0; }

/// Appears whole.
void write_file(const std::string& file, const std::vector<std::byte>& content) {
  const std::string unfinished = file + ".part";
  std::FILE* const out = std::fopen(unfinished.c_str(), "wb");
  if (out == nullptr) refuse("cannot write " + file);
  if (!content.empty() && std::fwrite(content.data(), 1, content.size(), out) != content.size())
    refuse("cannot write all of " + file);
  std::fclose(out);
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) refuse("cannot name " + file);
}

struct Piece {
  int peer;
  const void* address;
  std::size_t bytes;
  std::size_t number;  // among those from one rank to the other
};

struct Config {
  std::size_t size;
  unsigned magic, version;
  int blocking;
};

struct Id {
  char folder[128];
};

struct Communicator {
  std::string folder;
  int rank = 0, size = 0;
  std::vector<std::size_t> sent, received;  // pieces so far, by the other rank
  bool is_ready = false, is_aborted = false;
  int asked = 0;
  // What the program has asked for, and the stream has not been given.
  std::vector<Piece> to_send, to_receive;
  void *stream = nullptr, *context = nullptr;
  bool is_unsettled = false;

  std::string file_of(int from, int to, std::size_t number) const {
    return folder + "/" + std::to_string(from) + "_" + std::to_string(to) + "_" + std::to_string(number);
  }
  std::string ready_file(int of) const { return folder + "/rank_" + std::to_string(of); }

  bool all_are_ready() const {
    for (int other = 0; other < size; ++other)
      if (!exists(ready_file(other))) return false;
    return true;
  }
};

/// At the end of the program. Whoever goes last takes the folder away.
struct Folders {
  std::vector<std::shared_ptr<Communicator>> used;

  ~Folders() {
    for (const auto& communicator : used) {
      const std::string gone = communicator->folder + "/gone_";
      write_file(gone + std::to_string(communicator->rank), {});
      bool is_last = true;
      for (int other = 0; other < communicator->size; ++other)
        is_last = is_last && exists(gone + std::to_string(other));
      std::error_code ignored;
      if (is_last) std::filesystem::remove_all(communicator->folder, ignored);
    }
  }
} folders;

thread_local int open_groups = 0;
thread_local std::vector<std::shared_ptr<Communicator>*> in_group;

/// What one group does: all that is sent, then all that is received.
struct Transfer {
  std::shared_ptr<Communicator> communicator;
  std::vector<Piece> pieces;
};

bool is_silent(const Communicator& communicator) {
  const char* text = std::getenv("FAKE_NCCL_SILENT");
  return text != nullptr && std::atoi(text) == communicator.rank;
}

void run_send(void* context) {
  const std::unique_ptr<Transfer> transfer(static_cast<Transfer*>(context));
  const Communicator& communicator = *transfer->communicator;
  if (communicator.is_aborted || is_silent(communicator)) return;
  for (const Piece& piece : transfer->pieces) {
    const auto* const begin = static_cast<const std::byte*>(piece.address);
    write_file(communicator.file_of(communicator.rank, piece.peer, piece.number), {begin, begin + piece.bytes});
  }
}

bool has_come(void* context) {
  const auto& transfer = *static_cast<Transfer*>(context);
  const Communicator& communicator = *transfer.communicator;
  if (communicator.is_aborted) return true;
  for (const Piece& piece : transfer.pieces)
    if (!exists(communicator.file_of(piece.peer, communicator.rank, piece.number))) return false;
  return true;
}

void run_receive(void* context) {
  const std::unique_ptr<Transfer> transfer(static_cast<Transfer*>(context));
  const Communicator& communicator = *transfer->communicator;
  if (communicator.is_aborted) return;
  for (const Piece& piece : transfer->pieces) {
    const std::string file = communicator.file_of(piece.peer, communicator.rank, piece.number);
    std::vector<std::byte> content(piece.bytes + 1);
    std::FILE* const in = std::fopen(file.c_str(), "rb");
    const std::size_t read = in != nullptr ? std::fread(content.data(), 1, content.size(), in) : 0;
    if (in != nullptr) std::fclose(in);
    unlink(file.c_str());
    if (read != piece.bytes) {
      refuse("rank " + std::to_string(communicator.rank) + " receives " + std::to_string(piece.bytes) +
             " bytes of rank " + std::to_string(piece.peer) + ", which sent " + std::to_string(read));
    }
    std::memcpy(const_cast<void*>(piece.address), content.data(), piece.bytes);
  }
}

void give(const std::shared_ptr<Communicator>& communicator, std::vector<Piece> pieces, const char* name,
          bool (*is_ready)(void*), void (*run)(void*)) {
  std::vector<std::uint64_t> begins, ends;
  for (const Piece& piece : pieces) {
    begins.push_back(reinterpret_cast<std::uint64_t>(piece.address));
    ends.push_back(begins.back() + piece.bytes);
  }
  auto* const transfer = new Transfer{communicator, std::move(pieces)};
  const int result = of_driver<int(void*, const char*, const std::uint64_t*, const std::uint64_t*, int, bool (*)(void*),
                                   void (*)(void*), void*)>("fake_give_when")(
      communicator->stream, name, begins.data(), ends.data(), static_cast<int>(begins.size()), is_ready, run, transfer);
  if (result != 0) refuse(std::string(name) + " is given a stream that takes no work");
}

/// NCCL takes what it was asked for, whichever thread that is on.
void settle(const std::shared_ptr<Communicator>& communicator) {
  void* before = nullptr;
  of_driver<int(void**)>("cuCtxGetCurrent")(&before);
  of_driver<int(void*)>("cuCtxSetCurrent")(communicator->context);
  if (!communicator->to_send.empty())
    give(communicator, std::exchange(communicator->to_send, {}), "NCCL sends", nullptr, run_send);
  if (!communicator->to_receive.empty())
    give(communicator, std::exchange(communicator->to_receive, {}), "NCCL receives", has_come, run_receive);
  of_driver<int(void*)>("cuCtxSetCurrent")(before);
  communicator->is_unsettled = false;
}

int begin_call(const char* function, Communicator& communicator, void* stream) {
  if (const int failure = wanted_failure(function); failure != success) return failure;
  if (!communicator.is_ready || communicator.is_unsettled)
    refuse(std::string(function) + " of a communicator that has not settled");
  if (communicator.is_aborted) refuse(std::string(function) + " of a communicator that was aborted");
  communicator.stream = stream;
  of_driver<int(void**)>("cuCtxGetCurrent")(&communicator.context);
  return success;
}

void add_send(Communicator& communicator, int peer, const void* from, std::size_t bytes) {
  communicator.to_send.push_back({peer, from, bytes, communicator.sent.at(static_cast<std::size_t>(peer))++});
}

void add_receive(Communicator& communicator, int peer, const void* to, std::size_t bytes) {
  communicator.to_receive.push_back({peer, to, bytes, communicator.received.at(static_cast<std::size_t>(peer))++});
}

int end_call(std::shared_ptr<Communicator>* communicator) {
  if (open_groups != 0) {
    in_group.push_back(communicator);
    return success;
  }
  (*communicator)->is_unsettled = true;
  (*communicator)->asked = 0;
  return in_progress;
}

}  // namespace

extern "C" {

int ncclGetUniqueId(Id* id) {
  if (const int failure = wanted_failure("ncclGetUniqueId"); failure != success) return failure;
  std::string folder = "/dev/shm/fake_nccl_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) refuse("cannot make a folder in /dev/shm");
  std::memcpy(id->folder, folder.c_str(), folder.size() + 1);
  return success;
}

int ncclCommInitRankConfig(std::shared_ptr<Communicator>** made, int size, Id id, int rank, Config* config) {
  if (const int failure = wanted_failure("ncclCommInitRankConfig"); failure != success) return failure;
  if (config->magic != magic || config->size < sizeof(Config) || config->blocking != 0) return invalid_argument;
  auto communicator = std::make_shared<Communicator>();
  communicator->folder = id.folder;
  communicator->rank = rank;
  communicator->size = size;
  communicator->sent.resize(static_cast<std::size_t>(size));
  communicator->received.resize(static_cast<std::size_t>(size));
  write_file(communicator->ready_file(rank), {});
  folders.used.push_back(communicator);
  *made = new std::shared_ptr<Communicator>(std::move(communicator));
  return in_progress;
}

/// Asked twice it has settled: not sooner, so that nothing comes of asking once.
int ncclCommGetAsyncError(std::shared_ptr<Communicator>* communicator, int* state) {
  *state = wanted_failure("ncclCommGetAsyncError");
  if (*state != success) return success;
  Communicator& own = **communicator;
  if (own.is_aborted) refuse("ncclCommGetAsyncError of a communicator that was aborted");
  *state = in_progress;
  if (!own.is_ready) {
    own.is_ready = own.all_are_ready();
  } else if (own.is_unsettled && ++own.asked == 2) {
    settle(*communicator);
  }
  if (own.is_ready && !own.is_unsettled) *state = success;
  return success;
}

int ncclCommAbort(std::shared_ptr<Communicator>* communicator) {
  (*communicator)->is_aborted = true;
  (*communicator)->is_unsettled = false;
  return success;
}

int ncclGroupStart() {
  ++open_groups;
  return success;
}

int ncclGroupEnd() {
  if (open_groups == 0) refuse("ncclGroupEnd without ncclGroupStart");
  if (--open_groups != 0 || in_group.empty()) return success;
  if (const int failure = wanted_failure("ncclGroupEnd"); failure != success) return failure;
  for (std::shared_ptr<Communicator>* const communicator : std::exchange(in_group, {})) {
    (*communicator)->is_unsettled = true;
    (*communicator)->asked = 0;
  }
  return in_progress;
}

int ncclSend(const void* from, std::size_t bytes, int, int peer, std::shared_ptr<Communicator>* communicator,
             void* stream) {
  if (const int failure = begin_call("ncclSend", **communicator, stream); failure != success) return failure;
  add_send(**communicator, peer, from, bytes);
  return end_call(communicator);
}

int ncclRecv(void* to, std::size_t bytes, int, int peer, std::shared_ptr<Communicator>* communicator, void* stream) {
  if (const int failure = begin_call("ncclRecv", **communicator, stream); failure != success) return failure;
  add_receive(**communicator, peer, to, bytes);
  return end_call(communicator);
}

int ncclBroadcast(const void* from, void* to, std::size_t bytes, int, int root,
                  std::shared_ptr<Communicator>* communicator, void* stream) {
  if (const int failure = begin_call("ncclBroadcast", **communicator, stream); failure != success) return failure;
  Communicator& own = **communicator;
  if (own.rank != root) {
    add_receive(own, root, to, bytes);
  } else {
    if (from != to) refuse("ncclBroadcast of another memory than it comes to is not tested");
    for (int other = 0; other < own.size; ++other)
      if (other != root) add_send(own, other, from, bytes);
  }
  return end_call(communicator);
}

int ncclAllGather(const void* from, void* to, std::size_t bytes, int, std::shared_ptr<Communicator>* communicator,
                  void* stream) {
  if (const int failure = begin_call("ncclAllGather", **communicator, stream); failure != success) return failure;
  Communicator& own = **communicator;
  for (int other = 0; other < own.size; ++other) {
    if (other != own.rank) add_send(own, other, from, bytes);
    add_receive(own, other, static_cast<std::byte*>(to) + static_cast<std::size_t>(other) * bytes, bytes);
  }
  // What a rank has itself goes the same way.
  add_send(own, own.rank, from, bytes);
  return end_call(communicator);
}

const char* ncclGetErrorString(int result) {
  switch (result) {
    case 1: return "unhandled cuda error (of the fake NCCL)";
    case 3: return "internal error (of the fake NCCL)";
    case invalid_argument: return "invalid argument (of the fake NCCL)";
    case 6: return "remote process exited or there was a network error (of the fake NCCL)";
    default: return "another error (of the fake NCCL)";
  }
}

const char* ncclGetLastError(std::shared_ptr<Communicator>*) { return ""; }

}  // extern "C"
