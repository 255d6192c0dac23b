// links: kv_ui_models
// Predictions of a lesson: committed once, compared with what the run shows, counted at the end; and the metrics that
// they are compared with, on requests that are known.
#include "ui/learn/model/lesson_predictions.h"

#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <limits>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/learn/model/lesson_facts.h"
#include "ui/text/words.h"

namespace lesson_predictions_test {

using namespace kvantage;
using State = LessonPrediction::State;

class LessonPredictionsTest : public QObject {
  Q_OBJECT

  static LessonStep number_step(const QString& value, double low, double high, double within, bool relative = false) {
    LessonStep step;
    step.title = "How much?";
    step.guess.asked = true;
    step.guess.kind = LessonGuess::Kind::number;
    step.guess.range = {low, high};
    step.guess.unit = find_lesson_metric(value)->unit;
    step.guess.value = value;
    step.guess.within = within;
    step.guess.relative = relative;
    return step;
  }
  static LessonStep choice_step() {
    LessonStep step;
    step.title = "How many?";
    step.guess.asked = true;
    step.guess.kind = LessonGuess::Kind::choice;
    step.guess.value = "prefill_share";
    step.guess.choices = {{"Few", {.high = 10}}, {"Some", {10, 50}}, {"Most", {.low = 50}}};
    return step;
  }
  static LessonStep curve_step() {
    LessonStep step;
    step.title = "Where?";
    step.guess.asked = true;
    step.guess.kind = LessonGuess::Kind::curve_point;
    step.guess.value = "knee_alpha";
    step.guess.within = 1;
    step.guess.relative = true;
    return step;
  }

 private slots:
  void onlyStepsThatAskHaveOne() {
    LessonPredictions predictions;
    predictions.begin({LessonStep(), choice_step()});
    QVERIFY(!predictions.asks(0) && !predictions.at(0) && !predictions.is_open(0) && !predictions.is_open(7));
    QVERIFY(predictions.asks(1) && predictions.is_open(1));
    QVERIFY(!predictions.commit_number(0, 1) && !predictions.commit_choice(0, 0));
    predictions.skip(0);
    predictions.compare(0, {});
    QCOMPARE(predictions.score().asked, 1);
  }

  void aPredictionIsCommittedOnce() {
    LessonPredictions predictions;
    predictions.begin({number_step("measured_quality", 0, 1, 0.1)});
    QSignalSpy changed(&predictions, &LessonPredictions::changed);
    for (const double wrong : {-0.01, 1.01, std::nan(""), std::numeric_limits<double>::infinity()})
      QVERIFY(!predictions.commit_number(0, wrong));
    QVERIFY(!predictions.commit_choice(0, 0));
    QVERIFY(changed.isEmpty() && predictions.result_text(0).isEmpty());
    QVERIFY(predictions.commit_number(0, 0.5));
    QVERIFY(!predictions.commit_number(0, 0.6));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(predictions.guess_text(0), QString("0.500"));
    QCOMPARE(predictions.result_text(0), QString("Your prediction: 0.500\nNo result yet"));
    predictions.compare(0, {0.42, Provenance::measured, 25});
    predictions.compare(0, {0.9, Provenance::measured, 50});  // the first one stays
    QCOMPARE(predictions.result_text(0),
             QString("Your prediction: 0.500\nResult: 0.420 (measured, n = 25)\n✓ Right: off by 0.080 (19 % of the "
                     "result), and up to 0.100 counts"));
    predictions.skip(0);
    QVERIFY(predictions.at(0)->state == State::compared);
  }

  void farOffIsNotRight() {
    LessonPredictions predictions;
    predictions.begin({number_step("measured_ttft", 0, 10, 0.2, true)});
    QVERIFY(predictions.commit_number(0, 0.5));
    predictions.compare(0, {0.25, Provenance::throttled, 12});
    const QString text = predictions.result_text(0);
    QVERIFY2(text.contains("throttled, n = 12") && text.contains("✗ Wrong") && text.contains("100 % of the result") &&
                 text.endsWith("up to 20 % counts"),
             qPrintable(text));
    QCOMPARE(predictions.score().wrong, 1);
  }

  void choicesAreJudgedByTheResult() {
    LessonPredictions predictions;
    predictions.begin({choice_step()});
    QVERIFY(!predictions.commit_choice(0, 3) && !predictions.commit_choice(0, -1));
    QVERIFY(predictions.commit_choice(0, 0));
    predictions.compare(0, {30, Provenance::measured, 25});
    QCOMPARE(predictions.result_text(0),
             QString("Your prediction: Few\nResult: 30 % (measured, n = 25)\n✗ Wrong; the result says: Some"));
    predictions.reopen(0);
    QVERIFY(predictions.is_open(0) && predictions.result_text(0).isEmpty());
    QVERIFY(predictions.commit_choice(0, 1));
    predictions.compare(0, {30, Provenance::measured, 25});
    QVERIFY(predictions.result_text(0).endsWith("✓ Right"));
  }

