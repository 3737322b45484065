module;
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
module tessera.memory;
import tessera.core;
import tessera.device;
import :pool_state;
import :watch;

// The pool's functions.
namespace tessera::memory {

StrategyKind default_strategy() noexcept {
  const char* wish = std::getenv("TESSERA_POOL");
  return wish != nullptr && std::string_view(wish) == "buddy" ? StrategyKind::buddy : StrategyKind::segregated_fit;
}

Pool::Pool(std::unique_ptr<Upstream> upstream, const PoolOptions& options)
    : state_(std::make_unique<PoolState>(std::move(upstream), options)) {}

Pool::~Pool() = default;

Place Pool::place() const { return state_->place(); }

void* Pool::allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where) {
  return state_->allocate(bytes, alignment, where);
}

void Pool::deallocate(void* pointer) {
  if (pointer != nullptr && !state_->deallocate(pointer)) refuse_pointer(place(), pointer);
}

void Pool::deallocate(void* pointer, std::ptrdiff_t) noexcept { deallocate(pointer); }

void Pool::set_debug(bool on) { state_->watch().set_debug(on); }

std::string Pool::leaks() const {
  const Watch* watch = state_->watch_if_any();
  return watch == nullptr ? std::string() : watch->leaks();
}

void Pool::start_trace(const std::string& path) { state_->watch().start_trace(path); }

void Pool::stop_trace() {
  if (Watch* watch = state_->watch_if_any()) watch->stop_trace();
}

void Pool::follow_growth(std::function<void(std::ptrdiff_t)> callback) {
  state_->watch().follow_growth(std::move(callback));
}

void Pool::trim() noexcept { state_->trim(); }

void Pool::set_limit(std::ptrdiff_t bytes) { state_->set_limit(bytes); }

Stats Pool::stats() const { return state_->stats(); }

void Pool::visit(const std::function<void(const Piece&)>& function) const { state_->visit(function); }

int Pool::add_pressure_callback(std::function<bool(std::ptrdiff_t)> callback) {
  return state_->pressure().add_callback(std::move(callback));
}

void Pool::remove_pressure_callback(int number) { state_->pressure().remove_callback(number); }

void Pool::set_patience(std::chrono::milliseconds patience) { state_->pressure().set_patience(patience); }

void Pool::announce_free() { state_->pressure().begin_pending(); }

void Pool::finish_free() noexcept { state_->pressure().end_pending(); }

}  // namespace tessera::memory
