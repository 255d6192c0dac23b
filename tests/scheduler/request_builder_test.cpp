// links: core_scheduler tiers
// How a request is made of an arrival, without a scheduler.
#include "core/scheduler/request_builder.h"

#include <QtTest>

#include "tests/scheduler/served_parts.h"
#include "tests/support/test_program.h"

namespace request_builder_test {

using namespace kvantage;
using namespace kvantage::test;

/// The second question of each context says how long its answer may be.
Workload with_long_answers(int max_answer_tokens) {
  Workload workload = small_workload(2, 8, 3);
  for (std::size_t q = 1; q < workload.questions.size(); q += 2)
    workload.questions[q].max_answer_tokens = max_answer_tokens;
  return workload;
}

struct Building : ServedParts {
  explicit Building(Workload of = small_workload(2, 8, 3)) : ServedParts(std::move(of)) { builder.use("lru", false); }
  ContextState& state(std::size_t context) { return parts.catalog->state(context); }
  const ContextDetails& details(std::size_t context) { return parts.catalog->details(context); }
  void use_curve(std::size_t context, std::vector<ProfilePoint> points) {
    state(context).profile = std::make_shared<const ContextProfile>(ContextProfile{.points = std::move(points)});
  }
  /// Alone, to its end. Returns the text that was shown.
  std::string serve(ServedRequest request) {
    const std::uint64_t id = request.arrival.id;
    bring_to_tokens(request);
    serve_to_end(parts, *request.task);
    record = request.task->record();
    std::string text;
    for (const auto& event : parts.sink.all<events::TokenEmitted>())
      if (event.request == id) text += event.text;
    return text;
  }
  RequestBuilder builder{parts.services(), parts.serving_clock, 12};
  RequestRecord record;
};

class RequestBuilderTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // A short answer is reserved, and of a longer one a block: most end before.
  void blocksAreThoseOfThePromptAndABlockOfAnswer() {
    Building made(with_long_answers(1000));
    const Arrival plain{.context = 0, .question = 0}, longer{.context = 0, .question = 1};
    const int block = made.parts.runtime->pool->block_tokens();
    QVERIFY(block > 12);
    for (const Arrival& arrival : {plain, longer}) {
      const std::size_t prompt = made.builder.prompt_tokens(arrival);
      QCOMPARE(prompt, made.details(0).tokens.size() + made.details(0).questions[arrival.question].tokens.size());
      const std::size_t answer = arrival.question == 0 ? 12 : static_cast<std::size_t>(block);
      QCOMPARE(made.builder.blocks_needed(arrival), made.parts.runtime->blocks_for(prompt + answer));
    }
    Building few(with_long_answers(2));
    QCOMPARE(few.builder.blocks_needed(longer), few.parts.runtime->blocks_for(few.builder.prompt_tokens(longer) + 2));
  }

  void whatIsRecordedBeforehand() {
    Building made;
    made.builder.use("evicpress", false);
    made.parts.catalog->snapshot().alpha = 3;
    const Arrival arrival{.context = 1, .question = 1, .id = 9};
    const RequestStart start = made.builder.start_of(arrival);
    const AskedQuestion& asked = start.asked;
    const CatalogQuestion& question = made.details(1).questions[1];
    QCOMPARE(asked.id, std::uint64_t{9});
    QVERIFY(asked.context == made.state(1).key);
    QVERIFY(asked.context_id == made.state(1).id && asked.family == made.state(1).family);
    QVERIFY(asked.question == question.text && asked.gold == question.gold && !asked.gold.empty());
    QCOMPARE(asked.held_out, question.held_out);
    QVERIFY(asked.held_out != made.builder.start_of({.context = 1, .question = 0}).asked.held_out);
    QVERIFY(!asked.in_profile);
    made.parts.catalog->details(1).questions[1].in_profile = true;
    QVERIFY(made.builder.start_of(arrival).asked.in_profile);
    QCOMPARE(start.policy, std::string("evicpress"));
    QCOMPARE(start.alpha, 3.0);
    made.builder.use("lru", false);
    QCOMPARE(made.builder.start_of(arrival).policy, std::string("lru"));
  }

