// What the program runs on, as the system tells it.
#include "machine.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <thread>

namespace digits {

namespace {

std::string processor() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Cores that the process is bound to; a container often gives fewer than the machine has.
int cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::string system_name() {
  utsname names{};
  if (::uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace

MachineFacts machine_facts() { return {processor(), cores(), system_name(), compiler()}; }

}  // namespace digits
