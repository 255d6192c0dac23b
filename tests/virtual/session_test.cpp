// links: kv_runtime kv_tiers
// Whole sessions on virtual time: the same seed gives the same events byte for byte, and whatever a session is asked
// to do, and whatever faults its disk has, what it holds and what it counts agree.
#include <QtTest>

#include <map>
#include <set>
#include <string>

#include "core/base/files.h"
#include "tests/support/drawn_sessions.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"

namespace session_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Off in half of the sessions.
std::string drawn_eviction(Random& random) {
  if (random.below(2) == 0) return "none";
  return one_of<std::string>(random, {"streaming_llm", "h2o", "scissorhands", "tova", "r_kv", "triattention",
                                      "paged_eviction", "paged_eviction", "knorm", "keydiff"}) +
         one_of<std::string>(random, {"(budget=25%", "(budget=60%", "(budget=8", "(budget=100%", "(budget=100000"}) +
         one_of<std::string>(random, {"", ",compaction=none", ",compaction=hole_fill", ",compact_every=3"}) +
         one_of<std::string>(random, {")", ",table=layer)", ",table=head)"});
}

/// In a twenty-fifth of the sessions the processor computes, which alone may compute the front of a stored context
/// while its back is loaded; in a third the last tier is on a server.
void draw_more(VirtualSessionOptions& options, std::uint64_t seed) {
  Random random(derive_seed(seed, 4));
  SessionSettings& settings = options.settings;
  if (random.below(25) == 0) {
    options.hashed = false;
    options.model = model_directory();
    options.look_seconds = 1e-4;
    options.workload = small_workload(2, 6 + static_cast<int>(random.below(8)), derive_seed(seed, 2));
    settings.compute_or_load = "auto";
    Random drafts(derive_seed(seed, 6));
    settings.speculation = one_of<std::string>(drafts, {"off", "lookup", "auto"});
  }
  if (random.below(3) > 0) return;
  TierConfig remote{.name = "pool",
                    .budget = (256 + random.below(2000)) << 10,
                    .throttle = {.bytes_per_second = 5e6 * std::pow(10, 2 * random.uniform()), .latency_seconds = 1e-3},
                    .options = {{"url", "redis://memory:6379"}},
                    .kind = "remote"};
  settings.tiers.push_back(std::move(remote));
}

/// A session drawn from `seed`: texts, tiers and their rates, faults, policy, batch and arrivals.
VirtualSessionOptions drawn_session(std::uint64_t seed) {
  Random random(derive_seed(seed, 1));
  VirtualSessionOptions options;
  options.model = folders().model;
  options.locks = folders().locks;
  options.seed = seed;
  options.workload = small_workload(2 + static_cast<int>(random.below(5)), 4 + static_cast<int>(random.below(20)),
                                    derive_seed(seed, 2));
  options.warmup = random.below(3);
  SessionSettings& settings = options.settings;
  settings.policy = one_of<std::string>(random, {"lru", "lfu", "arc", "fixed(knorm,0.5)", "evicpress",
                                                 "evicpress(drop=best)", "adaptcache", "full_prefill"});
  settings.alpha = one_of<double>(random, {0, 0.05, 1});
  settings.methods = one_of<std::vector<std::string>>(random, {{"knorm"}, {"keydiff", "knorm"}, {"snapkv"}});
  settings.removed_fractions = {0.3, 0.6};
  settings.request_limit = 4 + random.below(20);
  settings.max_batch = 1 + static_cast<int>(random.below(4));
  settings.requests_per_second = one_of<double>(random, {0, 0, 5, 40});
  settings.decode_eviction = drawn_eviction(random);
  settings.compute_or_load = "off";  // never where a device computes
  const auto tier = [&](const char* name, std::uint64_t max_kib) {
    TierConfig setting{.name = name, .budget = (64 + random.below(max_kib)) << 10};
    setting.throttle.bytes_per_second = 2e6 * std::pow(10, 2 * random.uniform());
    setting.throttle.latency_seconds = 0.005 * random.uniform();
    return setting;
  };
  const std::uint64_t which = random.below(4);  // host memory alone, a store alone, or both
  if (which != 1) settings.tiers.push_back(tier("dram", 500));
  if (which != 0) settings.tiers.push_back(tier("ssd", 2000));
  if (which != 0 && random.below(3) > 0)
    settings.tiers.back().faults =
        one_of<std::string>(random, {"flip_on_read:0.4", "read_error:0.4", "short_read:0.4", "write_error:0.4",
                                     "no_space:0.4", "torn_write:0.4", "sync_error:0.4", "delay_on_read:20ms@0.3",
                                     "flip_on_write:0.4+read_error:0.2+delay_on_write:50ms@0.3"}) +
        "+seed:" + std::to_string(1 + random.below(1000));
  draw_more(options, seed);
  return options;
}

