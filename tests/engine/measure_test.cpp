// links: app_wiring kv_reports
// Every answer's quality is recorded with that of uncompressed reuse and of chance, and scoring is in no timing. In
// virtual time, with the numbers of the real model.
#include <QtTest>

#include <cmath>
#include <map>

#include "core/policy/utility.h"
#include "core/report/answer_basis.h"
#include "core/text/code/code_bleu.h"
#include "core/text/quality.h"
#include "tests/support/embedding_model.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace measure_test {

using namespace kvantage;
using namespace kvantage::test;

class MeasureTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  Workload workload_ = small_workload(4, 24, 6);
  std::unique_ptr<EngineHarness> harness_;

  std::vector<RequestRecord> serve(const std::string& metric) {
    SessionSettings settings = harness_->engine().settings();
    settings.quality_metric = metric;
    if (const Status applied = harness_->engine().apply(settings); !applied)
      qFatal("%s", applied.error().message.c_str());
    // Chance by uncompressed answers needs those to the profile questions.
    if (const QualityMetric& chosen = *find_quality_metric(metric);
        chosen.compares_with_reference() && chosen.basis != QualityBasis::logits) {
      harness_->engine().profile_all();
      if (harness_->wait() == RunState::failed) qFatal("%s", harness_->engine().failure().message.c_str());
    }
    return harness_->serve("fixed(knorm,0.6)", 16).value();
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    auto opened =
        open_virtual(folder_.path().toStdString(), workload_, {"dram=64MiB"}, "lru", false, {}, ModelKind::timed);
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    harness_ = std::move(*opened);
  }

  void wordsAreBesideBothBaselines() {
    const auto records = serve("token_f1");
    QCOMPARE(records.size(), std::size_t{16});
    int compressed = 0;
    for (const RequestRecord& record : records) {
      for (const char* name : {"exact_match", "token_f1", "rouge_l"}) {
        const QualityMetric& metric = *find_quality_metric(name);
        QCOMPARE(record.quality.at(name), metric.score(record.answer, record.gold));
        QCOMPARE(record.quality_uncompressed.at(name), metric.score(record.reference_answer, record.gold));
        // Over all pairs, by hand: the golds of every other question of the family.
        double sum = 0;
        int others = 0;
        for (const WorkloadQuestion& question : workload_.questions) {
          if (workload_.contexts[question.context].family != record.family) continue;
          if (workload_.contexts[question.context].id == record.context_id && question.question == record.question)
            continue;
          sum += metric.score(question.gold, record.gold);
          ++others;
        }
        QVERIFY(others > 3);
        QVERIFY(std::abs(record.quality_chance.at(name) - sum / others) < 1e-12);
      }
      for (const char* name : {"cosine", "code_bleu", "logit_kl", "top1_agreement"})
        QVERIFY(!record.quality.contains(name));
      if (record.removed_fraction == 0.0) QCOMPARE(record.quality, record.quality_uncompressed);
      compressed += record.removed_fraction > 0 ? 1 : 0;
    }
    QVERIFY(compressed > 4);
  }

  // A reference answer that was never asked for uncompressed is computed once, from the archived original.
  void theReferenceIsTheUncompressedAnswer() {
    std::map<std::string, std::string> uncompressed;
    for (const RequestRecord& record : serve("token_f1"))
      uncompressed[record.context_id + record.question] = record.reference_answer;
    const auto records = harness_->serve("full_prefill", 16).value();
    for (const RequestRecord& record : records) {
      const auto known = uncompressed.find(record.context_id + record.question);
      if (known != uncompressed.end()) QCOMPARE(record.answer, known->second);
    }
  }

  void predictionsAreMeasuredWhereTheyAreChosen() {
    for (const char* name : {"logit_kl", "top1_agreement"}) {
      const auto records = serve(name);
      bool moved = false;
      for (const RequestRecord& record : records) {
        QVERIFY2(record.quality.contains(name), record.question.c_str());
        QVERIFY(record.quality.at(name) >= 0 && record.quality.at(name) <= 1);
        QCOMPARE(record.quality_uncompressed.at(name), 1.0);
        QVERIFY(record.quality_chance.at(name) < 1);
        if (record.removed_fraction == 0.0) QCOMPARE(record.quality.at(name), 1.0);
        moved = moved || record.quality.at(name) < 1;
        QVERIFY(record.quality.contains("token_f1"));
      }
      QVERIFY(moved || std::string(name) == "top1_agreement");
    }
  }

  // Words against the uncompressed answer: scored where that is chosen, beside the scores by gold answers.
  void wordsAtPrefillAreMeasuredWhereTheyAreChosen() {
    const auto records = serve("token_f1@prefill");
    bool unlike = false;
    for (const RequestRecord& record : records) {
      QCOMPARE(record.quality.at("token_f1@prefill"), token_f1(record.answer, record.reference_answer));
      QCOMPARE(record.quality_uncompressed.at("token_f1@prefill"), 1.0);
      QVERIFY(record.quality_chance.at("token_f1@prefill") < 1);
      QCOMPARE(record.quality.at("token_f1"), token_f1(record.answer, record.gold));
      QVERIFY(!record.quality.contains("rouge_l@prefill"));
      unlike = unlike || record.quality.at("token_f1@prefill") < 1;
    }
    QVERIFY(unlike);
    for (const RequestRecord& record : serve("token_f1")) QVERIFY(!record.quality.contains("token_f1@prefill"));
  }

  void meaningIsMeasuredWhereItIsChosen() {
    if (embedding_directory().empty()) QSKIP("all-MiniLM-L6-v2 is not in the cache: './run build' fetches it");
    const auto records = serve("cosine");
    bool unlike = false;
    for (const RequestRecord& record : records) {
      QVERIFY(record.quality.contains("cosine"));
      QCOMPARE(record.quality.at("cosine") == 1.0, record.answer == record.reference_answer);
      QCOMPARE(record.quality_uncompressed.at("cosine"), 1.0);
      QVERIFY(record.quality_chance.at("cosine") > 0 && record.quality_chance.at("cosine") < 1);
      unlike = unlike || record.quality.at("cosine") < 1;
    }
    QVERIFY(unlike);
  }

  void codeIsMeasuredWhereItIsChosen() {
    if (const Status parser = code_parser_is_there(); !parser) QSKIP(parser.error().message.c_str());
    bool unlike = false;
    for (const RequestRecord& record : serve("code_bleu")) {
      const double score = record.quality.at("code_bleu");
      QVERIFY(score >= 0 && score <= 1);
      if (record.answer == record.reference_answer) QCOMPARE(score, 1.0);
      QCOMPARE(record.quality_uncompressed.at("code_bleu"), 1.0);
      QVERIFY(record.quality_chance.at("code_bleu") > 0 && record.quality_chance.at("code_bleu") < 1);
      unlike = unlike || score < 1;
    }
    QVERIFY(unlike);
  }

  // What is measured after the answer is part of no metric: the parts of a request add up without it, and the mean
  // between tokens is that of the answer's own.
  void scoringIsInNoTiming() {
    for (const RequestRecord& record : serve("logit_kl")) {
      const RequestTiming& timing = record.timing;
      QVERIFY(timing.measuring_seconds > 0);
      const double parts = timing.lookup_seconds + timing.load_seconds + timing.decode_seconds +
                           timing.context_prefill_seconds + timing.question_prefill_seconds;
      QVERIFY(parts <= timing.ttft_service_seconds + 1e-6);
      QVERIFY(timing.ttft_seconds <= timing.e2e_seconds);
      if (record.answer_tokens > 1)
        QVERIFY(timing.ttft_seconds + timing.mean_itl_seconds * (record.answer_tokens - 1) <=
                timing.e2e_seconds + 1e-6);
    }
  }

  void anotherMetricHasItsOwnCurves() {
    SessionSettings settings = harness_->engine().settings();
    std::map<std::string, double> uncompressed;
    for (const char* name : {"logit_kl", "exact_match", "exact_match@prefill", "logit_kl"}) {
      settings.quality_metric = name;
      settings.policy = "evicpress";
      QVERIFY(harness_->engine().apply(settings).has_value());
      harness_->sink.clear();
      harness_->engine().profile_all();
      QVERIFY(harness_->wait() == RunState::finished || harness_->engine().state() == RunState::ready);
      QCOMPARE(harness_->engine().profile_scope().quality_metric, std::string(name));
      int fresh = 0;
      for (const auto& profiled : harness_->sink.all<events::ContextProfiled>()) fresh += profiled.from_store ? 0 : 1;
      QCOMPARE(fresh, uncompressed.contains(name) ? 0 : 4);  // measured once, then found
      for (const ContextState& context : harness_->engine().snapshot()->contexts) {
        QVERIFY(context.profile != nullptr && context.profile->chance.n > 0);
        QVERIFY(context.profile->chance.mean < 1 && context.profile->chance.low <= context.profile->chance.mean);
        const ProfilePoint* none = find_point(context, "none", 0);
        QVERIFY(none != nullptr);
        uncompressed[name] = none->quality;
      }
      if (find_quality_metric(name)->compares_with_reference()) QCOMPARE(uncompressed[name], 1.0);
    }
  }

  void reportsKnowWhatEachMetricComparesWith() {
    for (const QualityMetric& metric : quality_metrics())
      QVERIFY2(compares_with_uncompressed(metric.name) == metric.compares_with_reference(), metric.name.c_str());
  }

  // Without reference answers every uncompressed answer scores 1, and a report knows it by the record.
  void withoutReferenceAnswersAScoreIsAgreement() {
    QTemporaryDir folder;
    Workload bare = workload_;
    for (WorkloadQuestion& question : bare.questions) question.gold.clear();
    const auto opened =
        open_virtual(folder.path().toStdString(), bare, {"dram=64MiB"}, "lru", false, {}, ModelKind::timed);
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    PolicyRun run;
    run.records = (*opened)->serve("fixed(knorm,0.6)", 16).value();
    std::size_t scored = 0;
    for (const RequestRecord& record : run.records) {
      QVERIFY(lacks_reference_answer(record));
      if (!record.quality.contains("token_f1")) continue;
      QCOMPARE(record.quality_uncompressed.at("token_f1"), 1.0);
      ++scored;
    }
    QVERIFY(scored > 4);
    QVERIFY(answer_basis(std::vector<const PolicyRun*>{&run}).agreement());
    run.records = serve("token_f1");
    QVERIFY(!answer_basis(std::vector<const PolicyRun*>{&run}).agreement());
  }

  void aMetricThatIsNotThereIsRefused() {
    SessionSettings settings = harness_->engine().settings();
    settings.quality_metric = "bleu";
    QVERIFY(!harness_->engine().apply(settings));
    qputenv("KVANTAGE_EMBEDDING_MODEL", "/nowhere");
    settings.quality_metric = "cosine";
    const Status refused = harness_->engine().apply(settings);
    qunsetenv("KVANTAGE_EMBEDDING_MODEL");
    QVERIFY(!refused && refused.error().code == ErrorCode::rejected_input);
    QVERIFY(refused.error().message.find("./run build") != std::string::npos &&
            refused.error().message.find('\n') == std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(MeasureTest)

}  // namespace measure_test

#include "measure_test.moc"
