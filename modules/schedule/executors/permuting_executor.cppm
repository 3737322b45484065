module;
#include <cstdint>
export module tessera.schedule:permuting_executor;
import tessera.standard;
import :op_state;
import :executor;

// An executor that runs ops in an order drawn from a seed, for tests.
namespace tessera {

std::shared_ptr<Executor> make_permuting_executor(Engine& engine, std::uint64_t seed);

}  // namespace tessera
