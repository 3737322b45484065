// Runs a program with environment variables and reads what it prints.
#pragma once

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <string>

struct ProgramEnd {
  int status = -1;     // as wait() gives it
  std::string output;  // standard output and error
};

/// A program beside this one, for the shell.
inline std::string program(const std::string& name) {
  std::array<char, PATH_MAX> path;
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  const std::string own(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return "'" + own.substr(0, own.rfind('/') + 1) + name + "'";
}

/// `command` is for the shell, with variables before the program's name.
inline ProgramEnd run_program(const std::string& command) {
  ProgramEnd end;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return end;
  std::array<char, 256> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) end.output += buffer.data();
  end.status = pclose(pipe);
  return end;
}
