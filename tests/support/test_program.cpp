#include "tests/support/test_program.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace kvantage::test {
namespace {

// Tests register before main begins, in no particular order.
std::map<std::string, TestMain, std::less<>>& tests() {
  static std::map<std::string, TestMain, std::less<>> all;
  return all;
}

// A test that starts its own program again says its arguments only: the name comes along in the environment.
constexpr const char* name_variable = "KVANTAGE_TEST_NAME";

int list_tests(const char* program) {
  std::fprintf(stderr, "usage: %s TEST [ARGUMENTS], where TEST is one of\n", program);
  for (const auto& [name, main] : tests()) std::fprintf(stderr, "  %s\n", name.c_str());
  return 2;
}

}  // namespace

RegisteredTest::RegisteredTest(std::string_view file, TestMain main) {
  file.remove_prefix(file.find_last_of('/') + 1);  // npos + 1 is 0
  file = file.substr(0, file.find('.'));
  tests().emplace(file, main);
}

}  // namespace kvantage::test

int main(int argc, char** argv) {
  using namespace kvantage::test;
  if (argc > 1) {
    if (const auto named = tests().find(std::string_view(argv[1])); named != tests().end()) {
      ::setenv(name_variable, argv[1], 1);
      argv[1] = argv[0];
      return named->second(argc - 1, argv + 1);
    }
  }
  if (tests().size() == 1) return tests().begin()->second(argc, argv);
  const char* inherited = std::getenv(name_variable);
  const auto named = inherited ? tests().find(std::string_view(inherited)) : tests().end();
  return named == tests().end() ? list_tests(argv[0]) : named->second(argc, argv);
}
