// links: core_base
// Labels of tests are what their includes say (docs/testing.md): `realtime` waits for a live engine on the machine's
// clock, `process` starts other processes, `virtual` runs in virtual time. There are at most 16 realtime tests.
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/test_program.h"

namespace realtime_test {

namespace fs = std::filesystem;
using Labels = std::set<std::string>;

constexpr std::size_t max_realtime = 16;

/// Headers that wait for a live engine on the machine's clock, or for events by that clock.
const Labels live_headers{"tests/support/engine_harness.h", "tests/support/live_window.h",
                          "tests/support/busy_session.h", "tests/simulator/served_quickstart.h"};
/// Headers that open a session in virtual time: what they include and call is not the test's.
const Labels virtual_harnesses{"tests/support/virtual_harness.h", "tests/support/virtual_program.h",
                               "tests/support/virtual_loop.h"};
const Labels virtual_headers{"tests/support/virtual_harness.h", "tests/support/virtual_program.h",
                             "tests/support/virtual_loop.h", "tests/support/virtual_session.h",
                             "tests/support/virtual_executor.h"};

/// A line without its comment and without what stands between quotes.
std::string code_of(const std::string& line) {
  std::string code;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
      continue;
    }
    if (line[i] == '"') quoted = !quoted;
    if (!quoted && line.compare(i, 2, "//") == 0) break;
    if (!quoted) code += line[i];
  }
  return code;
}

/// A test and the headers of tests/ that it includes, in any number of steps.
class Sources {
 public:
  explicit Sources(fs::path root) : root_(std::move(root)) {}

  Labels labels_of(const std::string& test) const {
    Labels labels, seen;
    read(test, labels, seen);
    return labels;
  }

 private:
  void read(const std::string& file, Labels& labels, Labels& seen) const {
    static const std::regex include_form("^\\s*#\\s*include\\s*\x22(tests/[^\x22]+)\x22"),
        live_form(
            "\\bopen_session\\((?!const "
            ")|EngineHarness::open\\(|\\bEngineHarness\\s+\\w+;|\\bWindowProgram\\b|\\bEngineLoop\\("),
        process_form("\\bQProcess\\b|::v?fork\\(|\\bposix_spawn|\\bexecv|\\bpopen\\(|std::system\\(");
    // A line without any of these matches no form: searching for them is quick.
    static const std::vector<const char*> words{"open_session", "EngineHarness", "WindowProgram", "EngineLoop",
                                                "QProcess",     "fork",          "posix_spawn",   "execv",
                                                "popen",        "system"};
    if (!seen.insert(file).second) return;
    std::ifstream stream(root_ / file);
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (line.find("#include") != std::string::npos && std::regex_search(line, match, include_form)) {
        const std::string header = match[1].str();
        if (live_headers.contains(header)) labels.insert("realtime");
        if (virtual_headers.contains(header)) labels.insert("virtual");
        if (!virtual_harnesses.contains(header)) read(header, labels, seen);
        continue;
      }
      const std::string code = code_of(line);
      if (std::ranges::none_of(words, [&](const char* word) { return code.find(word) != std::string::npos; })) continue;
      if (std::regex_search(code, live_form)) labels.insert("realtime");
      if (std::regex_search(code, process_form)) labels.insert("process");
    }
  }

  fs::path root_;
};

/// The name that ctest has for the test in `file`: "ui_looks_test" for tests/ui/window/looks_test.cpp.
std::string ctest_name(const fs::path& file) {
  return file.lexically_relative("tests").begin()->string() + "_" + file.stem().string();
}

/// Of every test that ctest knows.
std::map<std::string, Labels> labels_in_ctest() {
  std::map<std::string, Labels> found;
  std::ifstream stream(fs::path(KVANTAGE_BINARY_DIR) / "tests" / "CTestTestfile.cmake");
  const std::regex form("^set_tests_properties\\(\\[=\\[([^\\]]+)\\]=\\]"), label_form(" LABELS \x22([^\x22]*)\x22");
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, form)) continue;
    Labels& labels = found[match[1].str()];
    if (!std::regex_search(line, match, label_form)) continue;
    std::istringstream names(match[1].str());
    for (std::string name; std::getline(names, name, ';');) labels.insert(name);
  }
  return found;
}

/// What includes say of every test that ctest knows.
const std::map<std::string, Labels>& labels_by_includes() {
  const fs::path root = KVANTAGE_SOURCE_DIR;
  static std::map<std::string, Labels> found;
  if (!found.empty()) return found;
  const auto known = labels_in_ctest();
  const Sources sources(root);
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
    const fs::path file = entry.path().lexically_relative(root);
    if (!file.filename().string().ends_with("_test.cpp")) continue;
    if (const std::string name = ctest_name(file); known.contains(name))
      found[name] = sources.labels_of(file.generic_string());
  }
  return found;
}

