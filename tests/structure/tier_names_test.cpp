// links: core_ports
// Names of tiers are free text: what a tier is, its kind and role say. Nothing but core/ports, where both are inferred,
// asks a name.
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "core/ports/tier_kind.h"
#include "tests/support/test_program.h"

namespace tier_names_test {

namespace fs = std::filesystem;

class TierNamesTest : public QObject {
  Q_OBJECT

  static std::vector<std::string> matches(const std::string& text, const std::vector<std::regex>& forms) {
    std::vector<std::string> found;
    for (const std::regex& form : forms)
      for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at) found.push_back(at->str());
    return found;
  }

  // The quoted id of a kind beside a comparison, and a table or a search that is keyed by one.
  static std::vector<std::string> asked(const std::string& text) {
    std::string ids;
    for (const kvantage::TierKind& kind : kvantage::tier_kinds()) ids += (ids.empty() ? "" : "|") + kind.id;
    const std::string quoted = "(QStringLiteral\\(|QLatin1String\\(|std::string\\(|u)?\"(" + ids + ")\"\\)?";
    static const std::vector<std::regex> forms{
        std::regex("[=!]=\\s*" + quoted), std::regex(quoted + "\\s*[=!]="),
        std::regex("(starts_with|startsWith|compare|contains|equals)\\(\\s*" + quoted),
        std::regex("\\{\\s*" + quoted + ",\\s*[A-Za-z0-9_:.]+\\s*\\},\\s*\\{\\s*" + quoted + ",")};
    return matches(text, forms);
  }

  // A comparison with a reserved name, and a search for a kind by a name.
  static std::vector<std::string> inferred(const std::string& text) {
    static const std::vector<std::regex> forms{
        std::regex("[=!]=\\s*(archive_name|prefill_source)\\b|\\b(archive_name|prefill_source)\\s*[=!]="),
        std::regex("\\b(find_tier_kind|suggested_kind)\\(")};
    return matches(text, forms);
  }

  /// role_of, suggested_kind and the table of kinds itself; the colors of a recorded run that names no kinds.
  static bool infers(const std::string& file) {
    return std::set<std::string>{"core/ports/tier_config.cpp", "core/ports/tier_config.h", "core/ports/tier_kind.cpp",
                                 "core/ports/tier_kind.h", "ui/look/theme.cpp"}
        .contains(file);
  }

  static std::map<std::string, std::string> sources() {
    std::map<std::string, std::string> texts;
    const fs::path root = KVANTAGE_SOURCE_DIR;
    for (const char* folder : {"app", "core", "gpu", "tiers", "profiles", "ui"})
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        texts[fs::relative(entry.path(), root).string()] = text.str();
      }
    return texts;
  }

 private slots:
  void everyFormIsSeen() {
    for (const char* line :
         {"if (tier.name == \"dram\")", "name!=\"ssd\"", "\"device\" == name", "name == QStringLiteral(\"remote\")",
          "name.starts_with(\"dram\")", "names.contains(\"ssd\")", "{{\"dram\", 2}, {\"ssd\", 0}}"})
      QVERIFY2(!asked(line).empty(), line);
    for (const char* line :
         {"config.name == archive_name", "archive_name != e.tier", "find_tier_kind(name)", "suggested_kind(name)"})
      QVERIFY2(!inferred(line).empty(), line);
    for (const char* line : {"spec.name = \"dram\";", "add --tier dram=64MiB", "{\"device\", info.device}",
                             "kind == \"host memory\"", "std::string(archive_name)", "config.is_archive()"})
      QVERIFY2(asked(line).empty() && inferred(line).empty(), line);
  }

  void nobodyAsksAName() {
    const auto texts = sources();
    QVERIFY(texts.size() > 500);
    for (const auto& [file, text] : texts) {
      auto found = asked(text);
      if (!infers(file)) std::ranges::copy(inferred(text), std::back_inserter(found));
      QVERIFY2(found.empty(), (file + " asks a tier's name: " + (found.empty() ? "" : found.front())).c_str());
    }
  }
};

KV_TEST_APPLESS_MAIN(TierNamesTest)

}  // namespace tier_names_test

#include "tier_names_test.moc"