  void whatTheTaskGets() {
    Building made(with_long_answers(5));
    const Arrival arrival{.context = 0, .question = 0, .id = 9, .arrival_ns = 77};
    const RequestInput input = made.builder.input_of(arrival);
    QVERIFY(std::ranges::equal(input.context_tokens, made.details(0).tokens));
    QVERIFY(input.question_tokens == made.details(0).questions[0].tokens);
    QCOMPARE(input.max_answer_tokens, 12);
    QCOMPARE(made.builder.input_of({.context = 0, .question = 1}).max_answer_tokens, 5);
    QCOMPARE(input.arrival_ns, std::int64_t{77});
    QCOMPARE(input.start.asked.id, std::uint64_t{9});
    QVERIFY(!input.reading.attend_quantized);
    made.builder.use("lru", true);
    QVERIFY(made.builder.input_of(arrival).reading.attend_quantized);
  }

  // The first request for a context cannot hit, whatever the policy: that is no reason against it.
  void aFirstMissIsCompulsory() {
    Building made;
    const Arrival arrival{.context = 0, .question = 0};
    QCOMPARE(made.builder.input_of(arrival).start.miss_reason, std::string(compulsory_miss));
    made.state(0).last_access = 3;
    QVERIFY(made.builder.input_of(arrival).start.miss_reason.empty());
    QVERIFY(made.builder.start_of(arrival).miss_reason.empty());
  }

  void whatACurvePromisesIsPredicted() {
    Building made;
    const Arrival arrival{.context = 0, .question = 0};
    const auto predicted = [&] { return made.builder.input_of(arrival).start.predicted_quality; };
    QCOMPARE(predicted(), -1.0);  // there is no curve
    made.use_curve(0, {{.method = "none", .quality = 0.75},
                       {.method = "knorm", .removed_fraction = 0.5, .quality = 0.25, .kept_tokens = 10}});
    QCOMPARE(predicted(), 0.75);
    made.state(0).placement = {.tier = 0, .method = "knorm", .removed_fraction = 0.5};
    QCOMPARE(predicted(), 0.25);
    made.builder.use("lru", false, "knorm(budget=25%)");  // curves are measured without it
    QCOMPARE(predicted(), -1.0);
    made.builder.use("lru", false);
    QCOMPARE(predicted(), 0.25);
    made.state(0).placement.method = "snapkv";  // as a fixed policy may
    QCOMPARE(predicted(), -1.0);
  }

  // Only a policy that neither plans nor stores has no use for the uncompressed cache of a context.
  void originalsAreKeptForPoliciesThatStore() {
    Building made;
    const Arrival arrival{.context = 0, .question = 0};
    for (const char* policy : {"lru", "evicpress", "fixed(knorm,0.5)", "full_prefill"}) {
      made.builder.use(policy, false);
      QCOMPARE(made.builder.input_of(arrival).keeps_original, std::string(policy) != "full_prefill");
    }
  }

