module tessera.schedule;

// What is ready is given to the executor when the lock is free.
namespace tessera::schedule {

HeldSubmissions::~HeldSubmissions() {
  if (ready_.first != nullptr) engine_->distribute(ready_);
}

void HeldSubmissions::submit(Engine& engine, OpState& op) {
  engine_ = &engine;
  engine.enlist(op, ready_);
}

void HeldSubmissions::submit_join(Engine& engine, const AccessList& accesses) {
  engine_ = &engine;
  enlist_join(engine, accesses, ready_);
}

void HeldSubmissions::start(Engine& engine) { engine.start(ready_); }

}  // namespace tessera::schedule
