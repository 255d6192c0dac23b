// links: core_store tiers
// Requests whose prefill steps are computed together: who takes part, and that each gets what it gets alone.
#include "core/request/prefill_group.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/model/batch/batch_prefill.h"
#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace prefill_group_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Need = RequestTask::Need;
using Task = std::unique_ptr<RequestTask>;

constexpr int many_tokens = 4096;

ModelRuntimeOptions options_of(int chunk_tokens) {
  return with_invariant_products({.prefill_chunk_tokens = chunk_tokens, .name = {}, .load = {}});
}

/// Requests about contexts that are shorter than a chunk of 256 tokens.
struct Requests : StageParts {
  explicit Requests(int chunk_tokens = 256) : StageParts(small_workload(3, 8, 3), options_of(chunk_tokens)) {}

  Task request(std::size_t context, std::optional<CacheHit> hit = std::nullopt,
               const std::function<void(RequestInput&)>& change = {}) {
    RequestInput input = input_of(*this, context, 0);
    if (change) change(input);
    return std::make_unique<RequestTask>(*runtime, lender, serving_clock, std::move(input), std::move(hit), 0.0,
                                         [](const std::string&) {});
  }
  CacheHit hit_of(std::size_t context) { return store->find(tokens(context)).value(); }
  int context_tokens(std::size_t context) const { return static_cast<int>(tokens(context).size()); }
  int question_tokens(std::size_t context) const {
    return static_cast<int>(catalog->details(context).questions[0].tokens.size());
  }
};

void advance(RequestTask& task, int steps) {
  for (int step = 0; step < steps; ++step) must(task.compute());
}

bool has_token(const RequestTask& task) { return task.done() || task.needs() == Need::token; }

void bring_to_token(RequestTask& task) {
  for (int turn = 0; !has_token(task); ++turn) {
    if (turn > 10000) qFatal("a request does not progress");
    must(task.poll(0.001));
    must(task.compute());
  }
}

/// Until all have their first token. Returns the steps of several of them.
int bring_to_tokens(Requests& parts, const std::vector<Task>& tasks, int max_tokens = many_tokens) {
  for (const Task& task : tasks)  // so that all are at their first layer
    for (int turn = 0; task->needs() == Need::bytes && turn < 1000; ++turn) must(task->poll(0.01));
  int shared = 0;
  for (int turn = 0; !std::ranges::all_of(tasks, [](const Task& task) { return has_token(*task); }); ++turn) {
    if (turn > 10000) qFatal("requests do not progress");
    PrefillGroup group(parts.serving_clock, max_tokens);
    int taken = 0;
    for (const Task& task : tasks) {
      must(task->poll(0.001));
      taken += group.take(*task) ? 1 : 0;
    }
    for (const PrefillGroup::Outcome& outcome : group.compute()) must(outcome.status);
    shared += taken > 1 ? 1 : 0;
  }
  return shared;
}

void compare(RequestTask& task, RequestTask& alone) {
  QVERIFY(task.decode().answer_tokens() == alone.decode().answer_tokens());
  QVERIFY(!alone.decode().answer_tokens().empty());
  QVERIFY(digest_of(task.cache()) == digest_of(alone.cache()));
  QCOMPARE(task.record().source, alone.record().source);
  QCOMPARE(task.record().kept_tokens, alone.record().kept_tokens);
  QCOMPARE(task.computed_original(), alone.computed_original());
}

class HeldButSome {
 public:
  HeldButSome(BlockPool& pool, std::size_t left) : pool_(pool) {
    while (pool.free_blocks() > left) held_.push_back(pool.allocate().value());
  }
  ~HeldButSome() {
    for (const BlockId block : held_) pool_.release(block);
  }
  HeldButSome(const HeldButSome&) = delete;
  HeldButSome& operator=(const HeldButSome&) = delete;

 private:
  BlockPool& pool_;
  std::vector<BlockId> held_;
};

}  // namespace

class PrefillGroupTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
    QVERIFY(prefills_together(*Requests().runtime->model));
  }

  void eachGetsWhatItGetsAlone_data() {
    QTest::addColumn<int>("chunk_tokens");
    QTest::addColumn<bool>("stored");
    QTest::addColumn<bool>("shares");
    QTest::newRow("contexts and questions") << 256 << false << true;
    QTest::newRow("questions of stored contexts") << 256 << true << true;
    QTest::newRow("contexts of many chunks") << 16 << false << false;  // the younger ones begin with whole chunks
    QTest::newRow("ends of questions") << 16 << true << true;
  }
  void eachGetsWhatItGetsAlone() {
    QFETCH(const int, chunk_tokens);
    QFETCH(const bool, stored);
    QFETCH(const bool, shares);
    Requests parts(chunk_tokens);
    const auto hit = [&](std::size_t context) {
      return stored ? std::optional<CacheHit>(parts.hit_of(context)) : std::nullopt;
    };
    std::vector<Task> tasks, alone;
    for (std::size_t context = 0; context < 3; ++context) {
      if (stored) store_context(parts, context, {.tier = 0});
      tasks.push_back(parts.request(context, hit(context)));
      alone.push_back(parts.request(context, hit(context)));
    }
    QCOMPARE(bring_to_tokens(parts, tasks) > 0, shares);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      bring_to_token(*alone[i]);
      compare(*tasks[i], *alone[i]);
      QVERIFY(!alone[i]->record().timing.shared_prefill);
    }
  }

  void aQuestionAndAContextGoTogether() {
    Requests parts;
    std::vector<Task> tasks;
    for (const std::size_t context : {0, 1}) tasks.push_back(parts.request(context));
    advance(*tasks[0], parts.layers());
    QCOMPARE(bring_to_tokens(parts, tasks), parts.layers());
    const auto& asked = tasks[0]->record().timing.shared_prefill;
    const auto& computed = tasks[1]->record().timing.shared_prefill;
    QVERIFY(asked && computed);
    QVERIFY(asked->question.steps == parts.layers() && asked->context.steps == 0);
    QVERIFY(computed->context.steps == parts.layers() && computed->question.steps == 0);
    for (const std::size_t context : {0, 1}) {
      const Task alone = parts.request(context);
      bring_to_token(*alone);
      compare(*tasks[context], *alone);
    }
  }

  void onlyTheSameLayerIsComputed() {
    Requests parts;
    const Task first = parts.request(0), same = parts.request(1), ahead = parts.request(2), done = parts.request(0);
    advance(*ahead, 1);
    bring_to_token(*done);
    PrefillGroup group(parts.serving_clock, many_tokens);
    QVERIFY(!group.take(*done));
    QVERIFY(group.take(*first) && group.fits(*same) && !group.fits(*ahead) && !group.take(*ahead));
    QVERIFY(group.take(*same));
    QCOMPARE(group.compute().size(), std::size_t{2});
    PrefillGroup next(parts.serving_clock, many_tokens);  // all three have caught up
    for (const Task* task : {&first, &same, &ahead}) QVERIFY(next.take(**task));
  }

  void noMoreTokensThanAllowed() {
    Requests parts;
    const Task first = parts.request(0), second = parts.request(1), third = parts.request(2);
    for (const Task* task : {&second, &third}) advance(**task, parts.layers());
    const int two = parts.context_tokens(0) + parts.question_tokens(1);
    PrefillGroup fewer(parts.serving_clock, two - 1), exact(parts.serving_clock, two), none(parts.serving_clock, 0);
    QVERIFY(fewer.take(*first) && !fewer.take(*second));
    QVERIFY(exact.take(*first) && exact.take(*second) && !exact.take(*third));
    QVERIFY(none.take(*first) && !none.take(*second));  // the oldest is computed in any case
  }

  void aWholeChunkJoinsNobody() {
    Requests parts(16);
    const Task first = parts.request(0), second = parts.request(1), asking = parts.request(2);
    QVERIFY(parts.context_tokens(1) >= 16 && parts.question_tokens(2) % 16 != 0);
    advance(*asking, parts.layers() * (parts.chunks_of(parts.tokens(2).size()) + parts.question_tokens(2) / 16));
    PrefillGroup group(parts.serving_clock, many_tokens);
    QVERIFY(group.take(*first) && !group.take(*second) && group.take(*asking));
    PrefillGroup other(parts.serving_clock, many_tokens);
    QVERIFY(other.take(*asking) && !other.take(*first));
  }

  // They need more than a layer of a chunk, or are watched meanwhile.
  void otherStepsAreLeftAlone() {
    Requests parts;
    const Task recorded = parts.request(0, std::nullopt, [](RequestInput& input) { input.records_inputs = true; });
    const Task cut = parts.request(1, std::nullopt, [](RequestInput& input) {
      input.decode_eviction = std::make_shared<const DecodeEvictionSetting>(
          parse_decode_eviction("paged_eviction(budget=50%,cut=prefill)").value().value());
      input.keeps_original = false;
    });
    for (const Task* task : {&recorded, &cut}) {
      QVERIFY((*task)->needs() == Need::compute);
      PrefillGroup group(parts.serving_clock, many_tokens);
      QVERIFY(!group.fits(**task) && !group.take(**task));
    }
    advance(*recorded, parts.layers());  // its question is as any other
    QVERIFY(PrefillGroup(parts.serving_clock, many_tokens).take(*recorded));
  }

  // Each look at the clock takes a millisecond.
  void aStepCountsInFullForEach() {
    Requests parts;
    const Task first = parts.request(0), second = parts.request(1);
    PrefillGroup group(parts.serving_clock, many_tokens);
    QVERIFY(group.take(*first) && group.take(*second));
    for (const PrefillGroup::Outcome& outcome : group.compute()) must(outcome.status);
    const int tokens[] = {parts.context_tokens(0), parts.context_tokens(1)}, all = tokens[0] + tokens[1];
    int which = 0;
    for (const Task* task : {&first, &second}) {
      const RequestTiming& timing = (*task)->record().timing;
      QVERIFY(std::abs(timing.context_prefill_seconds - 1e-3) < 1e-9);
      QVERIFY(timing.shared_prefill.has_value());
      QCOMPARE(timing.shared_prefill->context.steps, 1);
      QCOMPARE(timing.shared_prefill->question.steps, 0);
      QVERIFY(std::abs(timing.shared_prefill->context.seconds - 1e-3) < 1e-9);
      QVERIFY(std::abs(timing.shared_prefill->context.own_seconds - 1e-3 * tokens[which] / all) < 1e-9);
      int found = 0;
      for (const RequestSpan& span : (*task)->take_spans().spans) {
        if (span.kind != RequestSpan::Kind::context_prefill) continue;
        QVERIFY(span.layer == 0 && span.step == 0 && span.tokens == tokens[which] && span.batch_tokens == all);
        QCOMPARE(span.duration_ns, std::int64_t{1'000'000});
        ++found;
      }
      QCOMPARE(found, 1);
      ++which;
    }
  }

  void aGroupOfOneSharesNothing() {
    Requests parts;
    const Task task = parts.request(0);
    PrefillGroup group(parts.serving_clock, many_tokens);
    QVERIFY(group.take(*task));
    must(group.compute().at(0).status);
    QVERIFY(!task->record().timing.shared_prefill);
    QVERIFY(task->record().timing.context_prefill_seconds > 0);
  }

  // The other one advances, and who found no block computes the step later; it looks for no entry any more.
  void whoFindsNoBlockTriesAgain() {
    Requests parts;
    std::vector<Task> tasks;
    for (const std::size_t context : {0, 1}) tasks.push_back(parts.request(context));
    QVERIFY(tasks[0]->may_take_hit() && tasks[1]->may_take_hit());
    const auto layers = static_cast<std::size_t>(parts.layers());
    const std::size_t of_first = parts.runtime->blocks_for(parts.tokens(0).size()) / layers;
    for (const std::size_t left : {std::size_t{0}, of_first}) {
      const HeldButSome held(*parts.runtime->pool, left);
      PrefillGroup group(parts.serving_clock, many_tokens);
      for (const Task& task : tasks) QVERIFY(group.take(*task));
      const auto outcomes = group.compute();
      int computed = 0;
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        computed += outcomes[i].computed ? 1 : 0;
        QCOMPARE(outcomes[i].computed, outcomes[i].status.has_value());
        if (!outcomes[i].computed) QCOMPARE(outcomes[i].status.error().code, ErrorCode::no_space);
        QCOMPARE(tasks[i]->record().timing.context_prefill_seconds > 0, outcomes[i].computed);
        QVERIFY(!tasks[i]->may_take_hit());
      }
      QCOMPARE(computed, left == 0 ? 0 : 1);
    }
    (void)bring_to_tokens(parts, tasks);
    for (const std::size_t context : {0, 1}) {
      const Task alone = parts.request(context);
      bring_to_token(*alone);
      compare(*tasks[context], *alone);
    }
  }
};

KV_TEST_GUILESS_MAIN(PrefillGroupTest)

}  // namespace prefill_group_test

#include "prefill_group_test.moc"
