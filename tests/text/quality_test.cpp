// links: kv_base core_text
// Scores equal those of the published SQuAD script and of rouge-score (tests/parity/make_quality_goldens.py), intervals
// those of numpy; a meter takes what each metric compares with, and chance is the mean over all other answers.
#include "core/text/quality_meter.h"

#include <QtTest>

#include "core/base/json.h"
#include "tests/support/test_program.h"

namespace quality_test {

using namespace kvantage;

namespace {

/// A vector of which letters a and b a text has, to see when it is asked for.
class LetterEmbedder final : public Embedder {
 public:
  explicit LetterEmbedder(int& embedded) : embedded_(embedded) {}
  int width() const override { return 2; }
  Digest128 digest() const override { return {1, 2}; }
  Expected<std::vector<std::vector<float>>> embed(std::span<const std::string> texts) override {
    std::vector<std::vector<float>> vectors;
    for (const std::string& text : texts) {
      const bool a = text.find('a') != std::string::npos, b = text.find('b') != std::string::npos;
      const float length = a && b ? std::sqrt(2.0F) : 1.0F;
      vectors.push_back({static_cast<float>(a) / length, static_cast<float>(b) / length});
      ++embedded_;
    }
    return vectors;
  }

 private:
  int& embedded_;
};

}  // namespace

class QualityTest : public QObject {
  Q_OBJECT

  Json goldens_;

 private slots:
  void initTestCase() {
    goldens_ = read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/quality.json").value();
  }

  void scoresEqualThePublishedScripts() {
    QVERIFY(goldens_.at("pairs").size() >= 500);
    for (const Json& pair : goldens_.at("pairs")) {
      const auto answer = pair.at("answer").get<std::string>();
      const auto gold = pair.at("gold").get<std::string>();
      const std::string shown = Json(answer).dump(-1, ' ', true) + " / " + Json(gold).dump(-1, ' ', true);
      QCOMPARE(QString::fromStdString(squad_normalized(answer)),
               QString::fromStdString(pair.at("normalized").get<std::string>()));
      QVERIFY2(exact_match(answer, gold) == pair.at("exact_match").get<double>(), shown.c_str());
      QVERIFY2(std::abs(token_f1(answer, gold) - pair.at("token_f1").get<double>()) < 1e-12, shown.c_str());
      // The one difference: what has no words of a-z and 0-9 is compared with the other text as is, not always wrong.
      const double rouge = answer == gold && pair.at("rouge_l") == 0.0 ? 1.0 : pair.at("rouge_l").get<double>();
      QVERIFY2(std::abs(rouge_l(answer, gold) - rouge) < 1e-12, shown.c_str());
    }
  }

  void theIntervalIsThatOfTheBootstrap() {
    std::vector<double> scores;
    for (const Json& pair : goldens_.at("pairs")) scores.push_back(pair.at("token_f1").get<double>());
    const Json& expected = goldens_.at("interval");
    const MeanWithInterval result = mean_with_interval(scores, 3, 4000);
    QCOMPARE(result.n, scores.size());
    QVERIFY(std::abs(result.mean - expected.at("mean").get<double>()) < 1e-12);
    // Two bootstraps differ by chance; the interval is 0.07 wide.
    QVERIFY(std::abs(result.low - expected.at("low").get<double>()) < 0.004);
    QVERIFY(std::abs(result.high - expected.at("high").get<double>()) < 0.004);
  }

  void theSameSeedGivesTheSameInterval() {
    const std::vector<double> scores = {0, 1, 0.5, 1, 0, 0.25};
    const MeanWithInterval one = mean_with_interval(scores, 5);
    const MeanWithInterval two = mean_with_interval(scores, 5);
    QCOMPARE(one.low, two.low);
    QCOMPARE(one.high, two.high);
    QVERIFY(one.low < one.mean && one.mean < one.high);
    QVERIFY(mean_with_interval(scores, 6).low != one.low || mean_with_interval(scores, 6).high != one.high);
  }

