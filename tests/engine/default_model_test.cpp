// links: kv_runtime
// The model and the workload that ship, together: without compression it finds what it is asked for.
#include <QtTest>

#include <map>

#include "core/engine/catalogue.h"
#include "core/model/generate.h"
#include "core/text/quality.h"

using namespace kvantage;

class DefaultModelTest : public QObject {
  Q_OBJECT
 private slots:
  void answersEachFamilyOfTheQuickstart() {
    const std::filesystem::path root = KVANTAGE_SOURCE_DIR;
    const auto workload = read_workload(root / "sample_workloads" / "quickstart");
    QVERIFY2(workload.has_value(), workload ? "" : workload.error().message.c_str());
    const auto runtime = ModelRuntime::load(root / "resources" / "model", {});
    QVERIFY2(runtime.has_value(), runtime ? "" : runtime.error().message.c_str());
    ModelRuntime& model = **runtime;
    const QualityMetric* exact_match = find_quality_metric("exact_match");
    constexpr std::size_t questions_asked = 8;
    std::map<std::string, std::pair<int, int>> right;  // of, by family
    for (std::size_t c = 0; c < workload->contexts.size(); ++c) {
      const WorkloadContext& context = workload->contexts[c];
      if (right.contains(context.family)) continue;  // one context each
      KvCache cache(*model.pool);
      PrefillTask prefill(*model.model, cache, model.prompt->encode_context(context.text), 0,
                          {.chunk_tokens = model.chunk_tokens(), .window_queries = 0, .logits = PrefillLogits::none});
      QVERIFY(prefill.run().has_value());
      std::size_t asked = 0;
      for (const WorkloadQuestion& question : workload->questions) {
        if (question.context != c || question.split != QuestionSplit::held_out || asked++ >= questions_asked) continue;
        KvCache working = cache.share();
        GenerateOptions options;
        options.max_tokens = 12;
        options.stop_tokens = model.stop_ids();
        options.chunk_tokens = model.chunk_tokens();
        const auto answer = generate(*model.model, working, model.prompt->encode_question(question.question), options);
        QVERIFY(answer.has_value());
        auto& [count, of] = right[context.family];
        ++of;
        count += exact_match->score(model.tokenizer->decode(answer->tokens), question.gold) == 1.0 ? 1 : 0;
      }
    }
    QCOMPARE(right.size(), std::size_t{7});
    int all = 0, of_all = 0;
    for (const auto& [family, counts] : right) {
      qInfo("%s: %d of %d", family.c_str(), counts.first, counts.second);
      // Far from chance (a four-digit number, a name out of a hundred) whatever the processor's rounding does.
      QVERIFY2(2 * counts.first > counts.second, family.c_str());
      all += counts.first;
      of_all += counts.second;
    }
    QVERIFY(all >= 0.85 * of_all);
  }
};

QTEST_GUILESS_MAIN(DefaultModelTest)
#include "default_model_test.moc"
