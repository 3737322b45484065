export module tessera.schedule:live_engines;
import tessera.standard;
import :engine;

// The engines of this process whose schedulers live.
namespace tessera {

/// Engines whose schedulers live.
std::vector<std::shared_ptr<Engine>> live_engines();
void add_live_engine(const std::shared_ptr<Engine>& engine);

}  // namespace tessera
