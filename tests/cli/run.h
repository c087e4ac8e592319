// The program as a test runs it.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/support.h"

namespace cutis::test {

struct Result {
  int exit_code = -1;
  std::string out, err;
};

inline std::string read_all(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Its exit code and what it wrote; without a terminal.
inline Result run(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string command = std::string(CUTIS_PROGRAM) + " " + arguments + " >" + folder.file("out") + " 2>" +
                              folder.file("err") + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_all(folder.file("out")), read_all(folder.file("err"))};
}

}  // namespace cutis::test

namespace cutis {

// Names that every test of the program uses.
using nlohmann::json;
using test::read_all;
using test::Result;
using test::run;
using test::TemporaryFolder;
using testing::HasSubstr;

}  // namespace cutis
