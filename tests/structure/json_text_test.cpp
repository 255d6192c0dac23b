// links: core_base
// The JSON library throws when it writes a text that is no UTF-8, as names of files and rows of a database may be:
// sources of the program write JSON with dump_json (core/base/json.h) only.
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "core/base/json.h"
#include "tests/support/test_program.h"

namespace json_text_test {

using namespace kvantage;
namespace fs = std::filesystem;

class JsonTextTest : public QObject {
  Q_OBJECT

 private slots:
  void onlyTheHelperWrites() {
    const std::regex form("(\\.|->)dump\\(|nlohmann::to_string\\(");
    const fs::path root = KVANTAGE_SOURCE_DIR;
    for (const char* folder : {"app", "core", "gpu", "profiles", "tiers", "ui"})
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const std::string extension = entry.path().extension().string();
        const std::string file = fs::relative(entry.path(), root).generic_string();
        if ((extension != ".h" && extension != ".cpp") || file == "core/base/json.cpp") continue;
        std::ifstream stream(entry.path());
        for (std::string line; std::getline(stream, line);)
          QVERIFY2(!std::regex_search(line.substr(0, line.find("//")), form),
                   (file + ": " + line + ": throws on a text that is no UTF-8; use dump_json").c_str());
      }
  }

  void otherBytesAreReplaced() {
    const std::string broken = "caf\xe9 \xff";
    for (const std::string& text : {dump_json(Json{{"name", broken}}), dump_json(OrderedJson{{"name", broken}}),
                                    dump_json(Json{{"name", broken}}, 2)}) {
      const auto again = parse_json(text, "text");
      QVERIFY2(again.has_value(), text.c_str());
      QCOMPARE(again->at("name").get<std::string>(), std::string("caf\xef\xbf\xbd \xef\xbf\xbd"));
    }
    QCOMPARE(dump_json(Json{{"a", {1, "\xc3\xa9"}}}), std::string("{\"a\":[1,\"\xc3\xa9\"]}"));
  }
};

KV_TEST_GUILESS_MAIN(JsonTextTest)

}  // namespace json_text_test

#include "json_text_test.moc"
