// links: kv_reports profiles
// A report made later from the journal is the report that was made from the run, and it holds what belongs together.
#include "core/report/recorded_run.h"
#include "core/report/formats/report_formats.h"

#include <QTemporaryDir>
#include <QTest>

#include "core/ports/recorded_snapshot.h"
#include "profiles/stores.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"

namespace recorded_run_test {

using namespace kvantage;

namespace {

struct Journal {
  std::vector<Event> events;
  std::int64_t now_ns = 5'000'000'000;
  void add(EventPayload payload, std::int64_t later_ns = 0) {
    now_ns += later_ns;
    events.push_back({events.size(), 1'700'000'000'000'000'000 + now_ns, now_ns, std::move(payload)});
  }
};

// As the engine writes it: fits, occupancy, then per request started, tokens, finished and a move.
Journal journal_of(const PolicyRun& run) {
  Journal journal;
  journal.add(events::RunStarted{"id", {}});
  journal.add(events::TierFitted{"dram", {}, 8, false});
  journal.add(events::TierOccupancy{"dram", 0, 4194304, {}});
  journal.add(events::TierFitted{"ssd", {}, 8, true});
  journal.add(events::TierOccupancy{"ssd", 0, 0, {}});
  for (const RequestRecord& record : run.records) {
    journal.add(events::RequestStarted{record.id, record.context_id, record.family, record.question}, 1'000'000);
    journal.add(events::TokenEmitted{record.id, "x"}, 1'000'000);
    journal.add(events::RequestFinished{record}, 8'000'000);
    journal.add(events::TierOccupancy{"dram", 1000 + record.id % 7 * 1000, 4194304, {}}, 1'000'000);
  }
  journal.add(events::TierCounted{"ssd",
                                  "file system",
                                  "O_DIRECT",
                                  9,
                                  4096,
                                  3,
                                  4096,
                                  1,
                                  {{"checksum", 2}},
                                  {{"no_space", 1}},
                                  7,
                                  0.05,
                                  0.25,
                                  {{"flip_on_read", 3}}});
  journal.add(events::RunFinished{"id", "finished", run.records.size()});
  return journal;
}

Json settings_of(const std::string& policy, std::uint64_t seed) {
  return {{"settings", {{"policy", policy}, {"alpha", 0.5}, {"quality_metric", "token_f1"}}},
          {"environment", {{"workload", "quickstart"}, {"seed", seed}, {"command", "kvantage-cli run quickstart"}}},
          {"group", "run-1"},
          {"warmup", 10},
          {"kv_bytes_per_token", 2048}};
}

RecordedRun recorded(const std::string& policy, std::uint64_t seed) {
  return {{policy + " id", 1, 2, policy, "finished", 0, settings_of(policy, seed)},
          journal_of(sample_run(seed, policy, 60)).events};
}

}  // namespace

class RecordedRunTest : public QObject {
  Q_OBJECT

