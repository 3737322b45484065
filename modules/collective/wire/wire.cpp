module;
#include <cstdint>
#include <cstring>
#include <memory>
module tessera.collective;
import tessera.core;

// A group of one rank: what it sends to all it has already.
namespace tessera::collective {

namespace {

class WireOfOne final : public Wire {
 public:
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  int local_rank() const noexcept override { return 0; }
  void* board(int) const noexcept override { return nullptr; }

  Request begin(const Exchange& exchange) override {
    const std::int64_t* const bytes = exchange.to_bytes != nullptr ? exchange.to_bytes : exchange.from_bytes;
    if (exchange.kind != ExchangeKind::broadcast && exchange.to != exchange.from && *bytes != 0)
      std::memcpy(exchange.to, exchange.from, static_cast<std::size_t>(*bytes));
    return nullptr;
  }
  bool has_ended(Request, std::int64_t&) override { return true; }

  std::unique_ptr<Wire> split(int) override { return make_wire_of_one(); }
};

}  // namespace

std::unique_ptr<Wire> make_wire_of_one() { return std::make_unique<WireOfOne>(); }

}  // namespace tessera::collective
