module;
#include <memory>
#include <mutex>
#include <vector>
module tessera.schedule;

// The engines of this process whose schedulers live.
namespace tessera {

namespace {

struct Engines {
  std::mutex mutex;
  std::vector<std::weak_ptr<Engine>> list;
};

Engines& engines() { return of_process<Engines>(); }

}  // namespace

void add_live_engine(const std::shared_ptr<Engine>& engine) {
  const std::lock_guard lock(engines().mutex);
  std::erase_if(engines().list, [](const std::weak_ptr<Engine>& one) { return one.expired(); });
  engines().list.push_back(engine);
}

std::vector<std::shared_ptr<Engine>> live_engines() {
  std::vector<std::shared_ptr<Engine>> live;
  const std::lock_guard lock(engines().mutex);
  for (const std::weak_ptr<Engine>& one : engines().list) {
    if (std::shared_ptr<Engine> engine = one.lock()) live.push_back(std::move(engine));
  }
  return live;
}

}  // namespace tessera
