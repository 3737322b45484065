// Runs a program with environment variables and reads what it prints.
#pragma once

#include <array>
#include <cstdio>
#include <string>

struct ProgramEnd {
  int status = -1;     // as wait() gives it
  std::string output;  // standard output and error
};

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
