export module tessera.schedule:pool_executor;
import tessera.standard;
import :op_state;
import :executor;

// An executor that runs ops on the threads of oneTBB.
namespace tessera {

/// `workers`: ops that run at once.
std::shared_ptr<Executor> make_pool_executor(Engine& engine, int workers);

}  // namespace tessera
