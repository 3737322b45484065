module;
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
module tessera.schedule;

// The names that are not literals.
namespace tessera {

const char* schedule::interned(std::string_view text) {
  static std::mutex mutex;
  static auto& names = *new std::unordered_set<std::string>;  // ops may outlive static destructors
  const std::lock_guard lock(mutex);
  return names.emplace(text).first->c_str();
}

}  // namespace tessera
