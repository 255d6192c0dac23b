// links: core_scheduler tiers
// Requests that run together, without a scheduler: who is in the batch, and what each part of a turn does.
#include "core/scheduler/request_batch.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/scheduler/batch_parts.h"
#include "tests/support/broken_device.h"
#include "tests/support/test_program.h"

namespace request_batch_test {

using namespace kvantage;
using namespace kvantage::test;

using Need = RequestTask::Need;

class RequestBatchTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void anEmptyBatchDoesNothing() {
    BatchParts made;
    QVERIFY(made.batch.empty() && made.batch.size() == 0 && made.batch.limit() == 1 && made.batch.has_free_place());
    QVERIFY(made.batch.between_tokens() && !made.batch.next_to_compute() && !made.batch.place_of(1));
    for (const Need need : {Need::bytes, Need::compute, Need::token}) QVERIFY(!made.batch.anybody(need));
    QVERIFY(!made.batch.take_bytes(0) && made.batch.decode_layer().empty());
    QCOMPARE(made.counters.so_far().serving_seconds, 0.0);
  }

  void requestsKeepTheOrderInWhichTheyCame() {
    BatchParts made;
    made.batch.add(made.request(7));
    QVERIFY(!made.batch.has_free_place() && !made.batch.empty());
    made.batch.set_limit(3);
    QVERIFY(made.batch.has_free_place() && made.batch.limit() == 3);
    made.batch.add(made.request(3));
    made.batch.add(made.request(5));
    QVERIFY(!made.batch.has_free_place() && made.batch.size() == 3);
    QCOMPARE(made.counters.so_far().max_running, 3);
    QVERIFY(made.batch.place_of(7) == 0 && made.batch.place_of(3) == 1 && made.batch.place_of(5) == 2);
    QCOMPARE(made.batch.take_out(1).arrival.id, std::uint64_t{3});
    QVERIFY(!made.batch.place_of(3) && made.batch.place_of(7) == 0 && made.batch.place_of(5) == 1);
    QVERIFY(made.batch.has_free_place());
    made.batch.set_limit(1);
    QVERIFY(!made.batch.has_free_place());  // who is in stays
    QCOMPARE(made.batch.size(), std::size_t{2});
    QCOMPARE(made.counters.so_far().max_running, 3);
  }

  void theOldestThatHasSomethingToComputeIsNext() {
    BatchParts made;
    store_context(made.parts, 0, {.tier = 0});
    made.batch.add(made.request(1, 0, made.hit_of(0)));
    made.batch.add(made.request(2, 1));
    made.batch.add(made.request(3, 1));
    QVERIFY(made.batch.anybody(Need::bytes) && made.batch.anybody(Need::compute) && !made.batch.anybody(Need::token));
    QVERIFY(!made.batch.between_tokens());
    QVERIFY(made.batch.next_to_compute() == 1);
    BatchParts::bring_to_tokens(made.at(1));
    QVERIFY(made.batch.anybody(Need::token) && made.batch.next_to_compute() == 2);
    (void)made.batch.take_out(2);
    QVERIFY(!made.batch.next_to_compute() && !made.batch.between_tokens());  // the first waits for bytes
    BatchParts::bring_to_tokens(made.at(0));
    QVERIFY(made.batch.between_tokens());  // no token has begun
  }

  void whatIsComputedIsCounted() {
    BatchParts made;
    made.batch.add(made.request(1));
    QVERIFY(made.batch.compute(made.at(0)));
    const double first = made.counters.so_far().serving_seconds;
    QVERIFY(first > 0);
    QCOMPARE(made.counters.so_far().longest_prefill_step_seconds, first);
    QVERIFY(made.batch.compute(made.at(0)));
    QVERIFY(made.counters.so_far().serving_seconds > first);
    QVERIFY(made.counters.so_far().longest_prefill_step_seconds < made.counters.so_far().serving_seconds);
    const HeldBlocks held(*made.parts.runtime->pool);
    Status status;
    for (int step = 0; status && step < 100; ++step) status = made.batch.compute(made.at(0));
    QVERIFY(!status && status.error().code == ErrorCode::no_space);
  }