  void thePlanChoosesByTheProfile() {
    Building made;
    const Arrival arrival{.context = 0, .question = 0};
    const auto input = [&](double alpha) {
      made.parts.catalog->snapshot().alpha = alpha;
      return made.builder.input_of(arrival);
    };
    made.builder.use("lru", false, "planned", {"knorm(budget=25%)"});
    const RequestInput unknown = input(0);  // nothing is measured yet
    QVERIFY(unknown.decode_eviction == nullptr);
    QVERIFY((unknown.start.choice == DecodeChoice{}));
    ContextProfile profile{.points = {{.method = "none", .quality = 0.75}}};
    profile.decode_options = {
        {.option = "none", .quality = 0.75, .n = 4, .inter_token_seconds = 0.02, .gaps_per_answer = 5},
        {.option = "knorm(budget=25%)", .quality = 0.5, .n = 4, .inter_token_seconds = 0.01, .gaps_per_answer = 4}};
    made.state(0).profile = std::make_shared<const ContextProfile>(profile);
    const RequestInput fast = input(0);
    QVERIFY(fast.decode_eviction != nullptr);
    QCOMPARE(fast.decode_eviction->text(), std::string("knorm(budget=25%)"));
    QVERIFY((fast.start.choice == DecodeChoice{"knorm(budget=25%)", 2, 0.5, 0.01, 0.04}));
    QCOMPARE(fast.start.predicted_quality, -1.0);
    const RequestInput good = input(1);
    QVERIFY(good.decode_eviction == nullptr);
    QVERIFY((good.start.choice == DecodeChoice{"none", 2, 0.75, 0.02, 0.1}));
    QCOMPARE(good.start.predicted_quality, 0.75);
    QVERIFY(!made.builder.input_of({.context = 1, .question = 0}).start.choice->options);
    // What is planned survives the journal.
    const auto back = request_record_from_json(to_json(initial_record(fast.start)));
    QVERIFY(back.has_value() && back->decoding.choice == fast.start.choice);
    made.builder.use("lru", false, "knorm(budget=25%)");
    QVERIFY(!input(0).start.choice);
    QVERIFY(!to_json(initial_record(input(0).start)).at("decoding").contains("choice"));
  }

  void aCutPromptReservesItsBudget() {
    Building made;
    made.builder.use("lru", false, "keydiff(budget=20)");
    const Arrival arrival{.context = 0, .question = 0, .id = 1};
    ServedRequest request = made.builder.make(arrival, made.builder.input_of(arrival), {});
    const std::size_t whole = request.reserved_blocks;
    made.builder.reserve_for_decode(request);
    const ModelRuntime& runtime = *made.parts.runtime;
    QCOMPARE(request.reserved_blocks, runtime.blocks_for(static_cast<std::size_t>(20 + runtime.pool->block_tokens())));
    QVERIFY(request.reserved_blocks < whole);
    made.builder.use("lru", false, "keydiff(budget=100000)");  // never more than before
    ServedRequest large = made.builder.make(arrival, made.builder.input_of(arrival), {});
    made.builder.reserve_for_decode(large);
    QCOMPARE(large.reserved_blocks, whole);
    made.builder.use("lru", false, "quest(budget=20)");  // evicts nothing
    ServedRequest selecting = made.builder.make(arrival, made.builder.input_of(arrival), {});
    made.builder.reserve_for_decode(selecting);
    QCOMPARE(selecting.reserved_blocks, whole);
  }

  void aPromptCutLayerByLayerReservesOneLayerOfIt() {
    Building made;
    const Arrival arrival{.context = 0, .question = 0, .id = 1};
    const ModelRuntime& runtime = *made.parts.runtime;
    const auto layers = static_cast<std::size_t>(runtime.model->kv_shape().layers);
    const auto block = static_cast<std::size_t>(runtime.pool->block_tokens());
    QVERIFY(layers > 1);
    const std::size_t whole = made.builder.blocks_needed(arrival);
    made.builder.use("full_prefill", false, "keydiff(budget=20,cut=prefill)");
    const std::size_t cut = made.builder.blocks_needed(arrival);
    // One layer of everything, the others with the budget and a block for the answer.
    QVERIFY(cut >= (whole + (layers - 1) * runtime.blocks_for(20)) / layers);
    QVERIFY(cut <= (whole + (layers - 1) * runtime.blocks_for(20 + block)) / layers);
    QVERIFY(cut < whole);
    QCOMPARE(made.builder.make(arrival, made.builder.input_of(arrival), {}).reserved_blocks, cut);
    // What needs all of the prompt: a cut after it, a method that reads attention, a budget above it.
    for (const char* setting : {"keydiff(budget=20)", "tova(budget=20,cut=prefill)", "h2o(budget=20,cut=prefill)",
                                "keydiff(budget=100000,cut=prefill)"}) {
      made.builder.use("full_prefill", false, setting);
      QVERIFY2(made.builder.blocks_needed(arrival) == whole, setting);
    }
    // A context that will be stored is needed whole; one that is stored uncompressed is cut as its layers arrive.
    made.builder.use("lru", false, "keydiff(budget=20,cut=prefill)");
    QCOMPARE(made.builder.blocks_needed(arrival), whole);
    made.state(0).placement = {.tier = 0, .method = "none"};
    QCOMPARE(made.builder.blocks_needed(arrival), cut);
    made.state(0).placement = {.tier = 0, .method = "knorm", .removed_fraction = 0.5};
    QCOMPARE(made.builder.blocks_needed(arrival), whole);
  }

