// links: core_scheduler tiers
// What profiling may do beside requests, without a profiler and a scheduler.
#include "core/scheduler/profiling_turns.h"

#include <QtTest>

#include "core/scheduler/arrival_queue.h"
#include "tests/scheduler/batch_parts.h"
#include "tests/support/test_program.h"

namespace profiling_turns_test {

using namespace kvantage;
using namespace kvantage::test;

struct Turns : BatchParts {
  using BatchParts::BatchParts;
  ArrivalQueue arrivals{workload, *parts.catalog, parts.serving_clock, {.seed = 4}};
  ProfilingTurns turns{batch, arrivals};
};

class ProfilingTurnsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void withoutRequestsThereIsTime() {
    Turns made;
    QVERIFY(!made.turns.any() && made.turns.leave_time());
    made.turns.profile_step_begins();  // nobody waits
    QVERIFY(!made.turns.any() && made.turns.leave_time());
    made.batch.add(made.request(1));
    QVERIFY(made.turns.any());
  }

  // Where requests wait for a place, the time is theirs.
  void aFullBatchLeavesNoTime() {
    Turns made;
    made.batch.set_limit(2);
    made.batch.add(made.request(1));
    QVERIFY(made.turns.leave_time());
    made.batch.add(made.request(2));
    QVERIFY(!made.turns.leave_time());
    (void)made.batch.take_out(0);
    QVERIFY(made.turns.leave_time());
  }

  void aRequestIsHeldUpOnce() {
    Turns made;
    made.batch.set_limit(4);
    made.batch.add(made.request(1));
    (void)made.add_decoding(2);
    made.turns.profile_step_begins();
    QVERIFY(made.at(0).held_up && made.at(1).held_up);  // one computes, one decodes
    QVERIFY(!made.turns.leave_time());
    (void)made.batch.take_out(1);
    QVERIFY(!made.turns.leave_time());
    (void)made.batch.take_out(0);
    QVERIFY(made.turns.leave_time());
    made.batch.add(made.request(3));
    QVERIFY(made.turns.leave_time());
  }

  // Who waits for bytes computes nothing meanwhile: whether it was held up is known when they come.
  void whoWaitsForBytesIsNotHeldUp() {
    Turns made;
    made.batch.set_limit(4);
    store_context(made.parts, 0, {.tier = 0});
    made.batch.add(made.request(1, 0, made.hit_of(0)));
    made.turns.profile_step_begins();
    QVERIFY(!made.at(0).held_up && made.at(0).waited_beside_profiling);
    QVERIFY(made.turns.leave_time());
    BatchParts::bring_to_tokens(made.at(0));
    made.turns.profile_step_begins();
    QVERIFY(made.at(0).held_up && !made.turns.leave_time());
  }

  void oneCouldBeginWhereOneIsDueAtARateAndThereIsAPlace() {
    Turns made;
    made.arrivals.begin(2, 0);
    QVERIFY(made.arrivals.is_due());
    QVERIFY(!made.turns.come_at_a_rate() && !made.turns.one_could_begin());  // it comes when the last is answered
    made.arrivals.begin(2, 1e-9);
    made.arrivals.start_clock();
    QVERIFY(made.turns.come_at_a_rate() && !made.turns.one_could_begin());  // it is not due
    made.arrivals.put_back({.context = 0, .question = 0, .id = 1});
    QVERIFY(made.turns.one_could_begin());  // but this one can begin again
    made.arrivals.drop_put_back();
    made.arrivals.change_rate(1e9);
    QVERIFY(made.turns.one_could_begin());
    made.batch.add(made.request(1));
    QVERIFY(!made.turns.one_could_begin());  // no free place
    made.batch.set_limit(2);
    QVERIFY(made.turns.one_could_begin());
  }

  // The warm-up keeps no time, whatever the rate of the sequence.
  void aWarmUpDoesNotComeAtARate() {
    Turns made;
    ArrivalQueue arrivals(made.workload, *made.parts.catalog, made.parts.serving_clock, {.seed = 4, .warmup = 2});
    const ProfilingTurns turns(made.batch, arrivals);
    arrivals.begin(2, 1e9);
    QVERIFY(!turns.come_at_a_rate() && !turns.one_could_begin());
    arrivals.end_warmup();
    QVERIFY(turns.come_at_a_rate());
  }

  void whoCameDuringTheLastStepWasHeldUpByIt() {
    Turns made;
    QVERIFY(!made.turns.held_up(0) && !made.turns.held_up(5));  // there was none
    made.turns.profile_step_ended(10, 20);
    QVERIFY(!made.turns.held_up(9) && made.turns.held_up(10) && made.turns.held_up(19) && !made.turns.held_up(20));
    made.turns.profile_step_ended(30, 40);
    QVERIFY(!made.turns.held_up(15) && made.turns.held_up(35));
  }
};

KV_TEST_GUILESS_MAIN(ProfilingTurnsTest)

}  // namespace profiling_turns_test

#include "profiling_turns_test.moc"
