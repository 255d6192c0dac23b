// links: kv_runtime kv_tiers
// Sessions on virtual time in which the processor computes with batch-invariant products, so that requests prefill
// together: whatever such a session is asked to do, each request is answered as where requests are served one by one.
#include <QtTest>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/base/random.h"
#include "tests/support/drawn_sessions.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"

namespace shared_prefills_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Answers = std::map<std::pair<std::string, std::string>, std::string>;  // by context and question

VirtualSessionOptions drawn_session(std::uint64_t seed) {
  Random random(derive_seed(seed, 1));
  VirtualSessionOptions options;
  options.hashed = false;
  options.model = model_directory();
  options.locks = folders().locks;
  options.look_seconds = 1e-4;
  options.seed = seed;
  options.workload = small_workload(2 + static_cast<int>(random.below(4)), 6 + static_cast<int>(random.below(20)),
                                    derive_seed(seed, 2));
  SessionSettings& settings = options.settings;
  settings.products = std::string(batch_invariant_products);
  settings.policy = one_of<std::string>(random, {"lru", "lfu", "fixed(knorm,0.5)", "full_prefill"});
  settings.methods = {"knorm"};
  settings.removed_fractions = {0.5};
  settings.request_limit = 12 + random.below(20);
  settings.max_batch = 2 + static_cast<int>(random.below(15));
  settings.prefill_batch_tokens = one_of<int>(random, {0, 32, 128, 512, 512, 512, 4096});
  settings.requests_per_second = one_of<double>(random, {0, 0, 5, 1000});
  settings.compute_or_load = one_of<std::string>(random, {"off", "off", "auto"});
  settings.speculation = one_of<std::string>(random, {"off", "lookup"});
  settings.reprofile = false;
  TierConfig tier{.name = random.below(2) == 0 ? "dram" : "ssd", .budget = (64 + random.below(4000)) << 10};
  tier.throttle = {.bytes_per_second = 2e6 * std::pow(10, 2 * random.uniform()), .latency_seconds = 0.003};
  settings.tiers.push_back(std::move(tier));
  return options;
}

/// Starts the run; pauses, stops and changes it at drawn times; then lets it end.
void drive(VirtualSession& session, std::uint64_t seed) {
  Random random(derive_seed(seed, 3));
  Engine& engine = session.engine();
  engine.start();
  for (std::uint64_t deeds = random.below(4); deeds > 0; --deeds) {
    session.executor().pass(random.uniform() * 0.2);
    SessionSettings settings = engine.settings();
    switch (random.below(4)) {
      case 0:
        engine.pause();
        break;
      case 1:
        engine.stop();
        break;
      case 2:
        settings.prefill_batch_tokens = one_of<int>(random, {0, 64, 512});
        (void)engine.apply(settings);
        break;
      default:
        settings.max_batch = 1 + static_cast<int>(random.below(16));
        (void)engine.apply(settings);
    }
  }
  engine.start();
  for (int starts = 0; session.wait() == RunState::paused && starts < 5; ++starts) engine.start();
}

struct Ran {
  Answers answers;  // of uncompressed contexts
  std::string log, wrong;
  int shared_contexts = 0, shared_questions = 0, cancelled = 0;
};

/// one_by_one: nothing else happens to that session.
Ran run(std::uint64_t seed, bool one_by_one) {
  VirtualSessionOptions options = drawn_session(seed);
  if (one_by_one) {
    options.settings.max_batch = 1;
    options.settings.requests_per_second = 0;
  }
  VirtualSession session(std::move(options));
  if (one_by_one) {
    session.engine().start();
    (void)session.wait();
  } else {
    drive(session, seed);
  }
  Ran ran;
  session.close();
  ran.log = session.log();
  std::map<std::uint64_t, int> open;
  for (const auto& started : session.all<events::RequestStarted>()) ++open[started.id];
  for (const auto& finished : session.all<events::RequestFinished>()) {
    const RequestRecord& record = finished.record;
    --open[record.id];
    ran.cancelled += record.cancelled ? 1 : 0;
    if (const auto& shared = record.timing.shared_prefill) {
      ran.shared_contexts += shared->context.steps;
      ran.shared_questions += shared->question.steps;
    }
    if (record.cancelled || record.removed_fraction > 0) continue;
    const auto [same, first] = ran.answers.emplace(std::pair(record.context_id, record.question), record.answer);
    if (!first && same->second != record.answer) ran.wrong = "two answers to '" + record.question + "'";
  }
  for (const auto& [id, count] : open)
    if (count != 0) ran.wrong = "request " + std::to_string(id) + " did not end once";
  return ran;
}

}  // namespace

class SharedPrefillsTest : public QObject {
  Q_OBJECT
  std::map<std::uint64_t, std::string> logs_;  // of together, by seed

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // KVANTAGE_SEED=N: that session alone.
  void answersAreThoseOfOneByOne() {
    bool given = false;
    const int seed_given = qEnvironmentVariableIntValue("KVANTAGE_SEED", &given);
    const std::uint64_t first = given ? static_cast<std::uint64_t>(seed_given) : 1, count = given ? 1 : 40;
    std::size_t compared = 0;
    Ran all;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const Ran together = run(seed, false), alone = run(seed, true);
      logs_[seed] = together.log;
      const std::string title = "seed " + std::to_string(seed) + ": ";
      QVERIFY2(together.wrong.empty(), (title + together.wrong).c_str());
      QVERIFY2(alone.wrong.empty(), (title + alone.wrong).c_str());
      QCOMPARE(alone.shared_contexts + alone.shared_questions, 0);
      for (const auto& [asked, answer] : together.answers) {
        const auto expected = alone.answers.find(asked);
        if (expected == alone.answers.end()) continue;
        ++compared;
        QVERIFY2(answer == expected->second,
                 (title + asked.second + " " + answer + ", alone " + expected->second).c_str());
      }
      all.shared_contexts += together.shared_contexts;
      all.shared_questions += together.shared_questions;
      all.cancelled += together.cancelled;
    }
    if (given) return;
    // They meet what they are there for.
    QVERIFY(compared > 80);
    QVERIFY2(all.shared_contexts > 0 && all.shared_questions > 100,
             qPrintable(QString("%1 and %2 shared steps").arg(all.shared_contexts).arg(all.shared_questions)));
    QVERIFY(all.cancelled > 0);
  }

  void theSameSeedGivesTheSameEvents() {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      if (!logs_.contains(seed)) logs_[seed] = run(seed, false).log;
      QVERIFY(run(seed, false).log == logs_[seed]);
    }
  }
};

KV_TEST_GUILESS_MAIN(SharedPrefillsTest)

}  // namespace shared_prefills_test

#include "shared_prefills_test.moc"