  void whoIsComputedTogether() {
    const auto yes = [](ServedRequest&) { return true; };
    const auto no = [](ServedRequest&) { return false; };
    using Places = std::vector<std::size_t>;
    for (const bool invariant : {false, true}) {
      const ModelRuntimeOptions options = with_pool(16 << 20);
      BatchParts made(small_workload(3, 8, 3), invariant ? with_invariant_products(options) : options);
      for (const std::size_t context : {0, 1, 2}) made.batch.add(made.request(context + 1, context));
      QVERIFY(made.batch.computed_together(0, yes) == Places{0});  // it is off
      made.batch.limit_prefill_batch(1024);
      QVERIFY((made.batch.computed_together(0, yes) == (invariant ? Places{0, 1, 2} : Places{0})));
      QVERIFY((made.batch.computed_together(1, yes) == (invariant ? Places{1, 2} : Places{1})));
      QVERIFY(made.batch.computed_together(0, no) == Places{0});
      std::vector<std::uint64_t> asked;
      QVERIFY(made.batch.compute(made.at(1)));  // it has begun, but is a layer ahead
      (void)made.batch.computed_together(0, [&](ServedRequest& request) {
        asked.push_back(request.arrival.id);
        return true;
      });
      QVERIFY(asked == (invariant ? std::vector<std::uint64_t>{3} : std::vector<std::uint64_t>{}));
      BatchParts::bring_to_tokens(made.at(1));
      QVERIFY((made.batch.computed_together(0, yes) == (invariant ? Places{0, 2} : Places{0})));
      made.batch.limit_prefill_batch(0);
      QVERIFY(made.batch.computed_together(0, yes) == Places{0});
    }
  }

  void aSharedStepIsCountedOnce() {
    BatchParts made(small_workload(2, 8, 3), with_invariant_products(with_pool(16 << 20)));
    made.batch.limit_prefill_batch(1024);
    for (const std::size_t context : {0, 1}) made.batch.add(made.request(context + 1, context));
    const std::vector<std::size_t> places{0, 1};
    QVERIFY(made.batch.compute(places).empty());
    const auto counted = made.counters.so_far();
    QVERIFY(counted.serving_seconds > 0);
    QCOMPARE(counted.longest_prefill_step_seconds, counted.serving_seconds);
    double waited = 0, own = 0;
    for (const std::size_t place : {0, 1}) {
      const RequestTiming& timing = made.at(place).task->record().timing;
      QVERIFY(timing.shared_prefill && timing.context_prefill_seconds > 0);
      waited = std::max(waited, timing.context_prefill_seconds);
      own += timing.shared_prefill->context.own_seconds;
    }
    QVERIFY(std::abs(own - waited) < 1e-9);
    QVERIFY(waited <= counted.serving_seconds);
  }

  // The oldest needs blocks now; a younger one computes when it is the oldest.
  void onlyTheOldestFailsForWantOfBlocks() {
    BatchParts made(small_workload(2, 8, 3), with_invariant_products(with_pool(16 << 20)));
    made.batch.limit_prefill_batch(1024);
    for (const std::size_t context : {0, 1}) made.batch.add(made.request(context + 1, context));
    const std::vector<std::size_t> places{0, 1};
    {
      const HeldBlocks held(*made.parts.runtime->pool);
      const auto failures = made.batch.compute(places);
      QCOMPARE(failures.size(), std::size_t{1});
      QVERIFY(failures[0].id == 1 && failures[0].error.code == ErrorCode::no_space);
    }
    QVERIFY(made.batch.compute(places).empty());
    for (const std::size_t place : {0, 1}) BatchParts::bring_to_tokens(made.at(place));
    while (made.batch.anybody(Need::token)) made.decode_token();
    for (const std::size_t place : {0, 1})
      QCOMPARE(made.at(place).task->record().answer, served(made.parts, place, 0)->record().answer);
  }

