// links: kv_reports profiles
// Random damage to a run file, with number and digest made to fit again, so that what comes before them is read:
// either a run that is written as it was read, can be gone through and reported, or a refusal with file, reason and
// fix. KVANTAGE_FUZZ_EXECUTIONS and KVANTAGE_FUZZ_SEED as in trace_trace_fuzz_test.
#include <QtTest>

#include "core/ports/recorded_snapshot.h"
#include "core/report/recorded_run.h"
#include "core/report/replay_source.h"
#include "profiles/run_file.h"
#include "tests/policy/random_snapshots.h"
#include "tests/report/sample_runs.h"
#include "tests/support/fuzz_loop.h"
#include "tests/support/test_program.h"

namespace run_file_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// A short run with the events that a replay reads.
RunFile sample_file() {
  RunFile file;
  SessionSettings settings;
  settings.tiers = {{.name = "t0", .budget = 100'000}, {.name = "t1", .budget = 200'000}};
  file.summary = {"20261122T000000Z-abcd",
                  1'000'000'000,
                  9'000'000'000,
                  "lru",
                  "finished",
                  3,
                  Json{{"settings", to_json(settings)}, {"environment", {{"workload", "wörkload"}}}, {"warmup", 1}}};
  file.notes = {"with the slow disk", {"März", "slides"}};
  const auto add = [&](EventPayload payload) {
    const std::uint64_t sequence = file.events.size() + 1;
    file.events.push_back({sequence, static_cast<std::int64_t>(sequence) * 1000,
                           static_cast<std::int64_t>(sequence) * 10, std::move(payload)});
  };
  Random random(4);
  const Snapshot snapshot =
      testing::random_snapshot(random, {.contexts = 3, .tiers = 2, .methods = 1, .fractions = 1, .placed = true});
  const ContextState& context = snapshot.contexts[0];
  add(events::RunStarted{file.summary.run_id, file.summary.settings});
  add(recorded_snapshot(snapshot, "start"));
  add(recorded_costs(snapshot));
  add(events::TierOccupancy{"t0", 5, 100'000, {}});
  add(events::ContextProfiled{context.key, context.id, "f", *context.profile, 0.5, false, true});
  for (const RequestRecord& record : sample_run(3, "lru", 3).records) add(events::RequestFinished{record});
  add(events::DriftDetected{context.key, context.id, 0.4, 0.9, 5, 3});
  add(events::SettingChanged{"alpha", 0.5, 0.25});
  add(events::PlacementCommitted{});
  add(events::EngineCounted{});
  add(events::RunFinished{file.summary.run_id, "finished", 3});
  return file;
}

/// `body` (all but the last line) with a last line that fits.
std::string sealed(std::string body) {
  if (!body.ends_with('\n')) body += '\n';
  const auto events = std::ranges::count(body, '\n') - 1;
  const std::string digest = digest_of(body).hex();
  return body + Json{{"digest", digest}, {"events", events}}.dump() + "\n";
}

}  // namespace

class RunFileFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void damageIsReadOrRefused() {
    const std::string whole = run_to_text(sample_file());
    const std::string body = whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1);
    QCOMPARE(sealed(body), whole);
    static const std::vector<std::string> own{"\"tier\":",   "-1",
                                              "1e300",       "\"settings\":{}",
                                              "\"warmup\":", "\"type\":\"message\"",
                                              "\"events\":", "{\"digest\":\"\"}\n"};
    fuzz("run files", fuzz_executions(default_tries(10'000)),
         [&](Random& random, Outcomes& outcomes, const auto& told) {
           auto read = run_from_text(sealed(damaged(body, random, own)), "r.kvrun");
           if (!read) {
             ++outcomes.refused;
             QVERIFY2(is_whole_refusal(read.error(), "r.kvrun: "), told(read.error().message).c_str());
             return;
           }
           ++outcomes.read;
           const std::string text = run_to_text(*read);
           const auto again = run_from_text(text, "again");
           QVERIFY2(again, told(again ? "" : again.error().message).c_str());
           QVERIFY2(run_to_text(*again) == text, told("reads back otherwise").c_str());
           const RecordedRun recorded{read->summary, read->events};
           QVERIFY2(policy_runs_of(recorded).size() <= recorded.events.size() + 1,
                    told("more policies than events").c_str());
           const auto replay = ReplaySource::open(recorded);
           if (!replay) {
             QVERIFY2(replay.error().message.find("; ") != std::string::npos, told(replay.error().message).c_str());
             return;
           }
           QCOMPARE((*replay)->seek((*replay)->size()).events, recorded.events.size());
           QVERIFY2((*replay)->snapshot() != nullptr && (*replay)->seek(0).events == 0,
                    told("does not go back").c_str());
         });
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  RunFileFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace run_file_fuzz_test

#include "run_file_fuzz_test.moc"
