module;
#include <cstddef>
export module tessera.expr:workspaces;
import tessera.standard;
import tessera.core;
import tessera.memory;

// Memory for the threads of one operation, all of it taken before the operation writes anything: running out of memory then
// leaves the destination as it was.
namespace tessera::plan {

/// One piece for each thread that can work at the same time.
class Workspaces {
 public:
  /// Pieces of `bytes` bytes, 64-byte aligned, for a loop of `tasks` iterations. Throws OutOfMemory.
  Workspaces(std::ptrdiff_t tasks, std::ptrdiff_t bytes);

  /// A piece, held until the end of a scope.
  class Piece {
   public:
    explicit Piece(Workspaces& from) : from_(from), data_(from.take()) {}
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    ~Piece() { from_.give_back(data_); }
    std::byte* data() const { return data_; }

   private:
    Workspaces& from_;
    std::byte* data_;
  };

 private:
  std::byte* take();
  void give_back(std::byte* piece);

  memory::Allocation memory_;
  std::mutex mutex_;
  std::vector<std::byte*> free_;
};

}  // namespace tessera::plan
