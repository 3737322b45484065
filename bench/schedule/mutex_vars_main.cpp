// The mutex-per-variable engine under the questions of the bench.
#include "mutex_vars.hpp"
#include "serve.hpp"

namespace {

using bench::MutexVars;
using bench::Work;

class MutexWay {
 public:
  static constexpr const char* name = "mutex per Var";
  static constexpr bool several_submitters = true;
  static bool takes(std::string_view) { return true; }

  MutexWay(const Work& work, int workers) : work_(&work), vars_(work.variables()), first_(work.size() + 1) {
    for (std::uint32_t op = 0; op < work.size(); ++op) {
      first_[op] = static_cast<std::uint32_t>(handles_.size());
      for (const std::uint32_t v : work.reads(op)) handles_.push_back(&vars_[v]);
      if (work.write(op) != bench::no_variable) handles_.push_back(&vars_[work.write(op)]);
    }
    first_.back() = static_cast<std::uint32_t>(handles_.size());
    engine_ = std::make_unique<MutexVars>(workers);
  }

  template <class Body>
  void submit(const Body& body, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t op = first; op < last; ++op) push(body, op);
  }

  template <class Body>
  void submit_shared(const Body& body, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t op = first; op < last; ++op) {
      const std::lock_guard lock(submission_);
      push(body, op);
    }
  }

  void wait() { engine_->wait_all(); }
  void hold() { engine_->hold(); }
  void release() { engine_->release(); }

 private:
  template <class Body>
  void push(const Body& body, std::uint32_t op) {
    const std::span<MutexVars::Var* const> handles(handles_.data() + first_[op], first_[op + 1] - first_[op]);
    const std::size_t reads = work_->reads(op).size();
    engine_->push(handles.first(reads), handles.subspan(reads), [&body, op] { body(op); });
  }

  const Work* work_;
  std::vector<MutexVars::Var> vars_;
  std::vector<MutexVars::Var*> handles_;
  std::vector<std::uint32_t> first_;
  std::mutex submission_;
  std::unique_ptr<MutexVars> engine_;
};

}  // namespace

int main(int count, char** arguments) { return bench::serve<MutexWay>(count, arguments); }
