// links: core_quality tiers
// The part of the engine that scores answers, without the others.
#include "core/quality/answer_quality.h"

#include <QtTest>

#include <cmath>

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace answer_quality_test {

using namespace kvantage;
using namespace kvantage::test;

class AnswerQualityTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // An answer from the uncompressed cache is the reference: it agrees with itself, and the time that takes is not
  // served.
  void anUncompressedAnswerIsItsOwnReference() {
    EngineParts parts(small_workload(2, 16, 3));
    QualityMeter meter;
    AnswerQuality quality(parts.services(), parts.serving_clock, meter, nullptr, 12);
    quality.use_metric("token_f1");
    const auto task = served(parts, 0, 1);
    const std::int64_t before = parts.serving_clock.monotonic_ns();
    quality.measure(*task, 0, 1);
    QVERIFY(parts.serving_clock.monotonic_ns() - before <= 2 * EngineParts::step_ns);
    const RequestRecord& record = task->record();
    QVERIFY(record.timing.measuring_seconds > 0);
    QCOMPARE(record.reference_answer, record.answer);
    QVERIFY(record.quality.contains("token_f1"));
    QCOMPARE(record.quality_uncompressed.at("token_f1"), record.quality.at("token_f1"));
    QVERIFY(record.quality_chance.contains("token_f1"));
    const auto& question = parts.catalog->details(0).questions[1];
    QCOMPARE(*question.reference_answer, record.answer);
    QCOMPARE(parts.sink.count<events::Message>(), std::size_t{0});
  }

  // An answer that was decoded with eviction is no reference, however its context was stored.
  void anEvictedAnswerIsNoReference() {
    EngineParts parts(small_workload(2, 16, 3));
    QualityMeter meter;
    AnswerQuality quality(parts.services(), parts.serving_clock, meter, nullptr, 12);
    quality.use_metric("token_f1");
    const auto task = served(parts, 0, 1);
    task->record().decoding.eviction = "knorm(budget=25%)";
    quality.measure(*task, 0, 1);
    QVERIFY(!parts.catalog->details(0).questions[1].reference_answer.has_value());
    QVERIFY(task->record().quality.contains("token_f1"));
  }

  // Chance is what answers to other questions would score: between nothing and everything, by profile questions.
  void chanceComesFromOtherAnswers() {
    EngineParts parts(small_workload(2, 16, 3));
    QualityMeter meter;
    AnswerQuality quality(parts.services(), parts.serving_clock, meter, nullptr, 12);
    quality.use_metric("token_f1");
    const ProfileChance chance = quality.chance_on(0);
    const auto& questions = parts.catalog->details(0).questions;
    const auto profiled = std::ranges::count(questions, false, &CatalogQuestion::held_out);
    QCOMPARE(chance.n, static_cast<int>(profiled));
    QVERIFY(chance.mean >= 0 && chance.mean < 0.5);
    quality.use_metric("no such metric");
    QCOMPARE(quality.chance_on(0).n, 0);
  }

  // Of metrics that compare with uncompressed answers, chance is that of all profile questions: requests of another
  // policy do not change it.
  void chanceOfUncompressedAnswersDependsOnNoRequest() {
    EngineParts parts(small_workload(3, 24, 3));  // two contexts of one family, each with three profile questions
    QualityMeter meter;
    AnswerQuality quality(parts.services(), parts.serving_clock, meter, nullptr, 12);
    const char* const name = "token_f1@prefill";
    quality.use_metric(name);
    std::string own;
    const auto measured_chance = [&] {
      const auto task = served(parts, 0, 1);
      quality.measure(*task, 0, 1);
      own = task->record().answer;
      const auto& chances = task->record().quality_chance;
      const auto found = chances.find(name);
      return found == chances.end() ? std::nullopt : std::optional(found->second);
    };
    const auto answer = [&](std::size_t context, bool held_out, const std::string& text) {
      for (CatalogQuestion& question : parts.catalog->details(context).questions)
        if (question.held_out == held_out) question.reference_answer = text;
    };
    QVERIFY(!measured_chance());
    answer(2, true, own);
    answer(0, false, own);
    QVERIFY(!measured_chance());  // although gold answers are known
    answer(2, false, "zzz qqq");
    QCOMPARE(measured_chance().value_or(-1), 0.5);
    QCOMPARE(quality.chance_on(0).n, 3);
    QVERIFY(std::abs(quality.chance_on(0).mean - 2.0 / 5) < 1e-12);
    quality.use_metric(name);
    answer(2, true, "zzz");
    QCOMPARE(measured_chance().value_or(-1), 0.5);
  }

  void fewUncompressedAnswersGiveNoChance() {
    EngineParts parts(small_workload(1, 24, 3));
    QualityMeter meter;
    AnswerQuality quality(parts.services(), parts.serving_clock, meter, nullptr, 12);
    quality.use_metric("token_f1@prefill");
    for (CatalogQuestion& question : parts.catalog->details(0).questions) question.reference_answer = "1234";
    const auto task = served(parts, 0, 1);
    quality.measure(*task, 0, 1);
    QVERIFY(task->record().quality.contains("token_f1@prefill"));
    QVERIFY(!task->record().quality_chance.contains("token_f1@prefill"));
    QCOMPARE(quality.chance_on(0).n, 0);
  }

  // Of metrics that rest on predictions, chance is what profiling measured; another metric forgets it.
  void measuredChanceIsKeptUntilTheMetricChanges() {
    EngineParts parts(small_workload(1, 16, 3));
    QualityMeter meter;
    AnswerQuality quality(parts.services(), parts.serving_clock, meter, nullptr, 12);
    std::string of_predictions;
    for (const QualityMetric& metric : quality_metrics())
      if (metric.basis == QualityBasis::logits) of_predictions = metric.name;
    QVERIFY(!of_predictions.empty());
    quality.use_metric(of_predictions);
    QCOMPARE(quality.chance_on(0).n, 0);
    quality.learn(0, {0.25, 0.75});
    QCOMPARE(quality.chance_on(0).n, 2);
    QCOMPARE(quality.chance_on(0).mean, 0.5);
    quality.use_metric(of_predictions);
    QCOMPARE(quality.chance_on(0).n, 0);
  }
};

KV_TEST_GUILESS_MAIN(AnswerQualityTest)

}  // namespace answer_quality_test

#include "answer_quality_test.moc"
