// links: app_wiring
// A session whose disk fails in every way, in virtual time: each answer is the one without a cache. `--faults N`
// continues until the reads of requests have met that many faults; `--first R` begins with the faults of round R, for
// several side by side, or to repeat a round that failed.
#include <QtTest>

#include <map>

#include "core/ports/fault_plan.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"
#include "tests/support/virtual_harness.h"

namespace faults_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::uint64_t faults_wanted = 40, first_round = 0;
constexpr std::uint64_t requests = 100;  // of a round; each round has other faults
const std::string all_kinds =
    "flip_on_read:0.12+flip_on_write:0.02+torn_write:0.02+short_read:0.12+read_error:0.12+write_error:0.02+no_space:0."
    "02+"
    "sync_error:0.01+lost_sync:0.1+delay:1ms@0.1+seed:";
/// Those that a read consumes. What a write leaves wrong is met by the read that finds it, and not counted here.
bool is_met_by_reads(const std::string& kind) {
  return kind == "flip_on_read" || kind == "short_read" || kind == "read_error";
}

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
    const Workload workload = small_workload(5, 12, 31);
    auto harness = open_virtual(folder.path().toStdString(), workload, {"ssd=64MiB,faults=" + all_kinds + "11"},
                                "full_prefill", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto without = (*harness)->serve("full_prefill", requests);
    QVERIFY2(without.has_value(), message(without));
    std::map<std::string, int> sources, reasons;
    std::size_t reads_failed = 0, placements_failed = 0;
    std::uint64_t rounds = 0, met = 0, injected = 0;
    for (; met < faults_wanted && rounds < 2000; ++rounds) {
      SessionSettings settings = (*harness)->engine().settings();
      settings.tiers[0].faults = all_kinds + std::to_string(11 + first_round + rounds);
      QVERIFY((*harness)->engine().apply(settings));
      const auto with = (*harness)->serve("lru", requests);
      QVERIFY2(with.has_value(), message(with));
      QCOMPARE(with->size(), static_cast<std::size_t>(requests));
      for (std::size_t i = 0; i < with->size(); ++i) {
        QCOMPARE((*with)[i].question, (*without)[i].question);
        QCOMPARE((*with)[i].answer, (*without)[i].answer);
        ++sources[(*with)[i].source];
      }
      for (const auto& [reason, count] : reasons_of(*with)) reasons[reason] += count;
      for (const auto& counted : (*harness)->sink.all<events::TierCounted>())
        for (const auto& [kind, count] : counted.injected_faults) {
          injected += count;
          met += is_met_by_reads(kind) ? count : 0;
        }
      reads_failed += (*harness)->sink.all<events::ReadFailed>().size();
      placements_failed += (*harness)->sink.all<events::PlacementFailed>().size();
    }
    QVERIFY(sources["ssd"] > 0);
    QVERIFY(sources["prefill"] > reasons["first_contact"]);
    QVERIFY(reasons["corrupt"] + reasons["io"] > 0);
    // What failed was said, each time.
    QVERIFY(static_cast<int>(reads_failed) >= reasons["corrupt"] + reasons["io"]);
    QVERIFY(placements_failed > 0);
    std::string told;
    for (const auto& [reason, count] : reasons)
      told += " " + (reason.empty() ? "hit" : reason) + " " + std::to_string(count);
    QVERIFY(met >= faults_wanted && injected >= met);
    qInfo("%llu requests, %llu faults, %llu of them met by reads:%s; %zu placements failed",
          static_cast<unsigned long long>(rounds * requests), static_cast<unsigned long long>(injected),
          static_cast<unsigned long long>(met), told.c_str(), placements_failed);
  }

  // Frozen, so that no entry is served before it is written. Of writes the same ones fail until an index, which
  // writes as its log wants it, fails.
  void theSameSeedFailsTheSameReads() {
    QTemporaryDir folder;
    const std::string faults = "flip_on_read:0.15+read_error:0.1+seed:";
    auto harness = open_virtual(folder.path().toStdString(), small_workload(4, 20, 32),
                                {"ssd=64MiB,faults=" + faults + "7"}, "lru", true, {.frozen = true});
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
    auto harness = open_virtual(folder.path().toStdString(), small_workload(4, 20, 33), {"ssd=64MiB"}, "lru", false,
                                {.frozen = true});
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
    const auto faulty = (*harness)->serve("lru", 16);
    QVERIFY2(faulty.has_value(), message(faulty));
    for (const RequestRecord& record : *faulty) QCOMPARE(record.source, std::string("prefill"));
    QVERIFY(reasons_of(*faulty)["corrupt"] > 0);
    QVERIFY(engine.snapshot()->tiers[0].throttled);  // injected delays
    // The run's own record says so, before its first request.
    const auto started = (*harness)->sink.all<events::RunStarted>();
    QCOMPARE(started.size(), std::size_t{1});
    QCOMPARE(started[0].settings.at("settings").at("tiers").at(0).at("faults").get<std::string>(),
             engine.settings().tiers[0].faults);
    (*harness)->sink.clear();
    QVERIFY(with_faults(""));
    const auto changed = [&] {
      for (const auto& event : (*harness)->sink.all<events::SettingChanged>())
        if (event.name == "tiers") return true;
      return false;
    };
    for (int i = 0; i < 100 && !changed(); ++i) pass(**harness, 0.01);
    QVERIFY(changed());
    const auto healed = (*harness)->serve("lru", 16);
    QVERIFY2(healed.has_value(), message(healed));
    QVERIFY(reasons_of(*healed)["corrupt"] == 0);
    int hits = 0;
    for (const RequestRecord& record : *healed) hits += record.source == "ssd" ? 1 : 0;
    QVERIFY(hits >= 12);  // each context again at most once
    QVERIFY(!engine.snapshot()->tiers[0].throttled);
  }

  void faultsOfHostMemoryAreRefusedAndNothingChanges() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(1, 20, 34), {"dram=64MiB"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    SessionSettings settings = (*harness)->engine().settings();
    settings.tiers[0].faults = "read_error:0.5";
    const Status refused = (*harness)->engine().apply(settings);
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.find("tiers: dram: faults apply to files") != std::string::npos,
             refused.error().message.c_str());
    QVERIFY((*harness)->engine().settings().tiers[0].faults.empty());
  }
};

KV_TEST_PROGRAM(count, arguments) {
  const std::map<std::string_view, std::uint64_t*> options{{"--faults", &faults_wanted}, {"--first", &first_round}};
  while (count >= 3 && options.contains(arguments[1])) {
    *options.at(arguments[1]) = std::strtoull(arguments[2], nullptr, 10);
    if (std::string_view(arguments[1]) == "--faults") lift_time_limit();
    arguments[2] = arguments[0];
    count -= 2;
    arguments += 2;
  }
  QCoreApplication app(count, arguments);
  FaultsTest test;
  return QTest::qExec(&test, count, arguments);
}

}  // namespace faults_test

#include "faults_test.moc"