/// Another budget for one of the tiers, smaller or larger.
void change_budget(Engine& engine, Random& random) {
  SessionSettings settings = engine.settings();
  settings.tiers[random.below(settings.tiers.size())].budget = (16 + random.below(1000)) << 10;
  (void)engine.apply(settings);
}

/// Starts the run and, in a session of `seed`, pauses, stops, steps and changes it at drawn times; then lets it end.
void drive(VirtualSession& session, std::uint64_t seed) {
  Random random(derive_seed(seed, 3)), budgets(derive_seed(seed, 5));
  Engine& engine = session.engine();
  engine.start();
  for (std::uint64_t deeds = random.below(5); deeds > 0; --deeds) {
    session.executor().pass(random.uniform() * 0.4);
    SessionSettings settings = engine.settings();
    switch (random.below(8)) {
      case 0:
        engine.pause();
        break;
      case 1:
        engine.stop();
        break;
      case 2:
        engine.step();
        break;
      case 3:
        engine.profile_all();
        break;
      case 4:
        settings.alpha = random.uniform();
        (void)engine.apply(settings);
        break;
      case 5:
        settings.policy = one_of<std::string>(random, {"lru", "evicpress", "fixed(keydiff,0.3)"});
        (void)engine.apply(settings);
        break;
      case 6:
        settings.decode_eviction = drawn_eviction(random);
        (void)engine.apply(settings);
        break;
      default:
        settings.max_batch = 1 + static_cast<int>(random.below(4));
        (void)engine.apply(settings);
    }
    if (budgets.below(3) == 0) change_budget(engine, budgets);
  }
  engine.start();
  // A step that the engine saw only together with that start pauses again.
  for (int steps = 0; session.wait() == RunState::paused && steps < 5; ++steps) engine.start();
}

/// What does not hold of a session that has come to rest; empty when all does.
std::vector<std::string> broken_by(VirtualSession& session) {
  std::vector<std::string> broken = session.broken();
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds) broken.push_back(what);
  };
  const RunState state = session.engine().state();  // ready: contexts were profiled after the run
  expect(state == RunState::finished || state == RunState::ready,
         std::string("it ended as ") + to_string(state) + " " + session.engine().failure().message);
  const auto runs = session.all<events::RunFinished>();
  expect(!runs.empty() && runs.back().outcome == "finished", "its last run did not finish");
  session.executor().pass(5);  // what is being written arrives
  std::map<std::uint64_t, int> open;
  std::map<std::string, std::string> answers;
  for (const auto& started : session.all<events::RequestStarted>()) ++open[started.id];
  for (const auto& finished : session.all<events::RequestFinished>()) {
    const RequestRecord& record = finished.record;
    --open[record.id];
    expect(record.provenance == Provenance::simulated, "request " + std::to_string(record.id) + " passes for measured");
    if (record.cancelled || record.removed_fraction > 0) continue;
    if (!record.decoding.eviction.empty()) continue;  // its rows are in the cache: another sum of rows, another answer
    const auto [same, first] = answers.emplace(record.context_id + ": " + record.question, record.answer);
    expect(first || same->second == record.answer,
           "request " + std::to_string(record.id) + " of " + record.source + " answers otherwise than before");
  }
  for (const auto& [id, count] : open)
    expect(count == 0,
           "request " + std::to_string(id) + " began " + std::to_string(count) + " times more than it ended");

  expect(session.leased_bytes() == 0, std::to_string(session.leased_bytes()) + " bytes of buffers are still lent");
  const std::shared_ptr<const Snapshot> snapshot = session.engine().snapshot();
  for (std::size_t t = 0; t < session.tiers().size(); ++t) {
    const VirtualSession::Opened& opened = session.tiers()[t];
    std::uint64_t counted_bytes = 0, counted = 0;
    for (const ContextState& context : snapshot->contexts) {
      if (context.placement.tier != static_cast<int>(t)) continue;
      counted_bytes += context.stored_bytes;
      ++counted;
    }
    expect(counted == opened.tier->entries().size(), opened.name + " holds " +
                                                         std::to_string(opened.tier->entries().size()) +
                                                         " entries and " + std::to_string(counted) + " count");
    expect(counted_bytes == opened.tier->used_bytes(), opened.name + " holds other bytes than those that count");
    const LedgerStore::Ledger& ledger = *opened.ledger;
    expect(ledger.in_bytes == opened.tier->used_bytes() + ledger.freed_bytes,
           opened.name + ": " + std::to_string(ledger.in_bytes) + " bytes went in, " +
               std::to_string(opened.tier->used_bytes()) + " are held and " + std::to_string(ledger.freed_bytes) +
               " were given back");
  }
  return broken;
}