std::string text_of(const Labels& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : ", ") + label;
  return text.empty() ? "none" : text;
}

class RealtimeTest : public QObject {
  Q_OBJECT

 private slots:
  void everyTestHasTheLabelsOfItsIncludes() {
    const auto in_ctest = labels_in_ctest();
    const auto& by_includes = labels_by_includes();
    QVERIFY2(by_includes.size() > 200, std::to_string(by_includes.size()).c_str());
    for (const auto& [test, labels] : by_includes)
      QVERIFY2(in_ctest.at(test) == labels, (test + ": labeled " + text_of(in_ctest.at(test)) +
                                             ", but its includes say " + text_of(labels) + "; see tests/CMakeLists.txt")
                                                .c_str());
  }

  void fewTestsWaitForALiveEngine() {
    std::string names;
    std::size_t count = 0, processes = 0, in_virtual_time = 0;
    for (const auto& [test, labels] : labels_by_includes()) {
      processes += labels.contains("process") ? 1 : 0;
      in_virtual_time += labels.contains("virtual") ? 1 : 0;
      if (!labels.contains("realtime")) continue;
      ++count;
      names += " " + test;
    }
    qInfo("%zu of %zu realtime tests:%s; %zu start processes, %zu run in virtual time", count, max_realtime,
          names.c_str(), processes, in_virtual_time);
    QVERIFY2(count <= max_realtime, (std::to_string(count) + " realtime tests:" + names).c_str());
    QVERIFY(count > 0 && processes > 0 && in_virtual_time > 0);  // the rule finds something
  }

  void theRuleSeesThroughHelpers_data() {
    QTest::addColumn<QString>("test");
    QTest::addColumn<QString>("helper");
    QTest::addColumn<QString>("labels");
    const QString by_helper = "#include \"tests/ui/helper.h\"\n";
    QTest::newRow("nothing") << "#include <QtTest>\n"
                             << ""
                             << "none";
    QTest::newRow("an engine") << "#include \"tests/support/engine_harness.h\"\n"
                               << ""
                               << "realtime";
    QTest::newRow("an engine in a helper") << by_helper << "#include \"tests/support/live_window.h\"\n"
                                           << "realtime";
    QTest::newRow("a session in a helper") << by_helper << "  auto s = open_session(options, {});\n"
                                           << "realtime";
    QTest::newRow("the window's program") << "WindowProgram program(arguments());\n"
                                          << ""
                                          << "realtime";
    QTest::newRow("the window's program in virtual time")
        << "#include \"tests/support/virtual_program.h\"\nVirtualProgram program(arguments());\n"
        << ""
        << "virtual";
    QTest::newRow("the engine's loop") << "  EngineLoop(around).run();\n"
                                       << ""
                                       << "realtime";
    QTest::newRow("the engine's loop in virtual time")
        << "#include \"tests/support/virtual_loop.h\"\nVirtualLoop loop;\n"
        << ""
        << "virtual";
    QTest::newRow("a test named after it") << "class WindowProgramTest : public QObject {\n"
                                           << ""
                                           << "none";
    QTest::newRow("a comment") << "// open_session(options) starts a QProcess\n"
                               << ""
                               << "none";
    QTest::newRow("virtual time") << "#include \"tests/support/virtual_harness.h\"\n"
                                  << ""
                                  << "virtual";
    QTest::newRow("both") << "#include \"tests/support/virtual_harness.h\"\nauto h = EngineHarness::open(folder);\n"
                          << ""
                          << "realtime, virtual";
    QTest::newRow("a process in a helper") << by_helper << "QProcess server;\n"
                                           << "process";
  }
  void theRuleSeesThroughHelpers() {
    QFETCH(QString, test);
    QFETCH(QString, helper);
    QFETCH(QString, labels);
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    fs::create_directories(root / "tests" / "ui");
    std::ofstream(root / "tests" / "ui" / "a_test.cpp") << test.toStdString();
    std::ofstream(root / "tests" / "ui" / "helper.h") << helper.toStdString();
    QCOMPARE(text_of(Sources(root).labels_of("tests/ui/a_test.cpp")), labels.toStdString());
  }
};

KV_TEST_GUILESS_MAIN(RealtimeTest)

}  // namespace realtime_test

#include "realtime_test.moc"