  // Layer by layer, all of them together; each gets the answer that it gets alone.
  void togetherTheyAnswerAsAlone() {
    BatchParts made;
    for (const std::size_t context : {0, 1}) (void)made.add_decoding(context + 1, context);
    const int layers = made.parts.runtime->model->kv_shape().layers;
    for (int layer = 1; layer <= layers; ++layer) {
      const double before = made.counters.so_far().serving_seconds;
      QVERIFY(made.batch.decode_layer().empty());
      QVERIFY(made.counters.so_far().serving_seconds > before);
      QCOMPARE(made.batch.between_tokens(), layer == layers);
      for (const std::size_t place : {0, 1})
        QCOMPARE(made.at(place).task->decode().answer_tokens().size(), std::size_t{layer == layers ? 2U : 1U});
    }
    while (made.batch.anybody(Need::token)) made.decode_token();
    for (const std::size_t place : {0, 1}) {
      QVERIFY(made.at(place).task->done());
      const auto alone = served(made.parts, place, 0);
      QVERIFY(made.at(place).task->decode().answer_tokens() == alone->decode().answer_tokens());
      QVERIFY(!alone->record().answer.empty());
      QCOMPARE(made.at(place).task->record().answer, alone->record().answer);
    }
    int together = 0;
    for (const RequestSpan& span : made.at(0).task->take_spans().spans)
      together += span.kind == RequestSpan::Kind::decode && span.tokens == 2 ? 1 : 0;
    QVERIFY(together >= layers);
    QVERIFY(made.batch.decode_layer().empty());  // nobody needs a token any more
  }

  void draftsChangeNoAnswer_data() {
    QTest::addColumn<QString>("setting");
    QTest::addColumn<int>("contexts");
    for (const char* setting : {"lookup", "lookup(n=1,k=3)", "auto"})
      for (const int contexts : {1, 2}) QTest::addRow("%s, %d", setting, contexts) << QString(setting) << contexts;
  }
  void draftsChangeNoAnswer() {
    QFETCH(QString, setting);
    QFETCH(int, contexts);
    BatchParts made;
    made.batch.speculate(parse_speculation(setting.toStdString()).value());
    for (int context = 0; context < contexts; ++context)
      (void)made.add_decoding(static_cast<std::uint64_t>(context) + 1, static_cast<std::size_t>(context));
    while (made.batch.anybody(Need::token)) made.decode_token();
    int drafted = 0;
    for (std::size_t place = 0; place < made.batch.size(); ++place) {
      const auto alone = served(made.parts, place, 0);
      QVERIFY(made.at(place).task->decode().answer_tokens() == alone->decode().answer_tokens());
      QVERIFY(digest_of(made.at(place).task->cache()) == digest_of(alone->cache()));
      const RequestRecord& record = made.at(place).task->record();
      QCOMPARE(record.answer, alone->record().answer);
      QCOMPARE(record.decoding.held_bytes, alone->record().decoding.held_bytes);
      QCOMPARE(record.timing.token_gaps_seconds.size(), alone->record().timing.token_gaps_seconds.size());
      QVERIFY(!alone->record().decoding.speculation && record.decoding.speculation);
      const SpeculationRecord& speculation = *record.decoding.speculation;
      QCOMPARE(speculation.setting, setting.toStdString());
      QVERIFY(speculation.used() && speculation.accepted <= speculation.drafted);
      // A stop token is decoded, but is no part of the answer.
      const int stop = made.at(place).task->decode().answer_ended() ? 1 : 0;
      QCOMPARE(speculation.passes + speculation.accepted, record.answer_tokens - 1 + stop);
      drafted += speculation.drafted;
    }
    QVERIFY(drafted > 0 || setting == "auto");  // which waits for measured passes
  }

