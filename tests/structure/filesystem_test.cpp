// links: core_base
// Functions of std::filesystem end the program on a loop of links or a name that is too long, unless they are given a
// std::error_code: sources of the program always give one.
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/test_program.h"

namespace filesystem_test {

namespace fs = std::filesystem;

/// Without line comments.
std::string code_of(std::istream& stream) {
  std::string code;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t slashes = line.find("// ");
    code += line.substr(0, slashes) + "\n";
  }
  return code;
}

/// The last argument of a call whose bracket opens at `open`.
std::string last_argument(const std::string& code, std::size_t open) {
  int depth = 0;
  std::size_t begin = open + 1, at = open;
  for (; at < code.size(); ++at) {
    const char c = code[at];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if ((c == ')' || c == '}' || c == ']') && --depth == 0) break;
    if (c == ',' && depth == 1) begin = at + 1;
  }
  const std::string argument = code.substr(begin, at - begin);
  const std::size_t first = argument.find_first_not_of(" \n"), last = argument.find_last_not_of(" \n");
  return first == std::string::npos ? std::string() : argument.substr(first, last - first + 1);
}

/// Names of variables of these types.
std::set<std::string> variables(const std::string& code, const std::string& types) {
  const std::regex form("\\b(" + types + ")&? (\\w+(, \\w+)*)");
  const std::regex name("\\w+");
  std::set<std::string> names;
  for (std::sregex_iterator at(code.begin(), code.end(), form), end; at != end; ++at) {
    const std::string list = at->str(2);
    for (std::sregex_iterator one(list.begin(), list.end(), name); one != end; ++one) names.insert(one->str());
  }
  return names;
}

/// Calls that may throw, and loops over a folder, whose every step may.
std::vector<std::string> throwing_calls(const std::string& code) {
  static const std::regex call(
      "\\b(?:fs|filesystem)::(absolute|canonical|copy|copy_file|copy_symlink|create_directory|create_directories|"
      "create_hard_link|create_symlink|create_directory_symlink|current_path|equivalent|exists|file_size|"
      "hard_link_count|is_block_file|is_character_file|is_directory|is_empty|is_fifo|is_other|is_regular_file|"
      "is_socket|is_symlink|last_write_time|permissions|proximate|read_symlink|relative|remove|remove_all|rename|"
      "resize_file|space|status|symlink_status|temp_directory_path|weakly_canonical|"
      "(?:recursive_)?directory_iterator(?: \\w+)?)\\(");
  static const std::regex member("(?:\\.|->)(is_directory|is_regular_file|is_symlink|file_size|last_write_time)\\(");
  static const std::regex loop(" : (?:std::)?(?:fs|filesystem)::(?:recursive_)?directory_iterator");
  const std::set<std::string> codes = variables(code, "error_code"), statuses = variables(code, "file_status");
  std::vector<std::string> found;
  for (const std::regex* form : {&call, &member})
    for (std::sregex_iterator at(code.begin(), code.end(), *form), end; at != end; ++at) {
      const std::string last = last_argument(code, static_cast<std::size_t>(at->position() + at->length() - 1));
      const bool is_end = last.empty() && at->str(1).ends_with("directory_iterator");
      if (!is_end && !codes.contains(last) && !statuses.contains(last)) found.push_back(at->str(1) + "(" + last + ")");
    }
  for (std::sregex_iterator at(code.begin(), code.end(), loop), end; at != end; ++at)
    found.push_back(at->str() + " in a loop");
  return found;
}

class FilesystemTest : public QObject {
  Q_OBJECT

 private slots:
  void noCallThrows() {
    const fs::path root = KVANTAGE_SOURCE_DIR;
    for (const char* folder : {"app", "core", "gpu", "profiles", "tiers", "ui"})
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".h" && extension != ".cpp" && extension != ".inl") continue;
        std::ifstream stream(entry.path());
        for (const std::string& call : throwing_calls(code_of(stream)))
          QVERIFY2(false, (fs::relative(entry.path(), root).string() + ": " + call +
                           " may throw; give it a std::error_code, or use core/base/folders.h")
                              .c_str());
      }
  }

  void callsAreFound_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("count");
    QTest::newRow("without") << "bool a = std::filesystem::exists(b / \"c, d\");" << 1;
    QTest::newRow("with") << "std::error_code no; bool a = std::filesystem::exists(b(1, 2), no);" << 0;
    QTest::newRow("handed in") << "bool f(std::error_code& why) { return fs::remove(b, why); }" << 0;
    QTest::newRow("another argument") << "std::error_code no; fs::rename(a, b);" << 1;
    QTest::newRow("over two lines") << "std::error_code no;\nfs::rename(a,\n b, no);" << 0;
    QTest::newRow("status") << "std::error_code no; fs::file_status s = fs::status(a, no); fs::exists(s);" << 0;
    QTest::newRow("iterator") << "std::error_code no; fs::directory_iterator it(a, no), end; it != "
                                 "fs::directory_iterator();"
                              << 0;
    QTest::newRow("loop") << "std::error_code no; for (auto& e : std::filesystem::directory_iterator(a, no)) b(e);"
                          << 1;
    QTest::newRow("entry") << "std::error_code no; return e.is_directory() || e->file_size(no) > 0;" << 1;
    QTest::newRow("comment") << "// fs::exists(a) throws\n" << 0;
  }
  void callsAreFound() {
    QFETCH(QString, code);
    QFETCH(int, count);
    std::istringstream stream(code.toStdString());
    QCOMPARE(static_cast<int>(throwing_calls(code_of(stream)).size()), count);
  }
};

KV_TEST_GUILESS_MAIN(FilesystemTest)

}  // namespace filesystem_test

#include "filesystem_test.moc"
