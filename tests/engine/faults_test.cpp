// links: kv_wiring
// A session whose disk fails in every way: each answer is the one without a cache. `--requests N` for a longer run.
#include <QtTest>

#include <map>

#include "core/ports/fault_plan.h"
#include "tests/support/engine_harness.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::uint64_t requests = 40;
const std::string all_kinds =
    "flip_on_read:0.04+flip_on_write:0.03+torn_write:0.03+short_read:0.03+read_error:0.03+write_error:0.03+no_space:0.03+"
    "sync_error:0.03+lost_sync:0.2+delay:2ms@0.1+seed:11";

}  // namespace

class FaultsTest : public QObject {
  Q_OBJECT
  static QByteArray message(const auto& expected) {
    return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
  }
  static std::map<std::string, int> reasons_of(const std::vector<RequestRecord>& records) {
    std::map<std::string, int> reasons;
    for (const RequestRecord& record : records) ++reasons[record.miss_reason];
    return reasons;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void everyAnswerIsTheOneWithoutACache() {
    QTemporaryDir folder;
    const Workload workload = small_workload(5, 24, 31);
    auto harness = EngineHarness::open(folder.path().toStdString(), workload, {"ssd=64MiB,faults=" + all_kinds}, "full_prefill", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto without = (*harness)->serve("full_prefill", requests);
    const auto with = (*harness)->serve("lru", requests);
    QVERIFY2(without && with, message(without) + message(with));
    QCOMPARE(with->size(), static_cast<std::size_t>(requests));
    std::map<std::string, int> sources;
    for (std::size_t i = 0; i < with->size(); ++i) {
      QCOMPARE((*with)[i].question, (*without)[i].question);
      QCOMPARE((*with)[i].answer, (*without)[i].answer);
      ++sources[(*with)[i].source];
    }
    auto reasons = reasons_of(*with);
    QVERIFY(sources["ssd"] > 0);
    QVERIFY(sources["prefill"] > 5);  // more than first contacts
    QVERIFY(reasons["corrupt"] + reasons["io"] > 0);
    // What failed was said, each time.
    const auto& sink = (*harness)->sink;
    QVERIFY(static_cast<int>(sink.all<events::ReadFailed>().size()) >= reasons["corrupt"] + reasons["io"]);
    QVERIFY(!sink.all<events::PlacementFailed>().empty());
    std::string told;
    for (const auto& [reason, count] : reasons) told += " " + (reason.empty() ? "hit" : reason) + " " + std::to_string(count);
    qInfo("%zu requests:%s; %zu placements failed", with->size(), told.c_str(), sink.all<events::PlacementFailed>().size());
  }

  // Of writes it strikes the same ones until an index, which writes as its log wants it, is struck.
  void theSameSeedStrikesTheSameReads() {
    QTemporaryDir folder;
    const std::string faults = "flip_on_read:0.15+read_error:0.1+seed:";
    auto harness = EngineHarness::open(folder.path().toStdString(), small_workload(4, 20, 32), {"ssd=64MiB,faults=" + faults + "7"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto run = [&](const std::string& seed) {
      SessionSettings settings = (*harness)->engine().settings();
      settings.tiers[0].faults = faults + seed;
      if (!(*harness)->engine().apply(settings)) return std::vector<std::string>{};
      std::vector<std::string> told;
      if (const auto records = (*harness)->serve("lru", 30))
        for (const RequestRecord& record : *records) told.push_back(record.source + " " + record.miss_reason);
      return told;
    };
    const auto first = run("7");
    QCOMPARE(first.size(), std::size_t{30});
    QVERIFY(run("7") == first);
    QVERIFY(run("8") != first);
  }

  void faultsComeAndGoWhileTheSessionRuns() {
    QTemporaryDir folder;
    auto harness = EngineHarness::open(folder.path().toStdString(), small_workload(4, 20, 33), {"ssd=64MiB"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    Engine& engine = (*harness)->engine();
    QVERIFY((*harness)->serve("lru", 16));
    const auto with_faults = [&](const std::string& faults) {
      SessionSettings settings = engine.settings();
      settings.tiers[0].faults = faults;
      return engine.apply(settings);
    };
    QVERIFY(with_faults("delay:1ms+flip_on_read:1.0"));
    QCOMPARE(engine.settings().tiers[0].faults, std::string("flip_on_read:1+delay:0.001s"));
    const auto struck = (*harness)->serve("lru", 16);
    QVERIFY2(struck.has_value(), message(struck));
    for (const RequestRecord& record : *struck) QCOMPARE(record.source, std::string("prefill"));
    QVERIFY(reasons_of(*struck)["corrupt"] > 0);
    QVERIFY(engine.snapshot()->tiers[0].shaped);  // held up on purpose
    // The run's own record says so, before its first request.
    const auto started = (*harness)->sink.all<events::RunStarted>();
    QCOMPARE(started.size(), std::size_t{1});
    QCOMPARE(started[0].settings.at("settings").at("tiers").at(0).at("faults").get<std::string>(), engine.settings().tiers[0].faults);
    (*harness)->sink.clear();
    QVERIFY(with_faults(""));
    const auto changed = [&] {
      for (const auto& event : (*harness)->sink.all<events::SettingChanged>())
        if (event.name == "tiers") return true;
      return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(changed(), 60000);
    const auto healed = (*harness)->serve("lru", 16);
    QVERIFY2(healed.has_value(), message(healed));
    QVERIFY(reasons_of(*healed)["corrupt"] == 0);
    int hits = 0;
    for (const RequestRecord& record : *healed) hits += record.source == "ssd" ? 1 : 0;
    QVERIFY(hits >= 12);  // each context once more at most
    QVERIFY(!engine.snapshot()->tiers[0].shaped);
  }

  void faultsOfHostMemoryAreRefusedAndNothingChanges() {
    QTemporaryDir folder;
    auto harness = EngineHarness::open(folder.path().toStdString(), small_workload(1, 20, 34), {"dram=64MiB"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    SessionSettings settings = (*harness)->engine().settings();
    settings.tiers[0].faults = "read_error:0.5";
    const Status refused = (*harness)->engine().apply(settings);
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.find("tiers: dram: faults strike files") != std::string::npos, refused.error().message.c_str());
    QVERIFY((*harness)->engine().settings().tiers[0].faults.empty());
  }
};

int main(int count, char** arguments) {
  if (count >= 3 && std::strcmp(arguments[1], "--requests") == 0) {
    requests = std::strtoull(arguments[2], nullptr, 10);
    arguments[2] = arguments[0];
    count -= 2;
    arguments += 2;
  }
  QCoreApplication app(count, arguments);
  FaultsTest test;
  return QTest::qExec(&test, count, arguments);
}

#include "faults_test.moc"
