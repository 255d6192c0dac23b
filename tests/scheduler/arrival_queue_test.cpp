// links: core_scheduler tiers
// The part of the engine that says which request comes next and when, without the others. Time is what the test says.
#include "core/scheduler/arrival_queue.h"

#include <QtTest>

#include "core/workload/arrivals.h"
#include "tests/support/engine_parts.h"
#include "tests/support/test_program.h"

namespace arrival_queue_test {

using namespace kvantage;
using namespace kvantage::test;

struct HandClock final : Clock {
  std::int64_t monotonic_ns() const override { return now_ns; }
  std::int64_t utc_ns() const override { return now_ns; }
  void pass(double seconds) { now_ns += static_cast<std::int64_t>(seconds * 1e9); }
  std::int64_t now_ns = 5'000'000'000;
};

struct Queue {
  explicit Queue(ArrivalQueue::Options options, Workload of = small_workload(3, 16, 3))
      : workload(std::move(of)),
        runtime(ModelRuntime::load(model_directory()).value()),
        catalog(Catalog::build(workload, *runtime).value()),
        arrivals(workload, *catalog, clock, options) {}
  /// Whether the next one asks what the workload's sequence says.
  bool is_next(const WorkloadRequest& request) const {
    const Arrival next = arrivals.front();
    return catalog->state(next.context).id == workload.contexts[request.context].id &&
           catalog->details(next.context).questions[next.question].text ==
               workload.questions[request.question].question;
  }
  HandClock clock;
  Workload workload;
  std::unique_ptr<ModelRuntime> runtime;
  std::unique_ptr<Catalog> catalog;
  ArrivalQueue arrivals;
};

class ArrivalQueueTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void withoutARateTheyComeOneAfterTheOther() {
    Queue queue({.seed = 4});
    ArrivalQueue& arrivals = queue.arrivals;
    QVERIFY(arrivals.exhausted());  // no run has begun
    arrivals.begin(5, 0);
    arrivals.start_clock();
    const auto sequence = queue.workload.requests(5, 4);
    for (const WorkloadRequest& request : sequence) {
      QVERIFY(!arrivals.exhausted() && arrivals.is_due());
      QVERIFY(queue.is_next(request));
      QCOMPARE(arrivals.next_context(), arrivals.front().context);
      QCOMPARE(arrivals.front().arrival_ns, std::int64_t{0});  // when it begins
      QCOMPARE(arrivals.front().id, std::uint64_t{0});
      arrivals.pop();
    }
    QCOMPARE(arrivals.taken(), std::size_t{5});
    QVERIFY(arrivals.exhausted() && arrivals.is_due());  // the end is due
    QVERIFY(!arrivals.restart(5));
    QVERIFY(arrivals.exhausted());
  }

  void atARateTheyComeAtTheirTimes() {
    Queue queue({.seed = 4});
    ArrivalQueue& arrivals = queue.arrivals;
    arrivals.begin(3, 0.5);
    queue.clock.pass(100);  // between the making of the sequence and the start of its time
    arrivals.start_clock();
    const std::int64_t start_ns = queue.clock.now_ns;
    auto sequence = queue.workload.requests(3, 4);
    space_requests(sequence, 0.5, 4);
    QVERIFY(sequence[0].arrival_seconds > 0 && sequence[1].arrival_seconds > sequence[0].arrival_seconds);
    QVERIFY(!arrivals.is_due());
    QVERIFY(std::abs(arrivals.seconds_until_next() - sequence[0].arrival_seconds) < 1e-6);
    queue.clock.pass(sequence[0].arrival_seconds + 0.001);
    QVERIFY(arrivals.is_due());
    QVERIFY(arrivals.seconds_until_next() < 0);
    QCOMPARE(arrivals.front().arrival_ns, start_ns + static_cast<std::int64_t>(sequence[0].arrival_seconds * 1e9));
    arrivals.pop();
    QVERIFY(!arrivals.is_due());
    QCOMPARE(arrivals.rate(), 0.5);
  }

  // One request for each context that has one held out, outside of time; the sequence begins when it is said to be
  // over.
  void aWarmUpAsksEachContextOnceAndKeepsNoTime() {
    Workload workload = small_workload(3, 16, 3);
    for (WorkloadQuestion& question : workload.questions)
      if (question.context == 1) question.split = QuestionSplit::profile;
    Queue queue({.seed = 4, .warmup = 9}, workload);
    ArrivalQueue& arrivals = queue.arrivals;
    arrivals.begin(4, 2);
    arrivals.start_clock();
    QCOMPARE(arrivals.warmup_requests(), std::size_t{2});
    for (const std::size_t context : {0, 2}) {
      QVERIFY(arrivals.warming_up() && !arrivals.warmup_was_asked() && arrivals.is_due());
      QCOMPARE(arrivals.rate(), 0.0);
      QCOMPARE(queue.catalog->state(arrivals.front().context).id, workload.contexts[context].id);
      QVERIFY(queue.catalog->details(arrivals.front().context).questions[arrivals.front().question].held_out);
      QCOMPARE(arrivals.front().arrival_ns, std::int64_t{0});
      arrivals.pop();
    }
    QVERIFY(arrivals.warmup_was_asked() && !arrivals.is_due());
    arrivals.put_back({.context = 0, .question = 0, .id = 2});
    QVERIFY(!arrivals.warmup_was_asked());  // one has to begin again
    arrivals.pop();
    queue.clock.pass(1000);
    QVERIFY(!arrivals.is_due());
    arrivals.end_warmup();
    QVERIFY(!arrivals.warming_up() && !arrivals.warmup_was_asked());
    QCOMPARE(arrivals.rate(), 2.0);
    auto sequence = queue.workload.requests(4, 4);
    space_requests(sequence, 2, 4);
    QVERIFY(std::abs(arrivals.seconds_until_next() - sequence[0].arrival_seconds) < 1e-6);  // not 1000 s late
    QVERIFY(queue.is_next(sequence[0]));
  }