  // Where the pool is full they leave the pass: the request ends, or runs out of blocks, at the token where it does so
  // without them.
  void draftsTakeNoBlockThatIsMissingElsewhere() {
    int failures_seen = 0;
    for (int sentences = 4; sentences < 44; ++sentences) {
      std::vector<std::int32_t> answers[2];
      bool failed[2] = {};
      for (const bool drafts : {false, true}) {
        BatchParts made(small_workload(1, sentences, 3));
        if (drafts) made.batch.speculate(parse_speculation("lookup(n=1)").value());
        (void)made.add_decoding(1);
        const HeldBlocks held(*made.parts.runtime->pool);
        while (!failed[drafts] && made.need(0) == Need::token) {
          const auto failures = made.batch.decode_layer();
          failed[drafts] = !failures.empty();
          if (failed[drafts]) QCOMPARE(failures[0].error.code, ErrorCode::no_space);
        }
        answers[drafts] = made.at(0).task->decode().answer_tokens();
      }
      QVERIFY(answers[0] == answers[1]);
      QCOMPARE(failed[0], failed[1]);
      failures_seen += failed[0] ? 1 : 0;
    }
    QVERIFY(failures_seen > 0);
  }

  // A longer pass would delay the first token of the request beside it.
  void nothingIsDraftedBesideAPrefill() {
    BatchParts made;
    made.batch.speculate(parse_speculation("lookup").value());
    (void)made.add_decoding(1, 0);
    made.batch.add(made.request(2, 1));
    while (made.need(0) == Need::token) made.decode_pass();
    const SpeculationRecord& speculation = *made.at(0).task->record().decoding.speculation;
    QVERIFY(speculation.used() && speculation.passes > 0);
    QCOMPARE(speculation.drafted, 0);
  }

  // One whose first token comes out while the others' next one is decoded joins with the one after.
  void whoComesDuringATokenWaitsForTheNext() {
    BatchParts made;
    (void)made.add_decoding(1, 0);
    QVERIFY(made.batch.decode_layer().empty());
    (void)made.add_decoding(2, 1);
    made.decode_token();
    const auto tokens = [&](std::size_t place) { return made.at(place).task->decode().answer_tokens().size(); };
    QVERIFY(tokens(0) == 2 && tokens(1) == 1);
    made.decode_token();
    QVERIFY(tokens(0) == 3 && tokens(1) == 2);
  }

  void whoLeavesDuringATokenChangesNothingForTheOthers() {
    BatchParts made;
    for (const std::size_t context : {0, 1}) (void)made.add_decoding(context + 1, context);
    QVERIFY(made.batch.decode_layer().empty());
    {
      const ServedRequest left = made.batch.take_out(0);
      while (made.batch.anybody(Need::token)) made.decode_token();
      QCOMPARE(left.task->decode().answer_tokens().size(), std::size_t{1});
    }
    QCOMPARE(made.at(0).task->record().answer, served(made.parts, 1, 0)->record().answer);
    (void)made.batch.take_out(0);
    // Where all leave, their token is forgotten: the next ones begin one of their own.
    (void)made.add_decoding(3, 0);
    QVERIFY(made.batch.decode_layer().empty() && !made.batch.between_tokens());
    (void)made.batch.take_out(0);
    QVERIFY(made.batch.between_tokens());
    (void)made.add_decoding(4, 1);
    while (made.batch.anybody(Need::token)) made.decode_token();
    QCOMPARE(made.at(0).task->record().answer, served(made.parts, 1, 0)->record().answer);
  }

  // The youngest has to begin again, whoever ran out of blocks; the others resume where they stopped.
  void whereBlocksRunOutTheYoungestFails() {
    BatchParts made;
    for (const std::size_t context : {0, 1}) (void)made.add_decoding(context + 1, context);
    {
      // The next token needs a block of its own: the last one is shared.
      const KvCache shared = made.at(0).task->cache().share();
      const HeldBlocks held(*made.parts.runtime->pool);
      for (int tries = 0; tries < 2; ++tries) {
        const auto failures = made.batch.decode_layer();
        QCOMPARE(failures.size(), std::size_t{1});
        QVERIFY(failures[0].id == 2 && failures[0].error.code == ErrorCode::no_space);
        QVERIFY(!made.batch.between_tokens());
      }
      const ServedRequest youngest = made.batch.take_out(1);  // still holds its blocks
      QCOMPARE(made.batch.decode_layer().at(0).id, std::uint64_t{1});
    }
    while (made.batch.anybody(Need::token)) made.decode_token();
    QCOMPARE(made.at(0).task->record().answer, served(made.parts, 0, 0)->record().answer);
  }

