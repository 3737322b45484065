module;
#include <cstddef>
export module tessera.device:library;
import tessera.standard;

// Libraries that are opened at run time, so that one binary runs with and without them.
namespace tessera::device::runtime {

/// A shared library and the functions in it, by their published C signatures. It stays open.
export class Library {
 public:
  /// Opens the one that the environment's `variable` names, otherwise the first of `files` that can be opened; none if the variable says "none".
  /// `name` is how errors call it: "the NVRTC library".
  Library(std::string name, const char* variable, const std::vector<std::string>& files);

  /// Closes it and opens it again while the environment's `variable`, which is not set, has this value: some libraries read such a variable when they
  /// are loaded. Functions found before are to be found again. It is not loaded anew if somebody else holds it open. Other
  /// threads may not read the environment meanwhile.
  void reopen_with(const char* variable, const char* value);

  /// Why it cannot be used: what was looked for and what the system's loader says of that, or the first function that it lacks. Empty if it can.
  const std::string& reason() const { return reason_; }

  /// The file that was opened, as it was named; empty if there is none.
  const std::string& file() const { return file_; }

  /// Finds a function without which the library is of no use: reason() tells if it is missing.
  template <class Function>
  void require(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(required(name));
  }

  /// Finds a function that not all of its versions have: null if it is missing.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(found(name));
  }

 private:
  void* found(const char* name) const noexcept;
  void* required(const char* name);

  void* handle_ = nullptr;
  std::string name_, file_, reason_;
};

/// Where a library of ours is looked for: beside the program, in ../lib from there, and where the system finds libraries.
export std::vector<std::string> places_of_own_library(const std::string& file);

}  // namespace tessera::device::runtime
