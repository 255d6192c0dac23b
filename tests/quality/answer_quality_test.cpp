// links: core_quality tiers
// The part of the engine that scores answers, without the others.
#include "core/quality/answer_quality.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "tests/support/engine_parts_work.h"
#include "tests/support/memory_stores.h"
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

  // One answer, and every metric of AdaptCache's tasks: no second serving.
  void oneAnswerIsScoredByTheMetricsOfAllTasks() {
    EngineParts parts(small_workload(1, 24, 3));
    QualityMeter meter;
    AnswerQuality quality(parts.services(), parts.serving_clock, meter, nullptr, 12);
    quality.use_metric("by_task");
    for (CatalogQuestion& question : parts.catalog->details(0).questions) question.reference_answer = "1234 5678";
    const auto task = served(parts, 0, 1);
    quality.measure(*task, 0, 1);
    const auto& scores = task->record().quality;
    const std::string& family = parts.catalog->facts(0).family;
    const std::string& its_own = metric_for_family(*find_quality_metric("by_task"), family).name;
    for (const char* name : {"by_task", "token_f1@prefill", "rouge_l@prefill", "token_f1"})
      QVERIFY2(scores.contains(name), name);
    QVERIFY(!scores.contains("code_bleu") && !scores.contains("cosine") && !scores.contains("logit_kl"));
    QCOMPARE(scores.at("by_task"), scores.at(its_own));
    quality.use_metric("token_f1@prefill");
    const auto other = served(parts, 0, 1);
    quality.measure(*other, 0, 1);
    QVERIFY(other->record().quality.contains("token_f1@prefill"));
    QVERIFY(!other->record().quality.contains("rouge_l@prefill") && !other->record().quality.contains("by_task"));
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

  // A context's answers are written when they have changed, and no others are.
  void onlyWhatChangedIsStored() {
    EngineParts parts(small_workload(3, 8, 3, 2));
    QualityMeter meter;
    MemoryProfileStore store;
    const ProfileScope scope{.model = {1, 2}, .workload = {3, 4}, .quality_metric = "token_f1"};
    AnswerQuality quality(parts.services(), parts.serving_clock, meter, &store, 12);
    quality.use_metric("token_f1");
    QVERIFY(quality.load(scope) && quality.save(scope));
    QVERIFY(store.values.empty());
    const auto answer = [&](std::size_t context, const std::string& text) {
      parts.catalog->details(context).questions[1].reference_answer = text;
      quality.learn(context, {});
    };
    answer(0, "1234");
    answer(2, "5678");
    QVERIFY(quality.save(scope));
    QCOMPARE(store.values.size(), std::size_t{2});
    const auto value_of = [&](std::size_t context) -> Json& {
      for (auto& [key, value] : store.values)
        if (key.ends_with("/" + parts.catalog->facts(context).id)) return value;
      qFatal("nothing is stored");
    };
    for (const auto& [context, text] : std::map<std::size_t, std::string>{{0, "1234"}, {2, "5678"}}) {
      QCOMPARE(value_of(context).size(), std::size_t{1});
      QCOMPARE(value_of(context).begin()->get<std::string>(), text);
    }
    value_of(0) = value_of(2) = "as it was";
    answer(0, "1234");  // the same
    answer(2, "9999");
    QVERIFY(quality.save(scope));
    QVERIFY(value_of(0) == "as it was");
    QCOMPARE(value_of(2).begin()->get<std::string>(), std::string("9999"));
    store.broken.insert("save_value");
    answer(1, "4321");
    QVERIFY(!quality.save(scope));
    store.broken.clear();
    QVERIFY(quality.save(scope));  // what failed is not lost
    QCOMPARE(store.values.size(), std::size_t{3});
  }

  // Another session has what was stored, by context or, as earlier versions did, as one value; it stores none again.
  void storedAnswersAreFoundAgain() {
    EngineParts parts(small_workload(2, 8, 3, 2));
    QualityMeter meter;
    MemoryProfileStore store;
    const ProfileScope scope{.model = {1, 2}, .workload = {3, 4}, .quality_metric = "logit_kl"};
    const auto& facts = parts.catalog->facts(1);
    {
      AnswerQuality quality(parts.services(), parts.serving_clock, meter, &store, 12);
      quality.use_metric(scope.quality_metric);
      parts.catalog->details(0).questions[0].reference_answer = "1234";
      quality.learn(0, {0.25, 0.75});
      QVERIFY(quality.save(scope));
    }
    const std::string known = store.values.rbegin()->first;  // reference_answers/MODEL/WORKLOAD/c0
    const std::string all = known.substr(0, known.rfind('/'));
    store.values[all] = {{facts.id + "\n" + parts.catalog->details(1).questions[0].text, "5678"}};
    for (std::size_t c : {0, 1}) parts.catalog->details(c).questions[0].reference_answer.reset();
    AnswerQuality again(parts.services(), parts.serving_clock, meter, &store, 12);
    again.use_metric(scope.quality_metric);
    QVERIFY(again.load(scope));
    QCOMPARE(parts.catalog->details(0).questions[0].reference_answer.value_or(""), std::string("1234"));
    QCOMPARE(parts.catalog->details(1).questions[0].reference_answer.value_or(""), std::string("5678"));
    QCOMPARE(again.chance_on(0).mean, 0.5);
    const auto before = store.values;
    again.learn(0, {});
    store.broken.insert("save_value");
    QVERIFY(again.save(scope));  // there is nothing to write
    QVERIFY(store.values == before);
  }
};

KV_TEST_GUILESS_MAIN(AnswerQualityTest)

}  // namespace answer_quality_test

#include "answer_quality_test.moc"
