// links: core_quality
// Readings of reference answers, over a form and over the original: the same metrics however often the original is
// read, which it is once where there is memory to keep that.
#include "core/quality/answer_readings.h"

#include <QtTest>

#include <utility>

#include "tests/kv/plain_cache.h"
#include "tests/support/must.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace answer_readings_test {

using namespace kvantage;
using namespace kvantage::test;

/// A context with two forms and questions with reference answers; the model is loaded once.
struct Context {
  Context() : runtime(ModelRuntime::load(model_directory()).value()) {
    const Workload workload = small_workload(1, 8, 3);
    PrefillTask prefill(*runtime->model, original, runtime->prompt->encode_context(workload.contexts[0].text), 0,
                        {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::none});
    must(prefill.run());
    Random random(4);
    for (auto& [form, share] : {std::pair(&half, 0.5), std::pair(&tenth, 0.1)})
      for (int layer = 0; layer < layers(); ++layer)
        must(form->keep(layer, random_indices(*form, layer, share, random)));
    for (const char* answer : {" 4721", " 1000 is it"}) {
      CatalogQuestion& question = questions.emplace_back();
      question.tokens = runtime->prompt->encode_question(workload.questions[questions.size() - 1].question);
      question.take_reference(answer, runtime->tokenizer->encode(answer), questions.size() == 1);
    }
  }
  int layers() const { return original.shape().layers; }
  LogitMetrics wanted(std::size_t index, const KvCache& form) {
    const CatalogQuestion& question = questions[index];
    const auto read = [&](const KvCache& cache) {
      return read_forced(*runtime, cache, question.tokens, question.reference_tokens, question.reference_ended).value();
    };
    return compare_readings(read(original), read(form));
  }

  std::unique_ptr<ModelRuntime> runtime;
  KvCache original{*runtime->pool}, half{*runtime->pool}, tenth{*runtime->pool};
  std::vector<CatalogQuestion> questions;
};

/// Steps until the metrics are there; how many those were.
std::pair<LogitMetrics, int> metrics_of(AnswerReadings& readings, std::size_t index, const CatalogQuestion& question,
                                        const KvCache& form) {
  readings.begin({{index, &question, &form}});
  int steps = 0;
  for (; !readings.done(); ++steps) must(readings.step());
  return {readings.metrics().front(), steps};
}

class AnswerReadingsTest : public QObject {
  Q_OBJECT

  std::unique_ptr<Context> of_;

  static void same(const LogitMetrics& got, const LogitMetrics& wanted) {
    QCOMPARE(got.tokens, wanted.tokens);
    QCOMPARE(got.kl_nats, wanted.kl_nats);
    QCOMPARE(got.top1_agreement, wanted.top1_agreement);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
    of_ = std::make_unique<Context>();
  }

  // Questions are shorter than a chunk, so a reading takes as many steps as the model has layers.
  void theOriginalIsReadOnceForEachQuestion() {
    AnswerReadings readings(*of_->runtime, of_->original);
    for (const std::size_t index : {std::size_t{0}, std::size_t{1}}) {
      const CatalogQuestion& question = of_->questions[index];
      const auto [first, first_steps] = metrics_of(readings, index, question, of_->half);
      QCOMPARE(first_steps, 2 * of_->layers());
      same(first, of_->wanted(index, of_->half));
      QCOMPARE(first.tokens, static_cast<int>(question.reference_tokens.size()) + (question.reference_ended ? 1 : 0));
    }
    for (const std::size_t index : {std::size_t{1}, std::size_t{0}}) {
      const auto [second, steps] = metrics_of(readings, index, of_->questions[index], of_->tenth);
      QCOMPARE(steps, of_->layers());
      same(second, of_->wanted(index, of_->tenth));
      QVERIFY(second.kl_nats > 0);
    }
  }

  void withoutMemoryTheOriginalIsReadForEveryForm() {
    AnswerReadings readings(*of_->runtime, of_->original, {.kept_bytes = 1000});
    for (const KvCache* form : {&of_->half, &of_->tenth})
      for (const std::size_t index : {std::size_t{0}, std::size_t{1}}) {
        const auto [metrics, steps] = metrics_of(readings, index, of_->questions[index], *form);
        QCOMPARE(steps, 2 * of_->layers());
        same(metrics, of_->wanted(index, *form));
      }
  }

  // Of the first answer there is memory for all positions, of the second one none is left.
  void theLimitIsOfAllReadingsTogether() {
    const CatalogQuestion &first = of_->questions[0], &second = of_->questions[1];
    const std::size_t row = static_cast<std::size_t>(of_->runtime->model->config().vocab_size) * sizeof(float);
    AnswerReadings readings(*of_->runtime, of_->original, {.kept_bytes = row * (first.reference_tokens.size() + 1)});
    for (const bool again : {false, true}) {
      QCOMPARE(metrics_of(readings, 0, first, of_->half).second, (again ? 1 : 2) * of_->layers());
      QCOMPARE(metrics_of(readings, 1, second, of_->half).second, 2 * of_->layers());
    }
  }

  void theOriginalIsAsFarFromItselfAsNothing() {
    AnswerReadings readings(*of_->runtime, of_->original);
    const LogitMetrics metrics = metrics_of(readings, 0, of_->questions[0], of_->original).first;
    QCOMPARE(metrics.kl_nats, 0.0);
    QCOMPARE(metrics.top1_agreement, 1.0);
    QVERIFY(metrics.tokens > 0);
  }

  void anAnswerThatSaysNothingHasNoFigures() {
    CatalogQuestion question = of_->questions[0];
    question.take_reference("", {}, false);
    AnswerReadings readings(*of_->runtime, of_->original, {.kept_bytes = 0});
    const LogitMetrics metrics = metrics_of(readings, 0, question, of_->half).first;
    QCOMPARE(metrics.tokens, 0);
    QCOMPARE(metrics.kl_nats, 0.0);
    QCOMPARE(metrics_of(readings, 0, question, of_->tenth).second, of_->layers());  // nothing is kept at no cost
  }

  void aStepWithoutRoomMayBeTriedAgain() {
    AnswerReadings readings(*of_->runtime, of_->original);
    BlockPool& pool = *of_->runtime->pool;
    std::vector<BlockId> held;
    int refused = 0;
    readings.begin({{0, &of_->questions[0], &of_->half}});
    while (!readings.done()) {
      while (pool.free_blocks() > 0) held.push_back(pool.allocate().value());
      Status stepped = readings.step();
      for (const BlockId block : std::exchange(held, {})) pool.release(block);
      if (!stepped) {
        QCOMPARE(stepped.error().code, ErrorCode::no_space);
        ++refused;
        stepped = readings.step();
      }
      QVERIFY(stepped.has_value());
    }
    QVERIFY(refused > 0);
    same(readings.metrics().front(), of_->wanted(0, of_->half));
  }
};

KV_TEST_GUILESS_MAIN(AnswerReadingsTest)

}  // namespace answer_readings_test

#include "answer_readings_test.moc"