  void fewScoresMakeNoFalseInterval() {
    QCOMPARE(mean_with_interval({}).n, std::size_t{0});
    QCOMPARE(mean_with_interval({}).mean, 0.0);
    const std::vector<double> one = {0.75};
    const MeanWithInterval result = mean_with_interval(one);
    QCOMPARE(result.low, 0.75);
    QCOMPARE(result.high, 0.75);
  }

  void choicesAreTheLettersThatAnAnswerNames_data() {
    QTest::addColumn<QString>("answer");
    QTest::addColumn<QString>("gold");
    QTest::addColumn<double>("score");
    const auto row = [](const char* answer, const char* gold, double score) {
      QTest::newRow(qPrintable(QString("%1 / %2").arg(answer, gold))) << answer << gold << score;
    };
    row("B", "B", 1);
    row("(B) because it says so", "B", 1);
    row("B. first option A", "B", 1);
    row("The correct answer is (C).", "C", 1);
    row("Answer: B", "B", 1);
    row("**A**", "A", 1);
    row("I think D", "D", 1);
    row("A, C", "AC", 1);
    row("AC.", "CA", 1);
    row("A", "AC", 0);  // exactly all of them
    row("A", "B", 0);
    row("A cat sat", "C", 0);
    row("", "A", 0);
    row("the", "A", 0);       // which exact_match takes for "A"
    row("true.", "True", 1);  // no letters: as exact_match
  }
  void choicesAreTheLettersThatAnAnswerNames() {
    QFETCH(QString, answer);
    QFETCH(QString, gold);
    QFETCH(double, score);
    QCOMPARE(choice_match(answer.toStdString(), gold.toStdString()), score);
  }

  void containedAnswersAreWholeWords() {
    QCOMPARE(contains_answer("It is 42 crowns, I think.", "42 crowns"), 1.0);
    QCOMPARE(contains_answer("It is 142", "42"), 0.0);
    QCOMPARE(contains_answer("The Mill of Orsay", "a mill of orsay!"), 1.0);
    QCOMPARE(contains_answer("something", ""), 0.0);
    QCOMPARE(word_recall("7 and 9", "7, 8, 9"), 2.0 / 3);
    QCOMPARE(word_recall("9 8 7", "7, 8, 9"), 1.0);
    QCOMPARE(word_recall("", "7"), 0.0);
  }

  void theTableKnowsEveryMetricByName() {
    for (const char* name : {"exact_match", "token_f1", "rouge_l", "choice", "contains", "word_recall", "cosine",
                             "code_bleu", "logit_kl", "top1_agreement"}) {
      QVERIFY2(find_quality_metric(name) != nullptr, name);
      QVERIFY(quality_metric_names().find(name) != std::string::npos);
    }
    QVERIFY(find_quality_metric("no_such_metric") == nullptr);
    const auto unknown = require_quality_metric("no_such_metric");
    QVERIFY(!unknown && unknown.error().code == ErrorCode::usage);
    QVERIFY(unknown.error().message.find("rouge_l") != std::string::npos);
    for (const QualityMetric& metric : quality_metrics()) {
      QCOMPARE(find_quality_metric(metric.name), &metric);
      QCOMPARE(bool(metric.score), metric.basis == QualityBasis::words);
      QCOMPARE(metric.at_prefill, metric.name.ends_with("@prefill"));
      QCOMPARE(find_quality_metric(metric.name + "@prefill") != nullptr,
               metric.basis == QualityBasis::words && !metric.at_prefill);
      if (!metric.score) continue;
      for (const char* text : {"", "a", "the cat sat on the mat", "\xFF\xFE", "\u5b57"}) {
        QCOMPARE(metric.score(text, text), 1.0);
        QVERIFY(metric.score(text, "quite another thing") <= 1.0 && metric.score(text, "quite another thing") >= 0.0);
      }
    }
  }

