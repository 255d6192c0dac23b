// links: core_cost tiers
// The part of the engine that looks after tiers which others use too, without requests.
#include "core/cost/tier_monitor.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/recorded_journal.h"
#include "tests/support/test_program.h"

namespace tier_monitor_test {

using namespace kvantage;
using namespace kvantage::test;

/// Gives a tier a fit of one load, which took a second.
struct RecordedTiming final : TierTiming {
  explicit RecordedTiming(CacheStore& of) : store(of) {}
  Status time_tier(std::size_t tier, const TierConfig& setting) override {
    timed.push_back(setting.name);
    TierFit fit{TierFit::Limits{}};
    fit.add(1000, 10, 1, 0, true);
    store.tiers().set_fit(tier, std::move(fit));
    return {};
  }
  CacheStore& store;
  std::vector<std::string> timed;
};

struct Monitored {
  explicit Monitored(bool injects = true)
      : parts(small_workload(2, 8, 3)),
        timing(*parts.store),
        monitor(parts.services(), timing, journal,
                injects ? TierMonitor::Inject([this](std::size_t tier, const std::string& faults) -> Status {
                  injected.emplace_back(tier, faults);
                  return outcome;
                })
                        : TierMonitor::Inject()) {
    settings = {{.name = "dram", .budget = 1000, .faults = "read_error:0.5"}};
  }
  std::vector<std::string> said(const std::string& level) const {
    std::vector<std::string> texts;
    for (const auto& message : parts.sink.all<events::Message>())
      if (message.level == level) texts.push_back(message.text);
    return texts;
  }
  EngineParts parts;
  RecordedTiming timing;
  RecordedJournal journal;
  std::vector<std::pair<std::size_t, std::string>> injected;
  Status outcome;
  std::vector<TierConfig> settings;
  TierMonitor monitor;
};

class TierMonitorTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void faultsOfTheSettingsAreHandedOn() {
    Monitored monitored;
    monitored.parts.dram->throttled = true;  // delays are among them
    monitored.monitor.inject_all_faults(monitored.settings);
    monitored.monitor.inject_all_faults(monitored.settings, false);
    using Injected = std::vector<std::pair<std::size_t, std::string>>;
    QVERIFY((monitored.injected == Injected{{0, "read_error:0.5"}, {0, ""}}));
    QVERIFY(monitored.parts.catalog->snapshot().tiers[0].throttled);
    QVERIFY(monitored.parts.catalog->changed());
    QVERIFY(monitored.parts.sink.events.empty());
    monitored.outcome = fail(ErrorCode::usage, "no such fault");
    monitored.monitor.inject_faults(0, monitored.settings[0]);
    QVERIFY((monitored.said("error") == std::vector<std::string>{"tier 'dram': no such fault"}));
  }

  void whereNoFaultCanBeInjectedNothingIsDone() {
    Monitored monitored(false);
    monitored.parts.dram->throttled = true;
    monitored.monitor.inject_all_faults(monitored.settings);
    QVERIFY(!monitored.parts.catalog->snapshot().tiers[0].throttled && !monitored.parts.catalog->changed());
  }

  void aTierThatGoesAwayAndComesBackIsSaidOnceEach() {
    Monitored monitored;
    monitored.monitor.poll(monitored.settings);
    QVERIFY(monitored.parts.sink.events.empty() && !monitored.parts.catalog->changed());
    monitored.parts.dram->away = true;
    monitored.parts.dram->note = "not answering";
    for (int i = 0; i < 3; ++i) monitored.monitor.poll(monitored.settings);
    QVERIFY((monitored.said("warning") ==
             std::vector<std::string>{"tier dram is not answering; requests continue without it"}));
    QVERIFY(monitored.parts.catalog->changed());
    QCOMPARE(monitored.parts.store->tiers().fit(0).samples(), 0);
    monitored.parts.catalog->mark_published();
    monitored.parts.dram->away = false;
    for (int i = 0; i < 3; ++i) monitored.monitor.poll(monitored.settings);
    QVERIFY((monitored.said("info") == std::vector<std::string>{"tier dram is available again"}));
    QCOMPARE(monitored.said("warning").size(), std::size_t{1});
    QVERIFY(monitored.parts.catalog->changed());
    // It had not been timed yet.
    QVERIFY(monitored.parts.store->tiers().fit(0).samples() > 0);
    QVERIFY((monitored.timing.timed == std::vector<std::string>{"dram"}));
    monitored.parts.dram->away = true;
    monitored.monitor.poll(monitored.settings);
    monitored.parts.dram->away = false;
    monitored.monitor.poll(monitored.settings);
    QCOMPARE(monitored.said("info").size(), std::size_t{2});
    QCOMPARE(monitored.timing.timed.size(), std::size_t{1});  // its times are known
  }

