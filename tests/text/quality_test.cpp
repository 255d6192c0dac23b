// links: kv_base kv_text
// Scores equal those of the published SQuAD script (tests/parity/make_quality_goldens.py), intervals those of numpy.
#include "core/text/quality.h"

#include <QtTest>

#include "core/base/json.h"

using namespace kvantage;

class QualityTest : public QObject {
  Q_OBJECT

  Json goldens_;

 private slots:
  void initTestCase() {
    goldens_ = read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/quality.json").value();
  }

  void scoresEqualThePublishedScripts() {
    QVERIFY(goldens_.at("pairs").size() > 400);
    for (const Json& pair : goldens_.at("pairs")) {
      const auto answer = pair.at("answer").get<std::string>();
      const auto gold = pair.at("gold").get<std::string>();
      const std::string shown = Json(answer).dump(-1, ' ', true) + " / " + Json(gold).dump(-1, ' ', true);
      QCOMPARE(QString::fromStdString(squad_normalized(answer)),
               QString::fromStdString(pair.at("normalized").get<std::string>()));
      QVERIFY2(exact_match(answer, gold) == pair.at("exact_match").get<double>(), shown.c_str());
      QVERIFY2(std::abs(token_f1(answer, gold) - pair.at("token_f1").get<double>()) < 1e-12, shown.c_str());
    }
  }

  void theIntervalIsThatOfTheBootstrap() {
    std::vector<double> scores;
    for (const Json& pair : goldens_.at("pairs")) scores.push_back(pair.at("token_f1").get<double>());
    const Json& expected = goldens_.at("interval");
    const MeanWithInterval result = mean_with_interval(scores, 3, 4000);
    QCOMPARE(result.n, scores.size());
    QVERIFY(std::abs(result.mean - expected.at("mean").get<double>()) < 1e-12);
    // Two bootstraps differ by chance; the interval is 0.056 wide.
    QVERIFY(std::abs(result.low - expected.at("low").get<double>()) < 0.003);
    QVERIFY(std::abs(result.high - expected.at("high").get<double>()) < 0.003);
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

  void theTableKnowsEveryMetricByName() {
    for (const char* name : {"exact_match", "token_f1"}) {
      const QualityMetric* metric = find_quality_metric(name);
      QVERIFY(metric != nullptr);
      QCOMPARE(metric->score("The answer.", "answer"), 1.0);
    }
    QVERIFY(find_quality_metric("no_such_metric") == nullptr);
    for (const QualityMetric& metric : quality_metrics()) {
      QCOMPARE(find_quality_metric(metric.name), &metric);
      for (const char* text : {"", "a", "the cat sat on the mat", "\xFF\xFE"}) {
        QCOMPARE(metric.score(text, text), 1.0);
        QVERIFY(metric.score(text, "quite another thing") <= 1.0 && metric.score(text, "quite another thing") >= 0.0);
      }
    }
  }

  void theBestOfSeveralGoldsCounts() {
    const QualityMetric& metric = *find_quality_metric("token_f1");
    QCOMPARE(best_score(metric, "on Monday", std::vector<std::string>{"Tuesday", "Monday", "on Monday"}), 1.0);
    QCOMPARE(best_score(metric, "on Monday", {}), 0.0);
  }
};

QTEST_GUILESS_MAIN(QualityTest)
#include "quality_test.moc"
