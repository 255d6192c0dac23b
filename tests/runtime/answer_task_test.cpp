// links: kv_runtime
// Answers to questions over several caches are those of asking each alone, whatever is prefilled together, however full
// the pool is, and whoever is withdrawn.
#include "core/runtime/answer_task.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <utility>

#include "core/model/generate.h"
#include "tests/kv/plain_cache.h"
#include "tests/support/must.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace answer_task_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr std::size_t caches = 3;

struct Drawn {
  std::size_t over = 0;  // number of the cache
  AnswerTask::Question question;
};

/// A text, whole and with half and a tenth of its rows, and questions about it.
struct Context {
  explicit Context(bool together) {
    ModelRuntimeOptions options;
    options.pool_bytes = std::uint64_t{64} << 20;
    options.load.batch_invariant = together;
    runtime = ModelRuntime::load(model_directory(), options).value();
    const Workload workload = small_workload(1, 40, 3);
    forms.emplace_back(*runtime->pool);
    PrefillTask prefill(*runtime->model, forms[0], runtime->prompt->encode_context(workload.contexts[0].text), 0,
                        {.chunk_tokens = runtime->chunk_tokens(), .logits = PrefillLogits::none});
    must(prefill.run());
    Random random(4);
    for (const double share : {0.5, 0.1}) {
      KvCache form = forms[0].share();
      for (int layer = 0; layer < layers(); ++layer) must(form.keep(layer, random_indices(form, layer, share, random)));
      forms.push_back(std::move(form));
    }
    for (const WorkloadQuestion& question : workload.questions)
      questions.push_back(runtime->prompt->encode_question(question.question));
  }
  int layers() const { return forms[0].shape().layers; }
  std::vector<Drawn> draw(std::size_t count, Random& random) const {
    std::vector<Drawn> drawn;
    for (std::size_t i = 0; i < count; ++i)
      drawn.push_back(
          {random.below(caches), {questions[random.below(questions.size())], 1 + static_cast<int>(random.below(8))}});
    return drawn;
  }
  void ask(AnswerTask& task, const std::vector<Drawn>& drawn) const {
    for (const Drawn& one : drawn) task.ask(forms[one.over], {one.question});
  }
  /// By the plain loop of generation, alone.
  AnswerTask::Answer wanted(const Drawn& drawn) const {
    KvCache cache = forms[drawn.over].share();
    GenerateOptions options;
    options.max_tokens = drawn.question.max_answer_tokens;
    options.stop_tokens = runtime->stop_ids();
    options.chunk_tokens = runtime->chunk_tokens();
    const Generation given = generate(*runtime->model, cache, drawn.question.tokens, options).value();
    return {given.tokens, given.reason == FinishReason::stop};
  }

  std::unique_ptr<ModelRuntime> runtime;
  std::vector<KvCache> forms;
  std::vector<std::vector<std::int32_t>> questions;
};

/// One step with so many blocks held by others. False: there was no space.
bool step_beside(AnswerTask& task, BlockPool& pool, std::size_t held_blocks) {
  std::vector<BlockId> held;
  while (held.size() < held_blocks && pool.free_blocks() > 0) held.push_back(pool.allocate().value());
  const Status stepped = task.step();
  for (const BlockId block : held) pool.release(block);
  if (!stepped && stepped.error().code != ErrorCode::no_space) must(stepped);
  return stepped.has_value();
}

class AnswerTaskTest : public QObject {
  Q_OBJECT

  std::map<bool, std::unique_ptr<Context>> contexts_;  // by whether questions are prefilled together