  void wordsAreHeldAgainstGoldsElseTheReference() {
    QualityMeter meter;
    const QualityMetric& metric = *find_quality_metric("token_f1");
    AnswerEvidence evidence{
        .answer = "on Monday", .golds = {"Tuesday", "Monday"}, .reference = "on Monday", .logits = {}};
    QCOMPARE(**meter.score(metric, evidence), token_f1("on Monday", "Monday"));
    evidence.golds.clear();
    QCOMPARE(**meter.score(metric, evidence), 1.0);
    evidence.reference.reset();
    QVERIFY(!*meter.score(metric, evidence));
  }

  // As AdaptCache scores: against the answer after a full prefill, whatever the workload expects.
  void wordsAtPrefillAreHeldAgainstTheReference() {
    QualityMeter meter;
    const QualityMetric& metric = *find_quality_metric("token_f1@prefill");
    AnswerEvidence evidence{.answer = "on Monday", .golds = {"Tuesday"}, .reference = "Monday", .logits = {}};
    QCOMPARE(**meter.score(metric, evidence), token_f1("on Monday", "Monday"));
    QCOMPARE(**meter.score(*find_quality_metric("token_f1"), evidence), 0.0);
    evidence.answer = "Monday";
    QCOMPARE(**meter.score(metric, evidence), 1.0);  // a wrong answer that stays the same
    const std::vector<std::string> others{"Tuesday", "Monday", "Friday", "monday."};
    QCOMPARE(**meter.chance(metric, evidence, others), 2.0 / 4);
    QCOMPARE(**meter.chance(*find_quality_metric("token_f1"), evidence, others), 1.0 / 4);
    evidence.reference.reset();
    QVERIFY(!*meter.score(metric, evidence));
    QVERIFY(!*meter.chance(metric, evidence, others));
  }

  // AdaptCache's three tasks: each family of texts has a metric of its own, against the answer after a full prefill.
  void everyTaskHasItsMetric_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("metric");
    for (const char* family : {"code", "lcc", "repobench-p"}) QTest::newRow(family) << family << "code_bleu";
    for (const char* family : {"ledger", "gov_report", "qmsum", "multi_news", "samsum"})
      QTest::newRow(family) << family << "rouge_l@prefill";
    for (const char* family : {"news", "registry", "hotpotqa", "triviaqa", "of my own", ""})
      QTest::newRow(qPrintable(QString("family '%1'").arg(family))) << family << "token_f1@prefill";
  }
  void everyTaskHasItsMetric() {
    QFETCH(QString, family);
    QFETCH(QString, metric);
    const QualityMetric& by_task = *find_quality_metric(by_task_metric);
    QVERIFY(by_task.compares_with_reference());
    const QualityMetric& its_own = metric_for_family(by_task, family.toStdString());
    QCOMPARE(QString::fromStdString(its_own.name), metric);
    // What is no metric by task is itself, and the metrics of words score every family beside it.
    QCOMPARE(&metric_for_family(its_own, family.toStdString()), &its_own);
    for (const QualityMetric& one : quality_metrics())
      QCOMPARE(is_scored_by_task(one, family.toStdString()), one.name == "token_f1@prefill" ||
                                                                 one.name == "rouge_l@prefill" ||
                                                                 (one.name == "code_bleu" && metric == "code_bleu"));
    QualityMeter meter;
    const std::string other = "red and then green";
    const AnswerEvidence evidence{.answer = "then green and red",
                                  .golds = {"then green and red"},
                                  .reference = other,
                                  .logits = {},
                                  .family = family.toStdString()};
    const auto score = meter.score(by_task, evidence), wanted = meter.score(its_own, evidence);
    QCOMPARE(score.has_value(), wanted.has_value());  // a build may have no parser of code
    if (!score) return;
    QCOMPARE(**score, **wanted);
    if (metric != "code_bleu") QVERIFY(metric == "rouge_l@prefill" ? **score < 1 : **score == 1);  // the same words
    const std::vector<std::string> others{other, "blue", "green"};
    QCOMPARE(**meter.chance(by_task, evidence, others), **meter.chance(its_own, evidence, others));
  }