struct Ran {
  std::string log;
  std::vector<std::string> broken;
  std::size_t hits = 0, cancelled = 0, failed_reads = 0, compressed = 0, evicted = 0, remote = 0, split = 0, above = 0;
};

Ran run(std::uint64_t seed) {
  VirtualSession session(drawn_session(seed));
  drive(session, seed);
  Ran ran;
  ran.broken = broken_by(session);
  session.close();
  ran.log = session.log();
  for (const auto& finished : session.all<events::RequestFinished>()) {
    ran.hits += finished.record.bytes_loaded > 0 ? 1 : 0;
    ran.cancelled += finished.record.cancelled ? 1 : 0;
    ran.compressed += finished.record.removed_fraction > 0 ? 1 : 0;
    ran.evicted += finished.record.decoding.evicted_entries > 0 ? 1 : 0;
    ran.remote += finished.record.source == "pool" ? 1 : 0;
    ran.split += finished.record.compute_or_load.used() ? 1 : 0;
  }
  ran.above = session.above_budget();
  ran.failed_reads = session.all<events::ReadFailed>().size();
  return ran;
}

}  // namespace

class SessionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: its tokenizer is wanted");
  }

  void theSameSeedGivesTheSameEvents() {
    std::set<std::string> logs;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Ran ran = run(seed);
      const std::string& log = ran.log;
      QVERIFY2(ran.broken.empty(), ran.broken.empty() ? "" : ran.broken.front().c_str());
      QVERIFY(log.find("\"run.finished\"") != std::string::npos);
      QVERIFY2(log == run(seed).log, ("seed " + std::to_string(seed)).c_str());
      logs.insert(log);
    }
    QCOMPARE(logs.size(), std::size_t{20});
  }

  // KVANTAGE_LONG=1: 10,200 sessions instead of 300. KVANTAGE_SEED=N: that one, with its events on standard output.
  void whatIsHeldAndWhatIsCountedAgree_data() {
    QTest::addColumn<int>("first_seed");
    QTest::addColumn<int>("sessions");
    bool given = false;
    const int seed = qEnvironmentVariableIntValue("KVANTAGE_SEED", &given);
    const int blocks = given ? 0 : qEnvironmentVariableIntValue("KVANTAGE_LONG") > 0 ? 34 : 1;
    if (given) QTest::addRow("seed %d", seed) << seed << 1;
    // The tier drops an entry whose prefetch fails, and the request computes.
    if (!given) QTest::addRow("seed 2083") << 2083 << 1;
    for (int block = 0; block < blocks; ++block) QTest::addRow("%d", block) << 1'000 + block * 300 << 300;
  }
  void whatIsHeldAndWhatIsCountedAgree() {
    QFETCH(int, first_seed);
    QFETCH(int, sessions);
    std::string failures;
    Ran all;
    for (int s = 0; s < sessions; ++s) {
      const auto seed = static_cast<std::uint64_t>(first_seed + s);
      const Ran ran = run(seed);
      if (sessions == 1) std::fputs(ran.log.c_str(), stdout);
      for (const std::string& what : ran.broken) {
        failures = "seed " + std::to_string(seed) + ": " + what;
        std::fprintf(stderr, "%s\n", failures.c_str());
      }
      all.hits += ran.hits;
      all.cancelled += ran.cancelled;
      all.failed_reads += ran.failed_reads;
      all.compressed += ran.compressed;
      all.evicted += ran.evicted;
      all.remote += ran.remote;
      all.split += ran.split;
      all.above += ran.above;
    }
    QVERIFY2(failures.empty(), failures.c_str());
    if (sessions == 1) return;
    // They meet what they are there for.
    QVERIFY(all.hits > 300);
    QVERIFY(all.cancelled > 20);
    QVERIFY(all.failed_reads > 20);
    QVERIFY(all.compressed > 100);
    QVERIFY(all.evicted > 300);
    QVERIFY(all.remote > 0);
    QVERIFY(all.split > 0);
    QVERIFY(all.above > 0);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  return run_test<SessionTest, QCoreApplication>(argc, argv);
}

}  // namespace session_test

#include "session_test.moc"