  // The context is prefilled, so what is predicted for a stored one does not apply. The tier's fit gives the link.
  void decodeOffloadUsesTheTiersFit() {
    Building made;
    const Arrival arrival{.context = 0, .question = 0};
    Snapshot& snapshot = made.parts.catalog->snapshot();
    snapshot.prefill = {.base_seconds = 8};
    snapshot.tiers[0].model = {.latency_seconds = 2, .bytes_per_second = 5e6};
    made.state(0).last_access = 3;
    made.builder.offloads().use("dram(split=load_only)", true);
    const RequestInput input = made.builder.input_of(arrival);
    QVERIFY(input.decode_offload != nullptr);
    QCOMPARE(input.decode_offload->setting.text(), std::string("dram(split=load_only)"));
    QCOMPARE(input.decode_offload->tier, &made.parts.store->tiers()[0]);
    QCOMPARE(input.decode_offload->profile.link.bytes_per_second, 5e6);
    QVERIFY(input.decode_offload->frozen);
    QCOMPARE(input.start.miss_reason, std::string(decode_offload_reason));
    QCOMPARE(input.start.predicted_ttft_seconds, -1.0);
    // A request whose tier failed begins again without it, and its record says so.
    const RequestInput again = made.builder.input_of({.context = 0, .question = 0, .id = 1, .offload_failed = true});
    QVERIFY(again.decode_offload == nullptr && again.start.offload);
    QVERIFY(!again.start.offload->used());
    QVERIFY(again.start.predicted_ttft_seconds > 0);
    made.builder.offloads().use("none", false);
    QVERIFY(made.builder.input_of(arrival).decode_offload == nullptr);
    QVERIFY(!made.builder.input_of(arrival).start.offload);
  }

  void whatTheFitsSayOfTheTimeIsPredicted() {
    Building made;
    const Arrival arrival{.context = 0, .question = 0};
    Snapshot& snapshot = made.parts.catalog->snapshot();
    snapshot.prefill = {.base_seconds = 8};
    snapshot.question = {.base_seconds = 1};
    QCOMPARE(made.builder.input_of(arrival).start.predicted_ttft_seconds, 9.0);
    snapshot.tiers[0].model = {.latency_seconds = 2, .bytes_per_second = 1e18};
    made.state(0).placement = {.tier = 0};
    made.state(0).stored_bytes = 4096;
    QVERIFY(std::abs(made.builder.input_of(arrival).start.predicted_ttft_seconds - 3.0) < 1e-9);
  }

  void aMissIsServedByItsOwnContext() {
    Building made;
    const Arrival arrival{.context = 1, .question = 0, .id = 4};
    ServedRequest request = made.builder.make(arrival, made.builder.input_of(arrival), {});
    QCOMPARE(request.entry, std::size_t{1});
    QVERIFY(request.entry_header.lock() == nullptr);
    QCOMPARE(request.reserved_blocks, made.builder.blocks_needed(arrival));
    QVERIFY(!request.held_up && !request.waited_beside_profiling && !request.noted);
    QVERIFY(request.arrival.id == 4 && *request.shown_bytes == 0);
    QVERIFY(request.task->needs() == RequestTask::Need::compute);
  }