  const Context& context(bool together) {
    auto& made = contexts_[together];
    if (made == nullptr) made = std::make_unique<Context>(together);
    return *made;
  }
  static void same(AnswerTask& task, std::size_t question, const AnswerTask::Answer& wanted) {
    QVERIFY(task.has_begun(question) && task.has_ended(question));
    const AnswerTask::Answer answer = task.take(question);
    QCOMPARE(answer.tokens, wanted.tokens);
    QCOMPARE(answer.ended, wanted.ended);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void answersAreThoseOfAskingEachAlone_data() {
    QTest::addColumn<bool>("together");
    QTest::addColumn<int>("step_rows");
    for (const bool together : {false, true})
      for (const int step_rows : {1, 60, AnswerTask::default_step_rows})
        QTest::addRow("%s, %d", together ? "together" : "one after the other", step_rows) << together << step_rows;
  }
  void answersAreThoseOfAskingEachAlone() {
    QFETCH(bool, together);
    QFETCH(int, step_rows);
    const Context& of = context(together);
    Random random(11);
    const std::size_t before = of.runtime->pool->live_blocks();
    for (const std::size_t count : {1, 2, 9}) {
      const std::vector<Drawn> drawn = of.draw(count, random);
      AnswerTask task(*of.runtime, step_rows);
      QVERIFY(task.done());  // nothing is asked
      of.ask(task, drawn);
      QVERIFY(!task.done() && !task.has_begun(0));
      while (!task.done()) must(task.step());
      QCOMPARE(of.runtime->pool->live_blocks(), before);
      for (std::size_t i = 0; i < count; ++i) same(task, i, of.wanted(drawn[i]));
    }
  }

  // As many steps as layers for each prefill, and for each token of all answers; a prefill is of the questions whose
  // tokens fit a step.
  void questionsThatFitAStepAreOnePrefill_data() { answersAreThoseOfAskingEachAlone_data(); }
  void questionsThatFitAStepAreOnePrefill() {
    QFETCH(bool, together);
    QFETCH(int, step_rows);
    const Context& of = context(together);
    Random random(12);
    const std::vector<Drawn> drawn = of.draw(9, random);
    AnswerTask task(*of.runtime, step_rows);
    of.ask(task, drawn);
    int steps = 0;
    for (; !task.done(); ++steps) must(task.step());
    int prefills = 0, rows = 0;
    std::size_t rounds = 0;
    for (const Drawn& one : drawn) {
      const int tokens = static_cast<int>(one.question.tokens.size());
      QVERIFY(tokens <= of.runtime->chunk_tokens());
      if (prefills == 0 || !together || rows + tokens > step_rows) {
        ++prefills;
        rows = 0;
      }
      rows += tokens;
      const AnswerTask::Answer answer = of.wanted(one);
      rounds = std::max(rounds, answer.tokens.size() - (answer.ended ? 0 : 1));
    }
    if (together && step_rows == AnswerTask::default_step_rows) QCOMPARE(prefills, 1);
    if (!together || step_rows == 1) QCOMPARE(prefills, 9);
    QVERIFY(rounds > 1);
    QCOMPARE(steps, of.layers() * (prefills + static_cast<int>(rounds)));
  }

  // A question of several chunks beside shorter ones.
  void aLongQuestionIsPrefilledBesideShortOnes() {
    const Context& of = context(true);
    Random random(13);
    std::vector<Drawn> drawn = of.draw(4, random);
    std::vector<std::int32_t>& tokens = drawn[1].question.tokens;
    while (static_cast<int>(tokens.size()) <= 2 * of.runtime->chunk_tokens())
      tokens.insert(tokens.end(), of.questions[0].begin(), of.questions[0].end());
    AnswerTask task(*of.runtime);
    of.ask(task, drawn);
    while (!task.done()) must(task.step());
    for (std::size_t i = 0; i < drawn.size(); ++i) same(task, i, of.wanted(drawn[i]));
  }

  void aFullPoolChangesNoAnswer_data() {
    QTest::addColumn<bool>("together");
    QTest::newRow("one after the other") << false;
    QTest::newRow("together") << true;
  }
  void aFullPoolChangesNoAnswer() {
    QFETCH(bool, together);
    const Context& of = context(together);
    BlockPool& pool = *of.runtime->pool;
    const std::size_t before = pool.live_blocks();
    Random random(14);
    int refused = 0;
    for (int draw = 0; draw < 24; ++draw) {
      const std::vector<Drawn> drawn = of.draw(1 + random.below(8), random);
      AnswerTask task(*of.runtime, 1 + static_cast<int>(random.below(150)));
      of.ask(task, drawn);
      const std::size_t all = pool.free_blocks(), few = of.runtime->blocks_for(32 * random.below(6));
      for (int steps = 0; !task.done(); ++steps) {
        QVERIFY(steps < 20'000);
        const std::size_t held = random.below(4) > 0 ? 0 : random.below(2) > 0 ? all : all - std::min(all, few);
        if (!step_beside(task, pool, held)) ++refused;
      }
      for (std::size_t i = 0; i < drawn.size(); ++i) same(task, i, of.wanted(drawn[i]));
      QCOMPARE(pool.live_blocks(), before);
    }
    QVERIFY(refused > 0);
  }

  // Where there is never memory for all questions at once, those that have it answer first.
  void aSmallPoolIsEnoughForOneQuestionAtATime() {
    const Context& of = context(true);
    BlockPool& pool = *of.runtime->pool;
    Random random(15);
    const std::vector<Drawn> drawn = of.draw(6, random);
    const std::size_t left = of.runtime->blocks_for(3 * static_cast<std::size_t>(pool.block_tokens()));
    std::vector<BlockId> held;
    while (pool.free_blocks() > left) held.push_back(pool.allocate().value());
    AnswerTask task(*of.runtime);
    of.ask(task, drawn);
    while (!task.done()) must(task.step());
    for (const BlockId block : held) pool.release(block);
    for (std::size_t i = 0; i < drawn.size(); ++i) same(task, i, of.wanted(drawn[i]));
  }

  // At whatever step the last questions are withdrawn and asked again.
  void withdrawnQuestionsLeaveTheOthersAlone() {
    const Context& of = context(true);
    const std::size_t before = of.runtime->pool->live_blocks();
    Random random(16);
    for (int draw = 0; draw < 24; ++draw) {
      std::vector<Drawn> drawn = of.draw(2 + random.below(6), random);
      AnswerTask task(*of.runtime, 30 + static_cast<int>(random.below(100)));
      of.ask(task, drawn);
      for (std::uint64_t steps = random.below(80); steps > 0; --steps) must(task.step());
      const auto count = static_cast<std::ptrdiff_t>(1 + random.below(drawn.size()));
      task.withdraw(static_cast<std::size_t>(count));
      const std::vector<Drawn> withdrawn(drawn.end() - count, drawn.end());
      if (draw % 2 == 0) {
        of.ask(task, withdrawn);
      } else {
        drawn.resize(drawn.size() - withdrawn.size());
      }
      while (!task.done()) must(task.step());
      for (std::size_t i = 0; i < drawn.size(); ++i) same(task, i, of.wanted(drawn[i]));
      QCOMPARE(of.runtime->pool->live_blocks(), before);
    }
  }
};

KV_TEST_GUILESS_MAIN(AnswerTaskTest)

}  // namespace answer_task_test

#include "answer_task_test.moc"