 private slots:
  // A run whose knobs moved is several results: each row shows the settings that it was made under.
  void changedSettingsMakeRowsOfTheirOwn() {
    PolicyRun original = sample_run(7, "lru", 60);
    Journal journal;
    journal.add(events::TierOccupancy{"dram", 8000, 10000, {}});
    for (std::size_t i = 0; i < 60; ++i) {
      RequestRecord& record = original.records[i];
      record.alpha = i >= 40 && i < 50 ? 2.0 : 0.5;
      if (i == 20) {  // the budget halves
        const Json before = Json::array({{{"name", "dram"}, {"budget_bytes", 10000}}});
        const Json after = Json::array({{{"name", "dram"}, {"budget_bytes", 5000}}});
        journal.add(events::SettingChanged{"tiers", before, after});
        journal.add(events::TierOccupancy{"dram", 4000, 5000, {}});
      }
      if (i == 40) journal.add(events::SettingChanged{"alpha", 0.5, 2.0});
      if (i == 50) journal.add(events::SettingChanged{"alpha", 2.0, 0.5});
      journal.add(events::RequestStarted{record.id, record.context_id, record.family, record.question}, 1'000'000);
      journal.add(events::RequestFinished{record}, 9'000'000);
    }
    const auto runs = policy_runs_of({{"id", 1, 2, "lru", "finished", 0, settings_of("lru", 7)}, journal.events});
    QCOMPARE(runs.size(), std::size_t{3});
    QCOMPARE(runs[0].policy, std::string("lru, alpha 0.5, dram 9.8 KiB"));
    QCOMPARE(runs[1].policy, std::string("lru, alpha 0.5, dram 4.9 KiB"));
    QCOMPARE(runs[2].policy, std::string("lru, alpha 2.0, dram 4.9 KiB"));
    QCOMPARE(runs[0].records.size(), std::size_t{10});  // 20, of which 10 were warm-up
    QCOMPARE(runs[0].tiers[0].budget_bytes, std::uint64_t{10000});
    QCOMPARE(runs[0].tiers[0].peak_bytes, std::uint64_t{8000});
    QCOMPARE(runs[1].records.size(), std::size_t{30});  // before and after the change of alpha
    QCOMPARE(runs[1].alpha, 0.5);
    QCOMPARE(runs[1].tiers[0].budget_bytes, std::uint64_t{5000});
    QCOMPARE(runs[1].tiers[0].peak_bytes, std::uint64_t{4000});
    QCOMPARE(runs[2].records.size(), std::size_t{10});
    QCOMPARE(runs[2].alpha, 2.0);
    // Ten milliseconds per request, and of the first of a stretch only its own nine.
    QVERIFY(std::abs(runs[1].wall_seconds - (20 * 10e-3 - 1e-3 + 10 * 10e-3 - 1e-3)) < 1e-9);
    QVERIFY(std::abs(runs[2].wall_seconds - (10 * 10e-3 - 1e-3)) < 1e-9);
  }

  // A slider leaves digits that say nothing; the row keeps its value.
  void namesHaveThreeDigitsOfAlphaUnlessMoreTellThemApart() {
    PolicyRun original = sample_run(7, "evicpress", 60);
    Journal journal;
    const double alphas[] = {0.0044800000000000005, 44.800000000000004, 3.0, 1.2341, 1.2342};
    for (std::size_t i = 0; i < 60; ++i) {
      RequestRecord& record = original.records[i];
      record.alpha = alphas[i / 12];
      journal.add(events::RequestStarted{record.id, record.context_id, record.family, record.question}, 1'000'000);
      journal.add(events::RequestFinished{record}, 9'000'000);
    }
    const auto runs =
        policy_runs_of({{"id", 1, 2, "evicpress", "finished", 0, settings_of("evicpress", 7)}, journal.events});
    std::vector<std::string> names;
    for (const PolicyRun& run : runs) names.push_back(run.policy);
    QCOMPARE(names,
             (std::vector<std::string>{"evicpress, alpha 0.00448", "evicpress, alpha 44.8", "evicpress, alpha 3.0",
                                       "evicpress, alpha 1.2341", "evicpress, alpha 1.2342"}));
    QCOMPARE(runs[0].alpha, 0.0044800000000000005);
  }

  // Settings are part of a file that others wrote.
  void aWarmupBeyondCountingSkipsAll() {
    for (const double warmup : {1e15, 1e300}) {
      RecordedRun run = recorded("lru", 7);
      run.summary.settings["warmup"] = warmup;
      const auto runs = policy_runs_of(run);
      QVERIFY(std::ranges::all_of(runs, [](const PolicyRun& of) { return of.records.empty(); }));
    }
    for (const Json& warmup : {Json(-1e300), Json("10"), Json()}) {
      RecordedRun run = recorded("lru", 7);
      run.summary.settings["warmup"] = warmup;
      QCOMPARE(policy_runs_of(run).at(0).records.size(), std::size_t{60});
    }
  }

