// links: core_scheduler tiers
// The part of the engine in which requests come, run together and go, with what it is made of (the batch, the builder,
// the look ahead), a list of requests, and a listener that only writes down what it hears.
#include "core/scheduler/request_scheduler.h"

#include <QtTest>

#include "tests/scheduler/serving.h"
#include "tests/support/broken_device.h"
#include "tests/support/test_program.h"

namespace request_scheduler_test {

using namespace kvantage;
using namespace kvantage::test;

class RequestSchedulerTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // Alone, a context is known with the answer; beside others, from the first token on.
  void aRequestIsHeardOfInOrder() {
    Serving alone;
    alone.begin(1);
    alone.serve_all();
    QVERIFY((alone.listener.heard == Heard{"begins", "room", "answered 1", "served 1", "ended 1"}));
    Serving beside({.max_batch = 2});
    beside.begin(1);
    beside.serve_all();
    QVERIFY((beside.listener.heard == Heard{"begins", "served 1", "room", "answered 1", "ended 1"}));
  }

  void whatIsRecordedOfARequest() {
    Serving serving;
    serving.parts.catalog->snapshot().alpha = 3;
    serving.begin(1);
    const auto started = serving.parts.sink.all<events::RequestStarted>();
    QCOMPARE(started.size(), std::size_t{1});
    serving.serve_all();
    const RequestRecord& record = serving.listener.answers.at(0);
    const std::size_t context = serving.context_of(0);
    QCOMPARE(record.id, std::uint64_t{1});
    QCOMPARE(record.context_id, serving.parts.catalog->state(context).id);
    QVERIFY(started[0].context_id == record.context_id && started[0].question == record.question);
    QCOMPARE(record.policy, std::string("lru"));
    QCOMPARE(record.alpha, 3.0);
    QVERIFY(record.held_out && !record.gold.empty());
    QCOMPARE(record.source, std::string("prefill"));
    QCOMPARE(record.miss_reason, std::string(compulsory_miss));
    QCOMPARE(record.predicted_quality, -1.0);  // there is no curve
    QVERIFY(record.predicted_ttft_seconds >= 0);
    QCOMPARE(serving.shown(1), record.answer);
    QVERIFY(!record.answer.empty());
    QVERIFY(serving.counters.so_far().serving_seconds > 0);
    QVERIFY(serving.counters.so_far().longest_prefill_step_seconds > 0);
  }

  void whatACurvePromisesIsForetold() {
    Serving serving;
    const std::size_t context = serving.context_of(0);
    ContextProfile profile;
    profile.points.push_back({.method = "none", .quality = 0.75});
    serving.parts.catalog->state(context).profile = std::make_shared<const ContextProfile>(profile);
    serving.parts.catalog->state(context).last_access = 1;
    serving.begin(1);
    serving.serve_all();
    QCOMPARE(serving.listener.answers.at(0).predicted_quality, 0.75);
    QVERIFY(serving.listener.answers.at(0).miss_reason != compulsory_miss);
  }

