// links: core_base
// Time and threads come in from outside (core/base/executor.h), so that a whole session runs on virtual time: nothing
// below app asks the machine for the time, sleeps, or starts a thread, but for what is listed here with its reason.
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/support/test_program.h"

namespace time_test {

namespace fs = std::filesystem;

/// Files, or folders that end in '/', and why they may.
const std::map<std::string, std::string>& allowed() {
  static const std::map<std::string, std::string> reasons{
      {"core/base/clock.cpp", "is the clock of the machine"},
      {"core/base/clock.h", "declares it"},
      {"core/base/executor.cpp", "starts the threads of the machine"},
      {"core/base/executor.h", "declares them"},
      {"core/model/fixed_load.cpp", "the load whose time on every core is the measurement"},
      {"core/policy/planning_problem.cpp", "shares one computation out and waits for it: the result is the same"},
      {"core/train/workers.cpp", "shares one computation out and waits for it: the result is the same"},
      {"core/train/workers.h", "declares them"},
      {"gpu/", "a device runs in its own time; its results are waited for, not timed out"},
      {"profiles/writer.cpp", "the database groups writes in real time, beside the run; runs bring their own times"},
      {"profiles/writer.h", "declares its thread"},
      {"tiers/remote/redis_socket.cpp",
       "a host is looked up on a thread that nobody joins, and the kernel says when a socket is ready; a stream of "
       "another kind has neither"},
      {"tiers/ring.cpp",
       "after a failure, pauses between questions to the kernel, which has no clock of ours; a session in memory never "
       "gets here"}};
  return reasons;
}

/// The rule that lets `file` use the machine's time, or nothing.
std::string exception_of(const std::string& file) {
  for (const auto& [path, reason] : allowed())
    if (file == path || ((path.back() == '/' || path.back() == '_') && file.rfind(path, 0) == 0)) return path;
  return {};
}

/// Files below `folders` that name what `form` matches outside comments.
std::set<std::string> users_of(const std::regex& form) {
  std::set<std::string> files;
  const fs::path root = KVANTAGE_SOURCE_DIR;
  for (const char* folder : {"core", "tiers", "profiles", "gpu"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".cu" && extension != ".inl") continue;
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);)
        if (std::regex_search(line.substr(0, line.find("//")), form))
          files.insert(fs::relative(entry.path(), root).generic_string());
    }
  return files;
}

class TimeTest : public QObject {
  Q_OBJECT

  static std::set<std::string> users() {
    // std::thread::hardware_concurrency() and the like start none.
    return users_of(std::regex(
        "SystemClock|machine_clock|SystemExecutor|system_executor|\\b(steady|system|high_resolution)_clock\\b|"
        "\\bsleep_(for|until)\\b|(\\.|->)wait_(for|until)\\(|\\b(clock_gettime|gettimeofday|usleep|"
        "nanosleep)\\b|std::j?thread\\b(?!::)|std::async\\b|(^|[^A-Za-z0-9_])::poll\\("));
  }

 private slots:
  void nothingAsksTheMachineForTheTime() {
    for (const std::string& file : users())
      QVERIFY2(!exception_of(file).empty(),
               (file + ": uses the machine's time or threads; take a Clock or an Executor from outside").c_str());
  }

  // An exception that nobody needs any more goes.
  void everyExceptionIsNeeded() {
    std::set<std::string> needed;
    for (const std::string& file : users()) needed.insert(exception_of(file));
    for (const auto& [path, reason] : allowed()) QVERIFY2(needed.contains(path), (path + ": " + reason).c_str());
  }
};

KV_TEST_GUILESS_MAIN(TimeTest)

}  // namespace time_test

#include "time_test.moc"
