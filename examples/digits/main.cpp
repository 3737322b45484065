// digits: trains a network on images of digits, or of clothes with --fashion, and reports how well it did.
#include <unistd.h>

#include <exception>
#include <iostream>
#include <ostream>

#include "dataset.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "results.hpp"
#include "run.hpp"
#include "start.hpp"
#include "terminal.hpp"
#include "training.hpp"

namespace {

void require_outputs(const digits::Options& options) {
  using namespace digits;
  require_writable(options.report);
  if (options.json) require_writable(*options.json);
  if (options.trace) require_writable(*options.trace);
  if (options.save) require_replaceable(*options.save);
}

void run(int argument_count, const char* const* arguments) {
  using namespace digits;
  Options options = parse_options(argument_count, arguments);
  if (options.help) {
    std::cout << help_text();
    return;
  }
  const bool writes = job().rank == 0;
  if (writes) require_outputs(options);  // before the work, not after it
  take_file_settings(options);
  const Dataset data = options.fashion ? load_fashion(options.fashion_directory) : load_digits();
  require_fitting_batch(options, static_cast<std::int64_t>(data.train_labels.size()));

  std::ostream silent(nullptr);
  Progress progress(options.quiet || !writes ? silent : std::cout, terminal_of(STDOUT_FILENO), options.epochs,
                    static_cast<std::int64_t>(data.train_labels.size()));
  Run result = train(options, data, progress);
  if (!writes) return;
  result.command = command_text(argument_count, arguments);
  if (!options.quiet) std::cout << results_table(result);
  write_report(options.report, result);
  if (options.json) write_results(*options.json, result);
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    run(argument_count, arguments);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "digits: " << error.what() << '\n';
    return 2;
  }
}
