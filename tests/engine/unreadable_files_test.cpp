// links: app_wiring
// Files in the folders of stores that are left alone when a session opens them: a warning names the first one of each
// tier and of the archive, and says how many more there are. In virtual time.
#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"
#include "tiers/ssd/segment_entry.h"
#include "tiers/ssd/store_folder.h"

namespace unreadable_files_test {

using namespace kvantage;
using namespace kvantage::test;

class UnreadableFilesTest : public QObject {
  Q_OBJECT

  static QByteArray message(const auto& expected) {
    return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
  }
  static std::vector<std::string> warnings(const EngineHarness& harness) {
    std::vector<std::string> found;
    for (const auto& said : harness.sink.all<events::Message>())
      if (said.level == "warning" && said.text.find("in place of a file of the store") != std::string::npos)
        found.push_back(said.text);
    return found;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void aWarningNamesTheFirstOfEachTierAndOfTheArchive_data() {
    QTest::addColumn<int>("links");
    QTest::addColumn<QString>("end");
    QTest::newRow("one") << 1 << "remove the link";
    QTest::newRow("three") << 3 << "remove the link (and 2 more)";
  }
  void aWarningNamesTheFirstOfEachTierAndOfTheArchive() {
    QFETCH(int, links);
    QFETCH(QString, end);
    QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    const Workload workload = small_workload(2, 20, 35);
    const std::vector<std::string> tiers{"ssd=64MiB", "archive=unlimited,path=" + (root / "archive").string()};
    {
      const auto harness = open_virtual(root, workload, tiers, "lru");
      QVERIFY2(harness.has_value(), message(harness));
      QVERIFY(warnings(**harness).empty());
    }
    const auto stores = find_store_folders(root);
    QCOMPARE(stores.size(), std::size_t{2});
    for (const auto& store : stores)
      for (int i = 0; i < links; ++i)
        std::filesystem::create_symlink(root / "away", store / segment_file_name(static_cast<std::uint32_t>(77 + i)));
    const auto harness = open_virtual(root, workload, tiers, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    const std::vector<std::string> said = warnings(**harness);
    QCOMPARE(said.size(), std::size_t{2});
    QVERIFY2(said[0].starts_with("tier 'ssd': " + root.string()), said[0].c_str());
    QVERIFY2(said[1].starts_with("tier 'archive': " + (root / "archive").string()), said[1].c_str());
    for (const std::string& text : said) QVERIFY2(text.ends_with(end.toStdString()), text.c_str());
  }
};

KV_TEST_GUILESS_MAIN(UnreadableFilesTest)

}  // namespace unreadable_files_test

#include "unreadable_files_test.moc"