  void aTokenThatCannotBeComputedFailsForAllTheOldestFirst() {
    BatchParts made;
    for (const std::uint64_t id : {8, 4}) (void)made.add_decoding(id);
    made.batch.add(made.request(6, 1));  // it computes, and has no part in it
    made.parts.runtime->model->compute_on(std::make_shared<BrokenDevice>());
    const auto failures = made.batch.decode_layer();
    QCOMPARE(failures.size(), std::size_t{2});
    QVERIFY(failures[0].id == 8 && failures[1].id == 4);
    for (const auto& failure : failures) QCOMPARE(failure.error.message, std::string("the device is broken"));
    for (const std::size_t place : {0, 1})
      QCOMPARE(made.at(place).task->decode().answer_tokens().size(), std::size_t{1});
  }

  void bytesAreTakenForAllWhoWaitForThem() {
    BatchParts made;
    for (const std::size_t context : {0, 1}) store_context(made.parts, context, {.tier = 0});
    for (const std::size_t context : {0, 1}) made.batch.add(made.request(context + 1, context, made.hit_of(context)));
    made.batch.add(made.request(3));
    int turns = 0;
    for (; made.batch.anybody(Need::bytes) && turns < 100; ++turns) QVERIFY(!made.batch.take_bytes(0.001));
    QVERIFY(turns > 1);  // the header comes first
    for (const std::size_t place : {0, 1, 2}) QVERIFY(made.need(place) == Need::compute);
    QVERIFY(made.at(0).task->hit() != nullptr && made.at(1).task->hit() != nullptr);
  }

  void theFirstFailureEndsATurnOfTakingBytes() {
    BatchParts made;
    for (const std::size_t context : {0, 1}) store_context(made.parts, context, {.tier = 0});
    (void)made.parts.store->originals().forget();
    for (const std::size_t context : {0, 1}) made.batch.add(made.request(context + 1, context, made.hit_of(context)));
    std::optional<RequestBatch::Failure> failure;
    {
      const HeldBlocks held(*made.parts.runtime->pool);
      for (int turn = 0; !failure && turn < 100; ++turn) failure = made.batch.take_bytes(0.001);
    }
    QVERIFY(failure && failure->id == 1 && failure->error.code == ErrorCode::no_space);
    (void)made.batch.take_out(0);  // it lost rows of its entry
    for (int turn = 0; made.batch.anybody(Need::bytes) && turn < 100; ++turn) QVERIFY(!made.batch.take_bytes(0.001));
    QVERIFY(made.need(0) == Need::compute);
    BatchParts::bring_to_tokens(made.at(0));  // it was not polled where the other one failed
    QVERIFY(!made.at(0).task->failed_read());
    QCOMPARE(made.at(0).task->record().source, std::string("dram"));
  }

  // One whose bytes were there before the step of profiling was over could have computed meanwhile.
  void whoWaitedBesideProfilingIsHeldUpIfItsBytesCame() {
    BatchParts made;
    store_context(made.parts, 0, {.tier = 0});
    for (const std::uint64_t id : {1, 2}) made.batch.add(made.request(id, 0, made.hit_of(0)));
    made.at(0).waited_beside_profiling = true;
    QVERIFY(!made.batch.take_bytes(0));  // headers alone
    QVERIFY(made.need(0) == Need::bytes && !made.at(0).held_up && !made.at(0).waited_beside_profiling);
    made.at(0).waited_beside_profiling = true;
    for (int turn = 0; made.batch.anybody(Need::bytes) && turn < 100; ++turn) {
      QVERIFY(!made.batch.take_bytes(0));
      if (made.need(0) == Need::bytes) made.at(0).waited_beside_profiling = true;
    }
    QVERIFY(made.at(0).held_up && !made.at(0).waited_beside_profiling);
    QVERIFY(!made.at(1).held_up);
  }
};

KV_TEST_GUILESS_MAIN(RequestBatchTest)

}  // namespace request_batch_test

#include "request_batch_test.moc"