  void theArchiveIsSaidToBeAwayToo() {
    Monitored monitored;
    monitored.parts.archive->away = true;
    monitored.parts.archive->note = "not answering";
    monitored.monitor.poll(monitored.settings);
    monitored.parts.archive->away = false;
    monitored.monitor.poll(monitored.settings);
    QVERIFY((monitored.said("warning") ==
             std::vector<std::string>{"tier archive is not answering; requests continue without it"}));
    QVERIFY((monitored.said("info") == std::vector<std::string>{"tier archive is available again"}));
    QVERIFY(monitored.timing.timed.empty());
  }

  void entriesIgnoredForTheirSealsAreSaidOnce() {
    Monitored monitored;
    monitored.settings[0].kind = "remote";  // nobody else writes into memory
    monitored.monitor.poll(monitored.settings);
    QVERIFY(monitored.said("warning").empty());
    for (const std::uint64_t count : {std::uint64_t{3}, std::uint64_t{4}}) {
      monitored.parts.dram->unsealed = count;
      monitored.monitor.poll(monitored.settings);
    }
    QVERIFY((monitored.said("warning") ==
             std::vector<std::string>{"tier dram ignores entries on its server whose seal does not fit its "
                                      "seal_key_file (3 so far)"}));
    monitored.parts.archive->unsealed = 1;
    monitored.monitor.poll(monitored.settings);
    QCOMPARE(monitored.said("warning").size(), std::size_t{2});
  }

  void whatOthersStoredIsSynced() {
    Monitored monitored;
    EngineParts& parts = monitored.parts;
    store_context(parts, 0, {.tier = 0});
    const auto theirs = parts.dram->last_write;
    PlacementAction evict{
        .context = parts.catalog->state(0).key, .kind = ActionKind::evict, .from = {}, .to = {}, .reason = {}};
    must(parts.store->commit(evict));
    QVERIFY(!parts.catalog->state(0).placement.stored());
    monitored.journal.runs = true;
    parts.catalog->mark_published();
    monitored.monitor.poll(monitored.settings);
    QVERIFY(monitored.journal.reasons.empty() && !parts.catalog->changed());
    parts.dram->write_by_others(theirs);
    monitored.monitor.poll(monitored.settings);
    QCOMPARE(parts.catalog->state(0).placement.tier, 0);
    QCOMPARE(parts.catalog->state(0).stored_bytes, theirs.info.bytes);
    QVERIFY(parts.catalog->changed());
    QVERIFY((monitored.journal.reasons == std::vector<std::string>{"shared tier"}));
    monitored.monitor.poll(monitored.settings);
    QCOMPARE(monitored.journal.reasons.size(), std::size_t{1});
  }

  void originalsOfOthersAreSynced() {
    Monitored monitored;
    EngineParts& parts = monitored.parts;
    compute_original(parts, 0, true);
    parts.store->finish_writes();
    const auto theirs = parts.archive->last_write;
    must(parts.archive->erase(theirs.info.key));
    parts.catalog->state(0).archived = false;
    monitored.journal.runs = true;
    parts.archive->write_by_others(theirs);
    monitored.monitor.poll(monitored.settings);
    QVERIFY(parts.catalog->state(0).archived && !parts.catalog->state(1).archived);
    QVERIFY(parts.catalog->changed());
    QVERIFY((monitored.journal.reasons == std::vector<std::string>{"shared tier"}));
  }
};

KV_TEST_GUILESS_MAIN(TierMonitorTest)

}  // namespace tier_monitor_test

#include "tier_monitor_test.moc"