  void noMoreRunTogetherThanTheBatchHolds() {
    Serving serving({.max_batch = 2});
    serving.begin(5);
    QVERIFY((serving.started() == std::vector<std::uint64_t>{1, 2}));
    QVERIFY(!serving.requests.has_free_place());
    QCOMPARE(serving.counters.so_far().max_running, 2);
    const RequestsNow now = serving.requests.requests_now();
    QVERIFY(now.any && !now.await_bytes && now.reserved_blocks > 0);
    serving.serve_all();
    QVERIFY((serving.started() == std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
    QCOMPARE(serving.counters.so_far().max_running, 2);
    QVERIFY(!serving.requests.any() && serving.requests.between_tokens());
    QCOMPARE(serving.parts.runtime->pool->live_blocks(), std::size_t{0});
    Serving frozen({.max_batch = 3, .frozen = true});
    frozen.begin(3);
    QCOMPARE(frozen.started().size(), std::size_t{1});
  }

  // The oldest computes; who is that far decodes with the others; who has both is not between two tokens.
  void theyRunTogether() {
    Serving serving({.max_batch = 2});
    serving.begin(2);
    QVERIFY(!serving.requests.between_tokens() && !serving.requests.awaits_bytes_alone());
    serving.serve_all();
    const auto& heard = serving.listener.heard;
    const auto place = [&](const std::string& what) { return std::ranges::find(heard, what) - heard.begin(); };
    QVERIFY(place("served 1") < place("served 2"));
    QVERIFY(place("served 2") < std::max(place("ended 1"), place("ended 2")));
  }

  void aRequestThatIsToBeAloneWaitsForTheOthers() {
    Serving serving({.max_batch = 3});
    serving.arrivals.begin(3, 0);
    QVERIFY(serving.requests.admit(true));
    QVERIFY(!serving.requests.admit(true));
    QVERIFY(serving.requests.admit(false));
  }

  // At a rate a request waits in the queue; the one after the other waits for room from when it could have begun.
  void arrivalsAreThoseOfTheQueueOrOfTheRoomThereIs() {
    Serving serving;
    serving.begin(2, 1000);
    serving.step_until([&] { return !serving.requests.any(); });
    QVERIFY(serving.requests.admit(false));
    serving.serve_all();
    QVERIFY(serving.listener.answers.at(1).timing.queue_seconds > 0.02);  // while the first one was served

    Serving probe({.max_batch = 2});
    probe.arrivals.begin(1, 0);
    const Arrival first = probe.arrivals.front();
    const auto& asked = probe.parts.catalog->details(first.context);
    const std::size_t prompt = asked.tokens.size() + asked.questions[first.question].tokens.size();
    const std::size_t blocks = probe.parts.runtime->blocks_for(prompt + 12);
    const auto& longest = probe.parts.catalog->details(probe.parts.catalog->longest());
    const std::size_t original = probe.parts.runtime->blocks_for(longest.tokens.size());
    Serving narrow(
        {.max_batch = 2, .pool_bytes = (2 * blocks + original - 1) * probe.parts.runtime->pool->block_bytes()});
    narrow.begin(2);
    QCOMPARE(narrow.started().size(), std::size_t{1});
    QVERIFY(narrow.requests.has_free_place());
    narrow.serve_all();
    QVERIFY(narrow.listener.answers.at(0).timing.queue_seconds < 0.005);
    QVERIFY(narrow.listener.answers.at(1).timing.queue_seconds > 0.02);
  }

  void whatThePoolCanNeverHoldIsRefused() {
    Serving serving({.max_batch = 2, .pool_bytes = 64 << 10});
    serving.begin(2);
    QVERIFY(!serving.requests.any() && serving.arrivals.exhausted());
    const auto cancelled = serving.cancelled();
    QCOMPARE(cancelled.size(), std::size_t{2});
    QVERIFY(cancelled[0].id == 1 && cancelled[1].id == 2);
    QCOMPARE(cancelled[0].miss_reason, std::string(to_string(ErrorCode::no_space)));
    QCOMPARE(cancelled[0].policy, std::string("lru"));
    QVERIFY(!cancelled[0].question.empty() && !cancelled[0].gold.empty());
    QVERIFY((serving.started() == std::vector<std::uint64_t>{1, 2}));
    const auto said = serving.parts.sink.all<events::Message>();
    QCOMPARE(said.size(), std::size_t{2});
    QVERIFY2(
        said[0].level == "error" && said[0].text.starts_with("request refused: context '" + cancelled[0].context_id),
        said[0].text.c_str());
    QVERIFY(serving.listener.heard.empty());
  }

  // Blocks ran out: the youngest begins again, under its number, once another one has ended.
  void theYoungestIsPreempted() {
    Serving serving({.max_batch = 2});
    serving.begin(3);
    serving.requests.step(true);
    serving.hold_all_blocks();
    serving.requests.step(true);
    QCOMPARE(serving.counters.so_far().requeued, std::uint64_t{1});
    QVERIFY((serving.listener.heard == Heard{"begins", "begins", "free memory", "room"}));
    QVERIFY(serving.arrivals.has_put_back());
    QCOMPARE(serving.arrivals.front().id, std::uint64_t{2});
    serving.give_blocks_back();
    QVERIFY(serving.requests.has_free_place() && !serving.requests.admit(false));
    serving.step_until([&] { return !serving.listener.answers.empty(); });
    QVERIFY(serving.requests.admit(false));
    QVERIFY(!serving.arrivals.has_put_back());
    serving.serve_all();
    QVERIFY((serving.started() == std::vector<std::uint64_t>{1, 2, 3}));  // each is said once
    QCOMPARE(serving.listener.answers.size(), std::size_t{3});
    QVERIFY(serving.cancelled().empty());
    for (const RequestRecord& record : serving.listener.answers) QCOMPARE(serving.shown(record.id), record.answer);
  }

  void whatWasShownBeforeIsNotShownAgain() {
    Serving whole, again;
    whole.begin(1);
    whole.serve_all();
    const std::string answer = whole.listener.answers.at(0).answer;
    QVERIFY(answer.size() > 2);
    again.arrivals.begin(1, 0);
    Arrival arrival = again.arrivals.front();
    arrival.id = 9;
    arrival.shown_bytes = 2;
    again.arrivals.pop();
    again.arrivals.put_back(arrival);
    QVERIFY(again.requests.admit(false));
    QVERIFY(again.started().empty());
    again.step_until([&] { return !again.requests.any(); });
    QCOMPARE(again.listener.answers.at(0).answer, answer);
    QCOMPARE(again.shown(9), answer.substr(2));
  }

  void whoeverIsAloneAndHasNoBlocksIsCancelled() {
    Serving serving;
    serving.begin(1);
    serving.hold_all_blocks();
    serving.requests.step(true);
    QVERIFY(!serving.requests.any());
    QCOMPARE(serving.cancelled().size(), std::size_t{1});
    QVERIFY(serving.parts.sink.all<events::Message>().at(0).text.starts_with("request failed: "));
    QVERIFY((serving.listener.heard == Heard{"begins", "free memory", "room"}));
    serving.give_blocks_back();
    QCOMPARE(serving.parts.runtime->pool->live_blocks(), std::size_t{0});
  }

  void whereMemoryCanBeFreedNobodyIsPreempted() {
    Serving serving({.max_batch = 2});
    serving.begin(2);
    serving.listener.frees_memory = true;
    serving.hold_all_blocks();
    serving.requests.step(true);
    QVERIFY((serving.listener.heard == Heard{"begins", "begins", "free memory"}));
    serving.give_blocks_back();
    serving.serve_all();
    QCOMPARE(serving.listener.answers.size(), std::size_t{2});
    QCOMPARE(serving.counters.so_far().requeued, std::uint64_t{0});
  }

  // All of them get the error, the oldest first.
  void aTokenThatCannotBeComputedEndsAllWhoWaitForIt() {
    Serving serving({.max_batch = 2}, small_workload(1, 16, 3));
    store_context(serving.parts, 0, {.tier = 0});
    serving.begin(2);
    bool both = false;
    serving.listener.on_served = [&](ServedRequest& request) { both = request.arrival.id == 2; };
    serving.step_until([&] { return both; });
    QVERIFY(serving.listener.answers.empty());
    serving.parts.runtime->model->compute_on(std::make_shared<BrokenDevice>());
    serving.step_until([&] { return !serving.requests.any(); });
    const auto cancelled = serving.cancelled();
    QCOMPARE(cancelled.size(), std::size_t{2});
    QVERIFY(cancelled[0].id == 1 && cancelled[1].id == 2);
    for (const auto& said : serving.parts.sink.all<events::Message>())
      QCOMPARE(said.text, std::string("request failed: the device is broken"));
    QCOMPARE(serving.parts.sink.count<events::Message>(), std::size_t{2});
    QVERIFY(serving.listener.answers.empty());
  }

  void allAreCancelledAtOnce() {
    Serving serving({.max_batch = 2});
    serving.begin(5);
    serving.requests.step(true);
    serving.arrivals.put_back({.context = 0, .question = 0, .id = 7});
    serving.requests.cancel_all();
    QVERIFY(!serving.requests.any() && !serving.arrivals.has_put_back());
    const auto cancelled = serving.cancelled();
    QCOMPARE(cancelled.size(), std::size_t{2});
    QVERIFY(cancelled[0].id == 1 && cancelled[1].id == 2);
    QCOMPARE(serving.parts.runtime->pool->live_blocks(), std::size_t{0});
    QVERIFY((serving.listener.heard == Heard{"begins", "begins", "room", "room"}));
    QCOMPARE(serving.arrivals.taken(), std::size_t{2});
  }

  void aColdRunNumbersFromOne() {
    Serving serving;
    serving.begin(2);
    serving.serve_all();
    serving.begin(1, 0, false);
    serving.serve_all();
    QVERIFY((serving.started() == std::vector<std::uint64_t>{1, 2, 3}));
    serving.begin(1, 0, true);
    QCOMPARE(serving.started().back(), std::uint64_t{1});
    serving.requests.cancel_all();
  }

  // Decode-time eviction changes the request's cache: whoever keeps the context hears of it before, also where requests
  // run one by one and otherwise hear at the end of the answer.
  void aContextIsKeptBeforeEvictionChangesIt_data() {
    QTest::addColumn<QString>("eviction");
    QTest::addColumn<bool>("before_the_answer");
    QTest::newRow("none") << "none" << false;
    QTest::newRow("pages") << "paged_eviction(budget=10%)" << true;
    QTest::newRow("single entries") << "h2o(budget=10%)" << true;
  }
  void aContextIsKeptBeforeEvictionChangesIt() {
    QFETCH(const QString, eviction);
    QFETCH(const bool, before_the_answer);
    Serving serving({}, small_workload(1, 16, 3));
    serving.requests.use({.policy = "lru", .max_batch = 1, .decode_eviction = eviction.toStdString()});
    std::optional<Digest128> kept;
    serving.listener.on_served = [&](ServedRequest& request) { kept = digest_of(request.task->share_context()); };
    serving.begin(1);
    serving.serve_all();
    QVERIFY(kept.has_value());
    QVERIFY(*kept == digest_of(prefilled(serving.parts, 0).cache));
    const Heard& heard = serving.listener.heard;
    const auto served = std::ranges::find(heard, "served 1"), answered = std::ranges::find(heard, "answered 1");
    QCOMPARE(served < answered, before_the_answer);
    QCOMPARE(std::ranges::count(heard, "served 1"), std::ptrdiff_t{1});
    QCOMPARE(serving.listener.answers.at(0).decoding.evicted_entries > 0, before_the_answer);
  }

  // It waited its turn to compute a context that another one had computed, and stored, by then.
  void whatWasStoredMeanwhileIsRead() {
    Serving serving({.max_batch = 2}, small_workload(1, 16, 3));
    EngineParts& parts = serving.parts;
    serving.listener.on_served = [&](ServedRequest& request) {
      if (!request.task->computed_original()) return;
      parts.store->originals().keep(0, request.task->share_context(), request.task->take_observations().queries, false);
      must(parts.store->commit({.context = parts.catalog->state(0).key,
                                .kind = ActionKind::store,
                                .from = {},
                                .to = {.tier = 0},
                                .reason = {}}));
      parts.store->finish_writes();
    };
    serving.begin(2);
    QVERIFY(!parts.catalog->state(0).pinned);
    bool was_pinned = false;
    serving.step_until([&] {
      was_pinned = was_pinned || parts.catalog->state(0).pinned;
      return !serving.requests.any();
    });
    QCOMPARE(serving.listener.answers.size(), std::size_t{2});
    QCOMPARE(serving.listener.answers[0].source, std::string("prefill"));
    QCOMPARE(serving.listener.answers[1].source, std::string("dram"));
    QVERIFY(was_pinned && !parts.catalog->state(0).pinned);
  }

  // Where requests queue, the next one's cache is read while the present one decodes.
  void theNextOnesCacheIsReadAhead() {
    for (const double rate : {0.0, 1000.0})
      for (const bool frozen : {false, true}) {
        Serving serving({.frozen = frozen}, two_contexts_in_turn(16));
        const std::size_t next = serving.context_of(1);
        store_context(serving.parts, next, {.tier = 0});
        const ContextState& entry = serving.parts.catalog->state(next);
        serving.begin(2, rate);
        bool ahead = false;
        serving.step_until([&] {
          ahead = ahead || entry.pinned;
          return !serving.requests.any();
        });
        QCOMPARE(ahead, rate > 0 && !frozen);
        QCOMPARE(entry.pinned, ahead);
        QVERIFY(serving.requests.admit(false));
        serving.serve_all();
        const RequestRecord& record = serving.listener.answers.at(1);
        QCOMPARE(record.source, std::string("dram"));
        QCOMPARE(record.timing.prefetch_seconds > 0, ahead);
        QVERIFY(!entry.pinned);
      }
  }

  void whatIsReadAheadIsDroppedOnDemandAndWhereItCannotBeRead() {
    for (const bool away : {false, true}) {
      Serving serving({}, two_contexts_in_turn(16));
      const std::size_t next = serving.context_of(1);
      store_context(serving.parts, next, {.tier = 0});
      const ContextState& entry = serving.parts.catalog->state(next);
      serving.parts.dram->away = away;
      serving.begin(2, 1000);
      bool ahead = false;
      serving.step_until([&] {
        ahead = ahead || entry.pinned;
        return ahead || !serving.requests.any();
      });
      QCOMPARE(ahead, !away);
      serving.requests.drop_prefetch();
      QVERIFY(!entry.pinned);
      QCOMPARE(serving.parts.lender.leased_bytes(), std::size_t{0});
      serving.requests.step(true);
      QVERIFY(!entry.pinned);  // it is looked at once
      serving.requests.cancel_all();
    }
  }

  // It is for the next one of the sequence, whoever begins again before that.
  void whoBeginsAgainLeavesAloneWhatIsReadAhead() {
    Serving serving({}, two_contexts_in_turn(16));
    const std::size_t next = serving.context_of(1);
    store_context(serving.parts, next, {.tier = 0});
    const ContextState& entry = serving.parts.catalog->state(next);
    serving.begin(2, 1000);
    serving.step_until([&] { return !serving.requests.any(); });
    QVERIFY(entry.pinned);
    serving.arrivals.put_back({.context = serving.context_of(0), .question = 0, .id = 7});
    QVERIFY(serving.requests.admit(false));
    QVERIFY(entry.pinned);
    serving.serve_all();
    QCOMPARE(serving.listener.answers.size(), std::size_t{3});
    QCOMPARE(serving.listener.answers[1].id, std::uint64_t{7});
    QCOMPARE(serving.listener.answers[1].timing.prefetch_seconds, 0.0);
    QVERIFY(serving.listener.answers[2].timing.prefetch_seconds > 0);
  }

  // A request is held up by a step of profiling once: by the one it came in, or by one while it computes.
  void profilingHoldsARequestUpOnce() {
    Serving serving({.max_batch = 2});
    QVERIFY(serving.requests.beside_profiling().leave_time() && !serving.requests.beside_profiling().come_at_a_rate());
    serving.begin(1);
    QVERIFY(serving.requests.beside_profiling().leave_time());
    serving.requests.beside_profiling().profile_step_begins();
    QVERIFY(!serving.requests.beside_profiling().leave_time());
    serving.requests.beside_profiling().profile_step_ended(1, 2);
    serving.serve_all();
    QVERIFY(serving.requests.beside_profiling().leave_time());

    Serving waited({.max_batch = 2});
    waited.requests.beside_profiling().profile_step_ended(0, std::int64_t{1} << 60);  // it comes during that step
    waited.begin(1);
    QVERIFY(!waited.requests.beside_profiling().leave_time());
    waited.serve_all();
    Serving full;
    full.begin(1);
    QVERIFY(!full.requests.beside_profiling().leave_time());  // there is no free place
    full.requests.cancel_all();
  }

  // Who only waits for bytes is not held up, unless they were there before the step was over.
  void whoWaitsForBytesIsHeldUpWhenTheyCome() {
    Serving serving({.max_batch = 2}, small_workload(1, 16, 3));
    store_context(serving.parts, 0, {.tier = 0});
    serving.begin(1);
    QVERIFY(serving.requests.requests_now().await_bytes && serving.requests.awaits_bytes_alone());
    while (serving.requests.beside_profiling().leave_time()) {
      QVERIFY(serving.requests.requests_now().await_bytes);
      serving.requests.beside_profiling().profile_step_begins();
      QVERIFY(serving.requests.beside_profiling().leave_time());
      serving.requests.step(true);
    }
    serving.serve_all();
  }

  void oneCouldBeginWhereOneIsDueAtARateAndThereIsAPlace() {
    Serving serving;
    serving.arrivals.begin(2, 0);
    QVERIFY(!serving.requests.beside_profiling().one_could_begin());  // the next one comes when the last is answered
    serving.arrivals.begin(2, 1e-9);
    QVERIFY(!serving.requests.beside_profiling().one_could_begin() &&
            serving.requests.beside_profiling().come_at_a_rate());
    serving.arrivals.put_back({.context = 0, .question = 0, .id = 1});
    QVERIFY(serving.requests.beside_profiling().one_could_begin());
    serving.arrivals.drop_put_back();
    serving.arrivals.change_rate(1e9);
    QVERIFY(serving.requests.beside_profiling().one_could_begin());
    QVERIFY(serving.requests.admit(false));
    QVERIFY(!serving.requests.beside_profiling().one_could_begin());  // no free place
    serving.requests.cancel_all();
  }
};

KV_TEST_GUILESS_MAIN(RequestSchedulerTest)

}  // namespace request_scheduler_test

#include "request_scheduler_test.moc"