  void aWarmUpIsNoLongerThanItIsSaidToBe() {
    Queue queue({.seed = 4, .warmup = 1});
    queue.arrivals.begin(4, 0);
    QCOMPARE(queue.arrivals.warmup_requests(), std::size_t{1});
    Queue none({.seed = 4, .warmup = 0});
    none.arrivals.begin(4, 0);
    QVERIFY(!none.arrivals.warming_up() && none.arrivals.warmup_requests() == 0);
  }

  void anotherRateHoldsForThoseStillToComeFromNowOn() {
    Queue queue({.seed = 4});
    ArrivalQueue& arrivals = queue.arrivals;
    arrivals.change_rate(3);  // before the first run: it is kept, and there is nothing to space
    QCOMPARE(arrivals.rate(), 3.0);
    QVERIFY(arrivals.exhausted());
    arrivals.begin(6, 1);
    arrivals.start_clock();
    queue.clock.pass(50);
    arrivals.pop();
    arrivals.pop();
    arrivals.change_rate(0.25);
    auto rest = queue.workload.requests(6, 4);
    space_requests(std::span(rest).subspan(2), 0.25, 4);
    QVERIFY(std::abs(arrivals.seconds_until_next() - rest[2].arrival_seconds) < 1e-6);
    QVERIFY(queue.is_next(rest[2]));
    arrivals.change_rate(0);
    QVERIFY(arrivals.is_due());
  }

  void anotherRateLeavesTheWarmUpAlone() {
    Queue queue({.seed = 4, .warmup = 3});
    ArrivalQueue& arrivals = queue.arrivals;
    arrivals.begin(4, 1);
    arrivals.pop();
    arrivals.change_rate(0.5);
    QVERIFY(arrivals.is_due());
    QCOMPARE(arrivals.rate(), 0.0);
    QCOMPARE(arrivals.seconds_until_next(), 0.0);  // those of the warm-up have no time
    arrivals.pop();
    arrivals.pop();
    arrivals.end_warmup();
    auto sequence = queue.workload.requests(4, 4);
    space_requests(sequence, 0.5, 4);
    QVERIFY(std::abs(arrivals.seconds_until_next() - sequence[0].arrival_seconds) < 1e-6);
  }

  void whoHasToBeginAgainComesFirst() {
    Queue queue({.seed = 4});
    ArrivalQueue& arrivals = queue.arrivals;
    arrivals.begin(2, 0);
    arrivals.pop();
    arrivals.put_back({.context = 1, .question = 0, .id = 8, .arrival_ns = 3, .shown_bytes = 5, .counted = true});
    arrivals.put_back({.context = 2, .question = 1, .id = 7});
    QVERIFY(arrivals.has_put_back());
    QCOMPARE(arrivals.front().id, std::uint64_t{7});  // the older one of two
    arrivals.pop();
    const Arrival again = arrivals.front();
    QVERIFY(again.id == 8 && again.arrival_ns == 3 && again.shown_bytes == 5 && again.counted);
    QCOMPARE(arrivals.taken(), std::size_t{1});
    arrivals.drop_put_back();
    QVERIFY(!arrivals.has_put_back());
    QCOMPARE(arrivals.front().id, std::uint64_t{0});
    arrivals.put_back({.id = 9});
    arrivals.begin(2, 0);
    QVERIFY(!arrivals.has_put_back());
    QCOMPARE(arrivals.taken(), std::size_t{0});
  }

  void anEndlessSequenceBeginsAgainWithOtherRequests() {
    Queue queue({.seed = 4, .warmup = 1, .endless = true});
    ArrivalQueue& arrivals = queue.arrivals;
    arrivals.begin(8, 2);
    while (!arrivals.exhausted()) arrivals.pop();
    arrivals.end_warmup();
    for (const std::uint64_t round : {1, 2}) {
      queue.clock.pass(100);
      QVERIFY(arrivals.restart(8));
      auto sequence = queue.workload.requests(8, 4 + round);
      space_requests(sequence, 2, 4 + round);
      QCOMPARE(arrivals.taken(), std::size_t{0});
      QVERIFY(std::abs(arrivals.seconds_until_next() - sequence[0].arrival_seconds) < 1e-6);
      for (const WorkloadRequest& request : sequence) {
        QVERIFY(queue.is_next(request));
        arrivals.pop();
      }
      QVERIFY(arrivals.exhausted());
    }
    arrivals.begin(8, 2);  // another run counts its rounds from the start
    while (!arrivals.exhausted()) arrivals.pop();
    QVERIFY(arrivals.restart(8));
    QVERIFY(queue.is_next(queue.workload.requests(8, 5)[0]));
  }
};

KV_TEST_GUILESS_MAIN(ArrivalQueueTest)

}  // namespace arrival_queue_test

#include "arrival_queue_test.moc"