  // Two contexts that are alike and room for both: nothing stored leaves all of the gain, one stored leaves half.
  void theGapToTheBoundIsOfWhatIsStoredAtTheEnd() {
    Snapshot snapshot;
    snapshot.tiers = {{"dram", 2000, {0.001, 1e9, 0, 0}, false}};
    snapshot.prefill = {1, 0, 0};
    for (std::uint64_t i = 1; i <= 2; ++i) {
      ContextState context{{.key = {0, i}, .id = "c", .family = "f", .tokens = 10, .full_bytes = 1000},
                           {.placement = {}, .stored_bytes = 0, .pinned = false, .archived = true},
                           {.frequency = 1, .last_access = 0},
                           nullptr};
      context.profile =
          std::make_shared<const ContextProfile>(ContextProfile{.points = {{"none", 0, 1, 1, 1, 4, 1000, 10}}});
      snapshot.contexts.push_back(context);
    }
    const auto gap = [&](const std::string& policy, std::uint64_t stored) {
      Journal journal;
      journal.add(events::SnapshotTaken(recorded_snapshot(snapshot, "start")));
      for (std::uint64_t i = 1; i <= stored; ++i) {
        PlacementAction action;
        action.context = {0, i};
        action.to = {0, "none", 0};
        action.bytes_after = 1000;
        journal.add(events::PlacementCommitted{action, "c"});
      }
      const RunReport report =
          report_of_runs({{{"id", 1, 2, policy, "finished", 0, settings_of(policy, 7)}, journal.events}});
      const PolicyRow& row = report.rows.front();
      if (row.lp_gap) {
        const Json json = to_report_json(report)["rows"][0]["lp_gap"];
        if (json["value"].get<double>() != *row.lp_gap || json["provenance"] != "predicted") return -1.0;
        if (to_csv(report).find(",lp_gap,,") == std::string::npos ||
            to_text(report).find("lp gap") == std::string::npos)
          return -2.0;
      }
      return row.lp_gap.value_or(-3);
    };
    QVERIFY(std::abs(gap("evicpress", 0) - 1) < 1e-6);
    QVERIFY(std::abs(gap("evicpress", 1) - 0.5) < 1e-6);
    QVERIFY(std::abs(gap("evicpress", 2)) < 1e-6);
    QCOMPARE(gap("lru", 1), -3.0);  // does not plan
  }

  void theJournalGivesThePolicyRunBack() {
    const PolicyRun original = sample_run(7, "lru", 60);
    const auto runs = policy_runs_of(recorded("lru", 7));
    QCOMPARE(runs.size(), std::size_t{1});
    const PolicyRun& run = runs[0];
    QCOMPARE(run.policy, std::string("lru"));
    QCOMPARE(run.alpha, 0.5);
    QCOMPARE(run.warmup_requests, std::size_t{10});
    QCOMPARE(run.records.size(), std::size_t{50});
    QVERIFY(run.records[0].id == original.records[10].id);
    QCOMPARE(run.kv_bytes_per_token, 2048.0);
    // 50 requests of 9 ms from start to finish, 2 ms from one's finish to the next one's start.
    QVERIFY(std::abs(run.wall_seconds - (50 * 9e-3 + 49 * 2e-3)) < 1e-9);
    QCOMPARE(run.tiers.size(), std::size_t{2});
    QCOMPARE(run.tiers[0].used_bytes, std::uint64_t{1000 + 59 % 7 * 1000});
    QCOMPARE(run.tiers[0].peak_bytes, std::uint64_t{7000});
    QCOMPARE(run.tiers[0].budget_bytes, std::uint64_t{4194304});
    QVERIFY(!run.tiers[0].throttled && run.tiers[1].throttled);
  }

