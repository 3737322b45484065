module;
#include <cstddef>
#include <cstdint>
module tessera.device:launch_notes;
import tessera.standard;

// What was launched last on a stream, for errors that are noticed later.
namespace tessera::device {

/// The last launches of a stream, to name those that may have caused an error. Old ones make room for new ones.
class LaunchNotes {
 public:
  void add(std::uint64_t sequence, std::uint64_t ticket, std::string_view expression,
           const std::source_location& where);

  struct Found {
    std::uint64_t ticket = 0;  // launches of all streams are numbered
    std::string text;          // empty if there is none
  };
  /// The first one after `proven`.
  Found first_after(std::uint64_t proven) const;

 private:
  static constexpr std::size_t capacity = 64;
  struct Note {
    std::uint64_t sequence = 0;
    std::uint64_t ticket = 0;
    std::source_location where;
    std::size_t length = 0;
    std::array<char, 120> expression;  // its beginning
  };
  std::vector<Note> notes_;
  std::size_t next_ = 0;
};

}  // namespace tessera::device
