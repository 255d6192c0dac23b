// links: core_ports
// Every counter and every reason that the code can count stands in docs/metrics.md, read from the code itself.
#include <QtTest>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "core/ports/transfer_error.h"
#include "tests/support/test_program.h"

namespace counted_reasons_test {

namespace fs = std::filesystem;

class CountedReasonsTest : public QObject {
  Q_OBJECT
  static std::string text_of(const char* file) {
    std::ifstream stream(fs::path(KVANTAGE_SOURCE_DIR) / file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  static std::set<std::string> found(const std::string& text, const char* form) {
    std::set<std::string> names;
    const std::regex pattern(form);
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) names.insert((*at)[1]);
    return names;
  }
  // Of the part of the document that tells of tiers.
  static std::string section() {
    const std::string all = text_of("docs/metrics.md");
    const auto begin = all.find("## Tiers and hit rates"), end = all.find("## Policies");
    return begin == std::string::npos || end == std::string::npos ? std::string() : all.substr(begin, end - begin);
  }
  static void all_named(const std::set<std::string>& names, std::size_t min_names) {
    QVERIFY2(names.size() >= min_names, qPrintable(QString::number(names.size())));
    for (const std::string& name : names)
      QVERIFY2(section().find("`" + name + "`") != std::string::npos, (name + " is not in docs/metrics.md").c_str());
  }

 private slots:
  void reasonsOfTiers() {
    const std::set<std::string> names = found(text_of("core/ports/transfer_error.cpp"), "return \"([a-z_]+)\"");
    all_named(names, 8);
    // Nothing but the enumeration is written there: as many names as it has values.
    std::set<std::string> said;
    for (int reason = 0; reason <= static_cast<int>(kvantage::MissReason::rejected); ++reason)
      said.insert(kvantage::to_string(static_cast<kvantage::MissReason>(reason)));
    QVERIFY(said == names);
  }
  void reasonsOfRequests() {
    all_named(found(text_of("core/base/error.cpp"), "return \"([a-z_]+)\""), 9);
    all_named(found(text_of("core/request/load_task.h"), "_reason = \"([a-z_]+)\""), 2);
    all_named(found(text_of("core/ports/request_record.h"), "compulsory_miss = \"([a-z_]+)\""), 1);
    all_named(found(text_of("core/request/request_task.cpp"), "miss_reason = \"([a-z_]+)\""), 1);
  }
  void countersOfTiers() {
    const std::string text = text_of("core/ports/tier_statistics.h");
    const std::string fields = text.substr(text.find("struct TierStatistics"));
    all_named(found(fields, "std::uint64_t ([a-z_]+) = 0;"), 12);
    std::set<std::string> by_reason = found(fields, "> ([a-z_]+)(?: = \\{\\})?;");
    QCOMPARE(by_reason.erase("injected_faults"), std::size_t{1});
    by_reason.insert("faults_struck");  // its name in files, which had it first
    all_named(by_reason, 4);
  }
};

KV_TEST_GUILESS_MAIN(CountedReasonsTest)

}  // namespace counted_reasons_test

#include "counted_reasons_test.moc"