  // An entry of another context that is a prefix of this one.
  void aHitIsServedByTheEntryThatWasFound() {
    Building made(growing_session(8, 3));
    const std::size_t shorter = *made.parts.catalog->index_of_id("c0");
    const std::size_t longer = *made.parts.catalog->index_of_id("longer");
    store_context(made.parts, shorter, {.tier = 0});
    const Arrival arrival{.context = longer, .question = 0, .id = 4};
    FoundHit found;
    found.hit = made.parts.store->find(made.details(longer).tokens).value();
    found.begun_load = found.hit->load(made.parts.lender);
    QVERIFY(found.begun_load->pump(0));
    const std::size_t leased = made.parts.lender.leased_bytes();
    QVERIFY(leased > 0);
    found.lookup_seconds = 0.25;
    found.prefetch_seconds = 0.5;
    ServedRequest request = made.builder.make(arrival, made.builder.input_of(arrival), std::move(found));
    QCOMPARE(request.entry, shorter);
    QVERIFY(request.entry_header.lock() == made.details(shorter).header && made.details(shorter).header != nullptr);
    QVERIFY(request.task->reading());
    QCOMPARE(request.task->record().timing.lookup_seconds, 0.25);
    QCOMPARE(request.task->record().timing.prefetch_seconds, 0.5);
    QCOMPARE(made.parts.lender.leased_bytes(), leased);  // the load is taken over
    (void)made.serve(std::move(request));
    QCOMPARE(made.record.source, std::string("dram"));
    QVERIFY(made.record.bytes_loaded > 0);
  }

  // A request that had to begin again shows what was not shown before, down to the middle of a token's text.
  void anAnswerIsShownOnce() {
    Building made;
    const Arrival first{.context = 0, .question = 0, .id = 1};
    const std::string whole = made.serve(made.builder.make(first, made.builder.input_of(first), {}));
    QVERIFY(whole.size() > 2);
    QCOMPARE(made.record.answer, whole);
    for (std::size_t shown = 1; shown <= whole.size(); ++shown) {
      const Arrival arrival{.context = 0, .question = 0, .id = 1 + shown, .shown_bytes = shown};
      QCOMPARE(made.serve(made.builder.make(arrival, made.builder.input_of(arrival), {})), whole.substr(shown));
      QCOMPARE(made.record.answer, whole);
    }
  }

  void whatIsRefusedBeginsAndEnds() {
    Building made;
    made.builder.use("lru", false);
    const Arrival arrival{.context = 1, .question = 0, .id = 4};
    made.builder.refuse(arrival);
    const auto& published = made.parts.sink.events;
    QCOMPARE(published.size(), std::size_t{3});
    const auto* const started = std::get_if<events::RequestStarted>(&published[0].payload);
    QVERIFY(started != nullptr && started->id == 4 && started->context_id == made.state(1).id);
    QVERIFY(started->question == made.details(1).questions[0].text && started->family == made.state(1).family);
    const auto* const message = std::get_if<events::Message>(&published[1].payload);
    QVERIFY(message != nullptr && message->level == "error");
    const std::string tokens = std::to_string(made.builder.prompt_tokens(arrival)) + " tokens";
    QVERIFY2(message->text.starts_with("request refused: context '" + made.state(1).id + "'"), message->text.c_str());
    QVERIFY2(message->text.find(tokens) != std::string::npos, message->text.c_str());
    const auto* const finished = std::get_if<events::RequestFinished>(&published[2].payload);
    QVERIFY(finished != nullptr && finished->record.id == 4 && finished->record.cancelled);
    QCOMPARE(finished->record.miss_reason, std::string(to_string(ErrorCode::no_space)));
    QCOMPARE(finished->record.policy, std::string("lru"));
  }
};

KV_TEST_GUILESS_MAIN(RequestBuilderTest)

}  // namespace request_builder_test

#include "request_builder_test.moc"
