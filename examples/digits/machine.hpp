// What the program runs on, for the report: figures mean little without it.
#pragma once

#include <string>

namespace digits {

struct MachineFacts {
  std::string processor;  ///< as it names itself
  int cores = 1;          ///< that this process may use
  std::string system;     ///< kernel and architecture
  std::string compiler;   ///< that built the program
};

MachineFacts machine_facts();

}  // namespace digits
