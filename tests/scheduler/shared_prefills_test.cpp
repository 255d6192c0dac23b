// links: core_scheduler tiers
// Requests that prefill together, under the scheduler: whatever joins, leaves or is preempted, each is answered as
// alone, and what an older request is about to have stored is not computed again.
#include <QtTest>

#include <map>
#include <string>
#include <utility>

#include "core/base/random.h"
#include "tests/scheduler/serving.h"
#include "tests/support/test_program.h"

namespace shared_prefills_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Answers = std::map<std::pair<std::string, std::string>, std::string>;  // by context and question

Answers answers_of(const Serving& serving) {
  Answers answers;
  for (const RequestRecord& record : serving.listener.answers)
    answers[{record.context_id, record.question}] = record.answer;
  return answers;
}

int shared_steps(const Serving& serving) {
  int steps = 0;
  for (const RequestRecord& record : serving.listener.answers)
    if (const auto& shared = record.timing.shared_prefill) steps += shared->context.steps + shared->question.steps;
  return steps;
}

/// Stores what was computed, as the engine does.
void store_what_is_computed(Serving& serving) {
  serving.listener.on_served = [&serving](ServedRequest& request) {
    EngineParts& parts = serving.parts;
    if (!request.task->computed_original()) return;
    const std::size_t context = request.arrival.context;
    if (parts.catalog->residency(context).placement.stored()) return;
    parts.store->originals().keep(context, request.task->share_context(), request.task->take_observations().queries,
                                  false);
    must(parts.store->commit({.context = parts.catalog->state(context).key,
                              .kind = ActionKind::store,
                              .from = {},
                              .to = {.tier = 0},
                              .reason = {}}));
    parts.store->finish_writes();
  };
}

/// Blocks are missing for a turn, now and then.
void serve_with_missing_blocks(Serving& serving, Random& random) {
  for (int turn = 0; serving.requests.any() || !serving.arrivals.exhausted() || serving.arrivals.has_put_back();
       ++turn) {
    if (turn > 100000) qFatal("requests do not end");
    serving.admit_all();
    const bool missing = !serving.requests.has_free_place() && random.below(20) == 0;
    if (missing) serving.hold_all_blocks();
    serving.requests.step(true);
    if (missing) serving.give_blocks_back();
  }
}

}  // namespace

class SharedPrefillsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void answersAreThoseOfOneAfterTheOther() {
    std::uint64_t requeued = 0;
    int shared = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      Random random(seed);
      const Workload workload =
          small_workload(3 + static_cast<int>(random.below(4)), 6 + static_cast<int>(random.below(28)), seed);
      Serving alone({.max_batch = 1, .prefill_batch_tokens = 1}, workload);
      alone.begin(24);
      alone.serve_all();
      const int max_batch = 3 + static_cast<int>(random.below(6));
      const int tokens = 32 << random.below(6);
      Serving together({.max_batch = max_batch, .prefill_batch_tokens = tokens}, workload);
      store_what_is_computed(together);
      together.begin(24);
      serve_with_missing_blocks(together, random);
      QCOMPARE(together.listener.answers.size(), std::size_t{24});
      QVERIFY(together.cancelled().empty());
      QVERIFY2(answers_of(together) == answers_of(alone), ("seed " + std::to_string(seed)).c_str());
      for (const RequestRecord& record : together.listener.answers) QCOMPARE(together.shown(record.id), record.answer);
      QCOMPARE(shared_steps(alone), 0);
      shared += shared_steps(together);
      requeued += together.counters.so_far().requeued;
    }
    QVERIFY(shared > 0);
    QVERIFY(requeued > 0);
  }

  // Two ask about one context that nobody has computed: the second one reads it.
  void aContextIsComputedOnce() {
    Serving serving({.max_batch = 3, .prefill_batch_tokens = 1024}, small_workload(1, 8, 3));
    store_what_is_computed(serving);
    serving.begin(3);
    serving.serve_all();
    QCOMPARE(serving.listener.answers.size(), std::size_t{3});
    int computed = 0;
    for (const RequestRecord& record : serving.listener.answers) {
      computed += record.source == "prefill" ? 1 : 0;
      QVERIFY(!record.timing.shared_prefill || record.timing.shared_prefill->context.steps == 0);
    }
    QCOMPARE(computed, 1);
  }

  void contextsAreComputedTogether() {
    Serving serving({.max_batch = 2, .prefill_batch_tokens = 1024}, two_contexts_in_turn(8));
    serving.begin(2);
    serving.serve_all();
    const int layers = serving.parts.runtime->model->kv_shape().layers;
    QCOMPARE(serving.listener.answers.size(), std::size_t{2});
    for (const RequestRecord& record : serving.listener.answers) {
      QVERIFY(record.timing.shared_prefill.has_value());
      QCOMPARE(record.timing.shared_prefill->context.steps, layers);
      QCOMPARE(record.timing.shared_prefill->question.steps, layers);
    }
    Serving off({.max_batch = 2}, two_contexts_in_turn(8));
    off.begin(2);
    off.serve_all();
    QCOMPARE(shared_steps(off), 0);
  }

  // All of them leave at once, in the middle of a chunk.
  void cancelledTogetherTheyLeaveNothing() {
    Serving serving({.max_batch = 2, .prefill_batch_tokens = 1024}, two_contexts_in_turn(8));
    serving.begin(2);
    serving.requests.step(true);
    serving.requests.cancel_all();
    QCOMPARE(serving.cancelled().size(), std::size_t{2});
    for (const RequestRecord& record : serving.cancelled()) QVERIFY(record.timing.shared_prefill.has_value());
    QCOMPARE(serving.parts.runtime->pool->live_blocks(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(SharedPrefillsTest)

}  // namespace shared_prefills_test

#include "shared_prefills_test.moc"