  void predictionsAreScoredByWhatWasMeasured() {
    QualityMeter meter;
    const QualityMetric& kl = *find_quality_metric("logit_kl");
    const QualityMetric& top1 = *find_quality_metric("top1_agreement");
    AnswerEvidence evidence{.answer = "x", .golds = {"x"}, .reference = "x", .logits = {}};
    QVERIFY(!*meter.score(kl, evidence));
    evidence.logits = LogitMetrics{.kl_nats = std::log(4.0), .top1_agreement = 0.75, .tokens = 8};
    QVERIFY(std::abs(**meter.score(kl, evidence) - 0.25) < 1e-12);
    QCOMPARE(**meter.score(top1, evidence), 0.75);
    evidence.logits = LogitMetrics{};
    QCOMPARE(**meter.score(kl, evidence), 1.0);
  }

  void meaningIsComputedOnlyForUnlikeTexts() {
    const QualityMetric& cosine = *find_quality_metric("cosine");
    int embedded = 0;
    QualityMeter meter(
        [&]() -> Expected<std::unique_ptr<Embedder>> { return std::make_unique<LetterEmbedder>(embedded); });
    AnswerEvidence evidence{.answer = "ab", .golds = {"zz"}, .reference = "ab", .logits = {}};
    QCOMPARE(**meter.score(cosine, evidence), 1.0);
    QCOMPARE(embedded, 0);
    evidence.answer = "a";  // (1, 0) and (1, 1) / sqrt(2)
    QVERIFY(std::abs(**meter.score(cosine, evidence) - std::sqrt(0.5)) < 1e-6);
    QCOMPARE(embedded, 2);
    evidence.reference.reset();
    QVERIFY(!*meter.score(cosine, evidence));
    QualityMeter without;
    evidence.reference = "ab";
    const auto refused = without.score(cosine, evidence);
    QVERIFY(!refused && refused.error().code == ErrorCode::rejected_input);
  }

  void chanceIsTheMeanOverAllOtherAnswers() {
    QualityMeter meter;
    const QualityMetric& metric = *find_quality_metric("exact_match");
    const AnswerEvidence evidence{
        .answer = "never looked at", .golds = {"red", "crimson"}, .reference = "green", .logits = {}};
    const std::vector<std::string> others{"Red", "blue", "blue", "crimson.", "green", "grey", "black", "white"};
    QCOMPARE(**meter.chance(metric, evidence, others), 2.0 / 8);
    QVERIFY(!*meter.chance(metric, evidence, {}));
    const AnswerEvidence without_gold{.answer = "", .golds = {}, .reference = "green", .logits = {}};
    QCOMPARE(**meter.chance(metric, without_gold, others), 1.0 / 8);
  }

  void chanceOfVeryManyIsOfAnEvenSample() {
    QualityMeter meter;
    std::vector<std::string> others(10000, "blue");
    for (std::size_t i = 0; i < others.size() / 2; ++i) others[i] = "red";
    const AnswerEvidence evidence{.answer = "", .golds = {"red"}, .reference = {}, .logits = {}};
    QCOMPARE(**meter.chance(*find_quality_metric("exact_match"), evidence, others), 0.5);
  }

  void theBestOfSeveralGoldsCounts() {
    const QualityMetric& metric = *find_quality_metric("token_f1");
    QCOMPARE(best_score(metric, "on Monday", std::vector<std::string>{"Tuesday", "Monday", "on Monday"}), 1.0);
    QCOMPARE(best_score(metric, "on Monday", {}), 0.0);
  }
};

KV_TEST_GUILESS_MAIN(QualityTest)

}  // namespace quality_test

#include "quality_test.moc"
