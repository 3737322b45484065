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

void Pool::set_debug(bool on) { state_->set_debug(on); }

std::string Pool::leaks() const { return state_->leaks(); }

void Pool::start_trace(const std::string& path) { state_->start_trace(path); }

void Pool::stop_trace() { state_->stop_trace(); }

void Pool::follow_growth(std::function<void(std::ptrdiff_t)> callback) { state_->follow_growth(std::move(callback)); }

void Pool::trim() noexcept { state_->trim(); }

void Pool::set_limit(std::ptrdiff_t bytes) { state_->set_limit(bytes); }

Stats Pool::stats() const { return state_->stats(); }

void Pool::visit(const std::function<void(const Piece&)>& function) const { state_->visit(function); }

int Pool::add_pressure_callback(std::function<bool(std::ptrdiff_t)> callback) {
  return state_->add_pressure_callback(std::move(callback));
}

void Pool::remove_pressure_callback(int number) { state_->remove_pressure_callback(number); }

void Pool::set_patience(std::chrono::milliseconds patience) { state_->set_patience(patience); }

void Pool::announce_free() { state_->begin_pending(); }

void Pool::finish_free() noexcept { state_->end_pending(); }

}  // namespace tessera::memory