  // Metrics of a tier that was made to fail are in a row of their own, which says so.
  // What the tiers counted is in the row of their run, by reason; of a run whose settings moved nobody knows whose
  // they are.
  void countsOfTheTiersStandInTheReport() {
    const RunReport report = report_of_runs({recorded("lru", 7)});
    const Json tiers = to_report_json(report)["rows"][0]["tiers"];
    QCOMPARE(tiers.size(), std::size_t{2});
    QVERIFY(tiers[0]["counts"].is_null());
    const Json& counts = tiers[1]["counts"];
    QVERIFY(counts["note"] == Json("O_DIRECT"));
    QVERIFY(counts["tier_reads"] == Json(9));
    QVERIFY((counts["tier_misses"] == Json{{"checksum", 2}}));
    QVERIFY((counts["tier_failed_writes"] == Json{{"no_space", 1}}));
    QVERIFY((counts["faults_struck"] == Json{{"flip_on_read", 3}}));
    QVERIFY(counts["fit_error_p95"] == Json(0.25));
    QVERIFY(to_text(report).find("checksum 2") != std::string::npos);

    RecordedRun moved = recorded("lru", 7);
    for (Event& event : moved.events)
      if (auto* finished = std::get_if<events::RequestFinished>(&event.payload);
          finished && finished->record.id % 2 == 0)
        finished->record.alpha = 3;
    const RunReport two = report_of_runs({moved});
    QVERIFY(two.rows.size() > 1);
    QVERIFY(two.rows[0].requests < report.rows[0].requests);
    QCOMPARE(answered_requests(moved), report.rows[0].requests);  // under whatever settings
    QVERIFY(to_text(two).find("checksum 2") == std::string::npos);
  }

  // Ten of the sixty requests were warm-up, whatever came of them.
  void answeredRequestsAreThoseAfterTheWarmup() {
    RecordedRun run = recorded("lru", 7);
    std::vector<RequestRecord*> records;
    for (Event& event : run.events)
      if (auto* finished = std::get_if<events::RequestFinished>(&event.payload)) records.push_back(&finished->record);
    QCOMPARE(records.size(), std::size_t{60});
    for (RequestRecord* record : records) record->cancelled = false;
    QCOMPARE(answered_requests(run), std::size_t{50});
    for (const std::size_t canceled : {0, 9, 10, 59}) records[canceled]->cancelled = true;
    QCOMPARE(answered_requests(run), std::size_t{48});
    run.summary.settings["warmup"] = 100;
    QCOMPARE(answered_requests(run), std::size_t{0});
    run.summary.settings.erase("warmup");
    QCOMPARE(answered_requests(run), std::size_t{56});
  }

  void faultsThatWereInjectedAreSaid() {
    PolicyRun original = sample_run(7, "lru", 60);
    Journal journal;
    journal.add(events::TierOccupancy{"ssd", 8000, 10000, {}});
    for (std::size_t i = 0; i < 60; ++i) {
      if (i == 30)
        journal.add(events::SettingChanged{
            "tiers",
            {},
            Json::array({{{"name", "ssd"}, {"budget_bytes", 10000}, {"faults", "torn_write:0.25+seed:3"}}})});
      const RequestRecord& record = original.records[i];
      journal.add(events::RequestStarted{record.id, record.context_id, record.family, record.question}, 1'000'000);
      journal.add(events::RequestFinished{record}, 9'000'000);
    }
    const RecordedRun run{{"id", 1, 2, "lru", "finished", 0, settings_of("lru", 7)}, journal.events};
    const auto runs = policy_runs_of(run);
    QCOMPARE(runs.size(), std::size_t{2});
    QCOMPARE(runs[0].policy, std::string("lru, no faults"));
    QCOMPARE(runs[1].policy, std::string("lru, ssd torn_write:0.25+seed:3"));
    const RunReport report = report_of_runs({run});
    QVERIFY(report.rows[0].faults.empty());
    QCOMPARE(report.rows[1].faults.at("ssd"), std::string("torn_write:0.25+seed:3"));
    for (const std::string& page : {to_text(report), to_html(report)})
      QVERIFY(page.find("Faults injected") != std::string::npos);
    QCOMPARE(to_report_json(report).at("rows").at(1).at("faults_injected").at("ssd").get<std::string>(),
             std::string("torn_write:0.25+seed:3"));
    QVERIFY(to_text(report_of_runs({recorded("lru", 7)})).find("Faults injected") == std::string::npos);
  }