  void aPlaceOnTheCurveIsJudgedByAFactor() {
    LessonPredictions predictions;
    predictions.begin({curve_step()});
    QVERIFY(!predictions.commit_number(0, 0) && predictions.commit_number(0, 0.1));
    predictions.compare(0, {0.4, Provenance::predicted, 0});
    QCOMPARE(predictions.result_text(0), QString("Your prediction: 0.100\nResult: 0.400 (predicted)\n✗ Wrong: off by "
                                                 "a factor of 4.00, and up to a factor of 2.00 counts"));
  }

  void theSummaryCountsThemAll() {
    LessonPredictions predictions;
    predictions.begin({choice_step(), LessonStep(), number_step("measured_quality", 0, 1, 0.1), choice_step(),
                       number_step("prefill_share", 0, 100, 5), curve_step()});
    QVERIFY(predictions.commit_choice(0, 2));
    predictions.compare(0, {80, Provenance::measured, 25});  // right
    QVERIFY(predictions.commit_number(2, 0.9));
    predictions.compare(2, {0.5, Provenance::measured, 25});  // wrong
    predictions.skip(3);
    QVERIFY(predictions.commit_number(4, 30));  // no result
    const LessonPredictions::Score score = predictions.score();
    QVERIFY(score.asked == 5 && score.right == 1 && score.wrong == 1 && score.skipped == 1);
    const QStringList lines = predictions.summary().split('\n');
    QCOMPARE(lines.front(), QString("1 of 5 right, 1 skipped, 2 without a result"));
    QVERIFY(predictions.summary().contains("How many?\nSkipped: no prediction was committed."));
    QVERIFY(predictions.summary().endsWith("Where?\nNot asked"));
    predictions.begin({choice_step()});
    QCOMPARE(predictions.summary().split('\n').front(), QString("0 of 1 right, 1 without a result"));
  }

  void metricsAreThoseOfTheRun() {
    ScriptedSession session;
    RunModel run(session);
    for (const QString& name : lesson_metric_names())
      QVERIFY2(!lesson_metric(name, run), qPrintable(name));  // nothing is known yet
    QVERIFY(!lesson_metric("taste", run) && !find_lesson_metric("taste"));
    run.frontier.set_committed(session.settings());
    double seconds = 0, quality = 0;
    for (std::uint64_t i = 1; i <= 4; ++i) {
      RequestRecord record;
      record.id = i;
      record.context_id = "c";
      record.family = "f";
      record.policy = "evicpress";
      record.source = i <= 3 ? "dram" : "prefill";
      record.answer_tokens = 4;
      record.timing.ttft_service_seconds = 0.1 * static_cast<double>(i);
      record.quality = {{"token_f1", i <= 2 ? 1.0 : 0.0}};
      record.decoding.held_bytes = 1000;
      seconds += record.timing.ttft_service_seconds;
      quality += i <= 2 ? 1 : 0;
      run.frontier.add_request(record);
      run.hit_rates.request_finished(record, 1000);
    }
    const auto measured = lesson_metric("measured_quality", run), ttft = lesson_metric("measured_ttft", run),
               prefill = lesson_metric("prefill_share", run);
    QVERIFY(measured && ttft && prefill);
    QCOMPARE(measured->value, quality / 4);
    QCOMPARE(ttft->value, seconds / 4);
    QVERIFY(measured->n == 4 && ttft->n == 4);
    QCOMPARE(prefill->value, 25.0);
    QVERIFY(!lesson_metric("decoding_kv_share", run));  // no answer was decoded under eviction
  }

  // Matrices that are read for each token are bytes, too.
  void theFactOfDecodeOffloadCountsAllThatIsRead() {
    ScriptedSession session;
    RunModel run(session);
    QVERIFY(!lesson_fact("offload", run).contains("read"));
    RequestRecord record;
    record.id = 1;
    record.answer_tokens = 11;
    OffloadRecord offload{.setting = "ssd(split=load_only,weights=all_first)", .not_applied = {}};
    offload.steps = 10;
    offload.input_bytes = 10 << 20;
    offload.kv_bytes = 30 << 20;
    offload.weight_bytes = 20 << 20;
    record.decoding.offload = offload;
    run.requests.request_finished(record);
    const QString fact = lesson_fact("offload", run);
    QVERIFY2(fact.contains(bytes_text(6 << 20) + " read"), qPrintable(fact));
  }

  void curvesAreReadBetweenTheirSamples() {
    FrontierModel frontier;
    FrontierPrediction answer;
    answer.job = 1;
    answer.curves = {{"evicpress", {{0.01, {0.2, 0.1}}, {1, {0.6, 0.3}}}, 1}};
    frontier.set_present(QStringLiteral("evicpress"), 0.5);
    frontier.set_prediction(answer);
    QVERIFY(!mean_on_curve(frontier, 0.009) && !mean_on_curve(frontier, 1.1) && !mean_on_curve(frontier, 0));
    const auto between = mean_on_curve(frontier, 0.1), end = mean_on_curve(frontier, 1);
    QVERIFY(between && end);
    QCOMPARE(between->quality, 0.4);  // halfway by log alpha
    QCOMPARE(between->ttft_seconds, 0.2);
    QCOMPARE(end->quality, 0.6);
  }
};

KV_TEST_GUILESS_MAIN(LessonPredictionsTest)

}  // namespace lesson_predictions_test

#include "lesson_predictions_test.moc"
