// links: kv_runtime
// A removed fraction of 0 changes nothing, on the model that ships: no token leaves under any scorer and budget, and
// 200 questions get the same answers, token by token.
#include "core/engine/observing.h"
#include "core/model/generate.h"
#include "tests/compress/random_context.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"

using namespace kvantage;
using namespace kvantage::test;

class RemovingNothingTest : public QObject {
  Q_OBJECT

  struct Prefilled {
    KvCache cache;
    std::vector<std::int32_t> tokens;
    Observation observed;
  };
  std::unique_ptr<ModelRuntime> runtime_;
  Workload workload_ = small_workload(17, 48, 21);
  std::vector<Prefilled> contexts_;

  std::vector<std::int32_t> answer(KvCache cache, const std::string& question) {
    GenerateOptions options;
    options.max_tokens = 4;
    options.stop_tokens = runtime_->stop_ids();
    options.chunk_tokens = runtime_->chunk_tokens();
    return generate(*runtime_->model, cache, runtime_->prompt->encode_question(question), options).value().tokens;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor ../shared/data holds one");
    runtime_ = ModelRuntime::load(model_directory()).value();
    for (const WorkloadContext& context : workload_.contexts) {
      Prefilled& one = contexts_.emplace_back(Prefilled{KvCache(*runtime_->pool), runtime_->prompt->encode_context(context.text), {}});
      PrefillTask task(*runtime_->model, one.cache, one.tokens, 0,
                       {.chunk_tokens = runtime_->chunk_tokens(), .logits = PrefillLogits::none});
      QVERIFY(task.run().has_value());
      const ObservationNeeds all{.window_queries = every_query, .repeat_pass = true, .calibration = true};
      QVERIFY(complete_observation(*runtime_, one.cache, one.tokens, all, one.observed).has_value());
    }
  }
  void cleanupTestCase() { contexts_.clear(); }  // before the pool

  void noTokenLeavesUnderAnyScorerAndBudget_data() {
    QTest::addColumn<QString>("scorer");
    for (const MethodInfo& info : known_methods()) QTest::newRow(info.name.c_str()) << QString::fromStdString(info.name);
  }
  void noTokenLeavesUnderAnyScorerAndBudget() {
    QFETCH(QString, scorer);
    for (std::size_t c = 0; c < 2; ++c) {
      const Prefilled& context = contexts_[c];
      std::vector<std::int32_t> all(context.tokens.size());
      std::iota(all.begin(), all.end(), 0);
      const auto scores = method_of(scorer.toStdString())->scores(context.cache, context.observed).value();
      for (const BudgetInfo& budget : known_budgets()) {
        const auto method = method_of(budget.name + "(" + scorer.toStdString() + ")");
        for (const auto& layer : method->keep_for(scores, 0))
          for (const auto& head : layer) QCOMPARE(head, all);
      }
    }
  }

  void twoHundredQuestionsGetTheSameAnswers() {
    const std::vector<std::string> texts{"adakv(snapkv)", "global(kvzip)", "chunkkv(expected_attention)", "rerotate(streaming_llm)"};
    int asked = 0;
    for (std::size_t c = 0; c < contexts_.size(); ++c) {
      const Prefilled& context = contexts_[c];
      std::vector<KvCache> caches;
      for (const std::string& text : texts) {
        const auto method = method_of(text);
        const auto scores = method->scores(context.cache, context.observed).value();
        auto copy = compressed_copy(context.cache, scores, *method, 0).value();
        caches.push_back(as_read(std::move(copy), *method, runtime_->model->rope()).value());
      }
      for (const WorkloadQuestion& question : workload_.questions) {
        if (question.context != c) continue;
        ++asked;
        const auto expected = answer(context.cache.share(), question.question);
        QVERIFY(!expected.empty());
        for (std::size_t m = 0; m < texts.size(); ++m)
          QVERIFY2(answer(caches[m].share(), question.question) == expected, texts[m].c_str());
      }
    }
    qInfo("%d questions under %zu methods", asked, texts.size());
    QVERIFY(asked >= 200);
  }
};

QTEST_GUILESS_MAIN(RemovingNothingTest)
#include "removing_nothing_test.moc"
