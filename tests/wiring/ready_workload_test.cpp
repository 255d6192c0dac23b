// links: app_wiring
// Workloads that do not ship: made in the cache folder, and made again where they are not what this program makes.
#include "app/wiring/ready_workload.h"

#include <QtTest>

#include "app/wiring/samples.h"
#include "core/base/files.h"
#include "core/workload/presets.h"
#include "core/workload/workload.h"
#include "tests/support/test_program.h"

namespace ready_workload_test {

using namespace kvantage;
namespace fs = std::filesystem;

class ReadyWorkloadTest : public QObject {
  Q_OBJECT
  QTemporaryDir cache_;

  fs::path folder() const { return fs::path(cache_.path().toStdString()) / "workloads" / "evicpress-regime"; }

 private slots:
  void init() { qputenv("KVANTAGE_CACHE", cache_.path().toUtf8()); }

  void isMadeWhenItIsAskedFor() {
    QVERIFY(!fs::exists(folder()));
    QCOMPARE(named_workload("evicpress-regime"), fs::path("evicpress-regime"));
    const auto made = ready_workload("evicpress-regime");
    QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
    QCOMPARE(*made, folder());
    QCOMPARE(named_workload("evicpress-regime"), folder());
    const auto preset = find_workload_preset("evicpress-regime");
    const auto expected = make_workload((*preset)->options), read = read_workload(folder());
    QVERIFY(read && expected);
    QCOMPARE(read->digest().hex(), expected->digest().hex());
    QCOMPARE(read->made_by, std::string("kvantage-cli workload make --preset evicpress-regime"));
    // Nothing is left beside it.
    QCOMPARE(std::distance(fs::directory_iterator(folder().parent_path()), fs::directory_iterator()),
             std::ptrdiff_t{1});
  }

  // What a former version made, or somebody changed, is no longer what the name means.
  void isMadeAgainWhereItDiffers_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"session.json", "workload.json", "questions.jsonl", "contexts.jsonl"})
      QTest::newRow(file) << file;
  }
  void isMadeAgainWhereItDiffers() {
    QFETCH(QString, file);
    QVERIFY(ready_workload("evicpress-regime").has_value());
    const fs::path path = folder() / file.toStdString();
    const auto before = read_text_file(path);
    QVERIFY(before.has_value());
    QVERIFY(write_text_file(path, *before + " ").has_value());
    QVERIFY(ready_workload("evicpress-regime").has_value());
    QCOMPARE(*read_text_file(path), *before);
    QVERIFY(fs::remove(path));
    QVERIFY(ready_workload("evicpress-regime").has_value());
    QCOMPARE(*read_text_file(path), *before);
    QCOMPARE(std::distance(fs::directory_iterator(folder().parent_path()), fs::directory_iterator()),
             std::ptrdiff_t{1});
  }

  // While it is as it should be, nothing is written.
  void isLeftAloneElsewhere() {
    QVERIFY(ready_workload("evicpress-regime").has_value());
    const auto written = fs::last_write_time(folder() / "contexts.jsonl");
    QVERIFY(ready_workload("evicpress-regime").has_value());
    QVERIFY(fs::last_write_time(folder() / "contexts.jsonl") == written);
  }

  void otherNamesAreAsEver() {
    QCOMPARE(ready_workload("quickstart").value(), named_workload("quickstart"));
    QCOMPARE(ready_workload("no-such-workload").value(), fs::path("no-such-workload"));
    QCOMPARE(ready_workload("/tmp").value(), fs::path("/tmp"));
    const Status typo = check_workload_is_there("evicpres-regime");
    QVERIFY(!typo);
    QVERIFY2(typo.error().message.find("evicpress-regime") != std::string::npos, typo.error().message.c_str());
  }

  void withoutACacheItSaysHow() {
    for (const char* name : {"KVANTAGE_CACHE", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "HOME"}) qunsetenv(name);
    const auto made = ready_workload("evicpress-regime");
    QVERIFY(!made);
    QVERIFY2(made.error().message.find("set KVANTAGE_CACHE") != std::string::npos, made.error().message.c_str());
  }
};

KV_TEST_GUILESS_MAIN(ReadyWorkloadTest)

}  // namespace ready_workload_test

#include "ready_workload_test.moc"