  void theReportFromTheDatabaseIsTheReportOfTheRun() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("runs.sqlite").toStdString();
    const std::vector<RecordedRun> live{recorded("lru", 7), recorded("evicpress", 8)};
    {
      auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
      for (const RecordedRun& run : live) {
        QVERIFY((*stores)->runs().begin_run(run.summary.run_id, run.summary.settings));
        for (const Event& event : run.events) (*stores)->runs().append(event);
        QVERIFY((*stores)->runs().finish_run(run.summary.run_id, "finished"));
      }
    }
    auto stores = open_stores(path, StoreAccess::read_only, machine_clock());
    const auto all = (*stores)->runs().runs();
    QCOMPARE(all->at(1).policy, std::string("evicpress"));  // found within "settings"
    const auto selected = select_runs(*all, "");
    QVERIFY(selected);
    QCOMPARE(selected->size(), std::size_t{2});  // the newest run's group
    std::vector<RecordedRun> read;
    for (const RunSummary& summary : *selected)
      read.push_back({summary, *(*stores)->runs().events(summary.run_id, report_event_types())});
    QVERIFY(read[0].events.size() < live[0].events.size());  // tokens stayed on disk
    QVERIFY(to_html(report_of_runs(read)) == to_html(report_of_runs(live)));
    QVERIFY(to_text(report_of_runs(read)) == to_text(report_of_runs(live)));
    QVERIFY(to_report_json(report_of_runs(read)) == to_report_json(report_of_runs(live)));
  }

  void whatDiffersBetweenRunsIsListed() {
    const RunReport report = report_of_runs({recorded("lru", 7), recorded("evicpress", 8)});
    QVERIFY(report.settings.at("policy") == Json::array({"lru", "evicpress"}));
    QVERIFY(report.settings.at("alpha") == 0.5);
    QVERIFY(report.environment.at("seed") == Json::array({7, 8}));
    QVERIFY(report.environment.at("command") == "kvantage-cli run quickstart");
    QVERIFY(!report.settings.contains("environment"));
    QCOMPARE(report.rows.size(), std::size_t{2});
  }

  void aPolicyChangedInMidRunGetsItsOwnRow() {
    PolicyRun first = sample_run(7, "lru", 30), second = sample_run(8, "evicpress", 20);
    Journal journal = journal_of(first);
    Journal rest = journal_of(second);
    for (Event& event : rest.events) {
      event.monotonic_ns += 1'000'000'000;
      journal.events.push_back(event);
    }
    const auto runs = policy_runs_of({{"id", 1, 0, "lru", "", 0, Json::object()}, journal.events});
    QCOMPARE(runs.size(), std::size_t{2});
    QCOMPARE(runs[0].records.size(), std::size_t{30});
    QCOMPARE(runs[1].records.size(), std::size_t{20});
    QCOMPARE(runs[1].policy, std::string("evicpress"));
  }

  void aRunWithoutAnswersOrSettingsStillHasARow() {
    const auto runs = policy_runs_of({{"id", 1, 0, "lru", "", 0, Json()}, {}});
    QCOMPARE(runs.size(), std::size_t{1});
    QVERIFY(!to_text(report_of_runs({{{"id", 1, 0, "lru", "", 0, Json(3)}, {}}})).empty());
  }

  void runsAreFoundByIdOrGroup() {
    const std::vector<RunSummary> all{
        recorded("a", 1).summary, recorded("b", 1).summary, {"alone", 3, 4, "c", "", 0, Json::object()}};
    QCOMPARE(select_runs(all, "a id")->size(), std::size_t{1});
    QCOMPARE(select_runs(all, "run-1")->size(), std::size_t{2});
    QCOMPARE(select_runs(all, "")->at(0).run_id, std::string("alone"));
    const auto missing = select_runs(all, "nowhere");
    QVERIFY(!missing && missing.error().message.find("b id") != std::string::npos);
    QCOMPARE(missing.error().code, ErrorCode::rejected_input);
    QVERIFY(!select_runs({}, ""));
  }
};

KV_TEST_GUILESS_MAIN(RecordedRunTest)

}  // namespace recorded_run_test

#include "recorded_run_test.moc"
