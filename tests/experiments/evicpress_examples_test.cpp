// links: kv_experiments
// The arithmetic of EvicPress, section 4.2, against numbers worked out by hand from the paper's text; each claim of the
// section has its number and its verdict.
#include <QtTest>

#include "core/experiments/claims.h"
#include "core/experiments/figures/experiments.h"
#include "tests/support/closed_host.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace evicpress_examples_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

FigureResult made() {
  ClosedHost host;
  const FigureArguments arguments = arguments_for(host, "evicpress/examples");
  const auto results = find_experiment("evicpress/examples")->run(arguments);
  if (!results || results->size() != 1) qFatal("the figure is not made");
  return results->front();
}

const MeasuredSpan* measured(const FigureResult& result, const std::string& claim) {
  const auto found = std::ranges::find(result.measured, claim, &MeasuredClaim::claim);
  return found == result.measured.end() ? nullptr : &found->measured;
}

bool near(double value, double expected, double within = 5e-4) { return std::fabs(value - expected) < within; }

}  // namespace

class EvicPressExamplesTest : public QObject {
  Q_OBJECT
  const FigureResult result_ = made();

  bool says(const std::string& text) const {
    return std::ranges::any_of(result_.findings,
                               [&](const std::string& finding) { return finding.find(text) != std::string::npos; });
  }

 private slots:
  // By hand: value, the ends that half a unit in the last place of each input allows, and how the paper's number
  // compares.
  void eachNumberFollowsFromTheOthers_data() {
    QTest::addColumn<QString>("claim");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<QString>("check");
    QTest::addColumn<QString>("verdict");
    const auto row = [](const char* claim, double value, double low, double high, const char* check,
                        const char* verdict) {
      QTest::newRow(claim) << QString("evicpress/") + claim << value << low << high << check << verdict;
    };
    row("utility-2wikimqa", 0.60, 0.59, 0.61, "within rounding", "agrees");
    row("utility-narrativeqa", 0.62, 0.61, 0.63, "within rounding", "agrees");
    // 0.04 / 0.10; 0.03 / 0.11; 0.05 / 0.09.
    row("alpha-threshold", 0.4, 0.2727, 0.5556, "within rounding", "cannot tell at this n");
    // 2 * 0.20 - 0.24; 2 * 0.195 - 0.245; 2 * 0.205 - 0.235.
    row("utility-2wikimqa-ttft", 0.16, 0.145, 0.175, "slip", "contradicts: larger");
    row("utility-2wikimqa-quality", 0.657, 0.6515, 0.6625, "within rounding", "agrees");
    row("utility-narrativeqa-quality", 0.671, 0.6655, 0.6765, "agrees", "agrees");
    row("utility-narrativeqa-ttft", 0.049, 0.0435, 0.0545, "agrees", "cannot tell at this n");
    // 0.92 - 0.04 / 0.3; 0.915 - 0.05 / 0.25; 0.925 - 0.03 / 0.35.
    row("alpha-quality-at-0.4", 0.7867, 0.715, 0.8393, "within rounding", "cannot tell at this n");
    // 0.24 - 0.3 * 0.10; 0.235 - 0.35 * 0.11; 0.245 - 0.25 * 0.09.
    row("alpha-ttft-at-0.4", 0.21, 0.1965, 0.2225, "within rounding", "cannot tell at this n");
    // 0.82 + 0.04 / 0.3; 0.815 + 0.03 / 0.35; 0.825 + 0.05 / 0.25.
    row("alpha-quality-at-0.2", 0.9533, 0.9007, 1.025, "within rounding", "cannot tell at this n");
    // 0.20 + 0.3 * 0.10; 0.195 + 0.25 * 0.09; 0.205 + 0.35 * 0.11.
    row("alpha-ttft-at-0.2", 0.23, 0.2175, 0.2435, "within rounding", "agrees");
  }
  void eachNumberFollowsFromTheOthers() {
    QFETCH(QString, claim);
    QFETCH(double, value);
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(QString, check);
    QFETCH(QString, verdict);
    const MeasuredSpan* found = measured(result_, claim.toStdString());
    QVERIFY(found && found->low_interval);
    QVERIFY2(near(found->low, value) && found->low == found->high, std::to_string(found->low).c_str());
    QVERIFY2(near(found->low_interval->low, low), std::to_string(found->low_interval->low).c_str());
    QVERIFY2(near(found->low_interval->high, high), std::to_string(found->low_interval->high).c_str());
    const FigureTable& numbers = result_.tables.front();
    const auto row = std::ranges::find_if(
        numbers.rows, [&](const auto& cells) { return near(cells[3].template get<double>(), value, 1e-4); });
    QVERIFY(row != numbers.rows.end());
    QCOMPARE(QString::fromStdString(row->back().get<std::string>()), check);
    QCOMPARE(QString::fromStdString(test::verdict_of(result_, claim.toStdString())), verdict);
  }

  void theSlipsAreNamed() {
    QVERIFY(says("of 11 printed numbers, 2 follow from the others, 8 within rounding; slips: 1"));
    QVERIFY(says("TTFT, 2wikimQA at 0.6: printed 0.05, computed 0.16"));
    QVERIFY(says("utility, 2wikimQA at 0.6: printed 0.607, computed 0.6 (0.65 - 0.05), 0.59 - 0.61"));
    QVERIFY(says("utility, NarrativeQA at 0.9: printed 0.621, computed 0.62 (0.67 - 0.05), 0.61 - 0.63"));
    QVERIFY(says("alpha above which 0.2 is preferred to 0.4: printed 0.3, computed 0.4"));
    // 0.35 * 0.82 - 0.20 and 0.35 * 0.92 - 0.24.
    QVERIFY(says("0.4 has the larger utility: 0.087 against 0.082"));
    // (0.24 - 0.05) / (0.92 - 0.65); (0.20 - 0.16) / (0.82 - 0.65).
    QVERIFY(says("0.4 is best at no alpha: 0.6 is up to 0.704, then 0.2; with 0.16 s, 0.4 is best from 0.235 to 0.4"));
  }

  void theLinePassesThroughThePrintedTimes() {
    const FigureTable& line = result_.tables.at(1);
    QCOMPARE(line.rows.size(), std::size_t{3});
    QVERIFY(near(line.rows[0][1].get<double>(), 0.24, 1e-6) && near(line.rows[1][1].get<double>(), 0.20, 1e-6));
    QVERIFY(near(line.rows[2][1].get<double>(), 0.16, 1e-6));
    QCOMPARE(line.plot->published.size(), std::size_t{3});
    QCOMPARE(line.plot->published.back().low, 0.05);
  }

  void utilitiesCrossAtTheThreshold() {
    const FigureTable& utilities = result_.tables.at(2);
    for (const auto& row : utilities.rows) {
      const double alpha = row[0].get<double>(), of_02 = row[1].get<double>(), of_04 = row[2].get<double>();
      QVERIFY(near(of_02, alpha * 0.92 - 0.24, 1e-9) && near(of_04, alpha * 0.82 - 0.20, 1e-9));
      QVERIFY(near(row[3].get<double>(), alpha * 0.65 - 0.05, 1e-9));
      if (!near(alpha, 0.4)) QCOMPARE(of_02 > of_04, alpha > 0.4);
    }
  }

  // Bytes of a token from the models' configurations: 2 * layers * KV heads * 128 * 2.
  void sizesAreThoseOfTheShapes() {
    const double token_32b = 2.0 * 64 * 8 * 128 * 2, token_30b = 98'304, token_8b = 131'072;
    const auto gigabytes = [&](const char* claim) {
      const MeasuredSpan* found = measured(result_, claim);
      return found == nullptr ? 0.0 : found->low;
    };
    QVERIFY(near(gigabytes("evicpress/kv-size-qwen3-32b"), token_32b * 32'000 / 1e9, 1e-9));
    QVERIFY(near(gigabytes("evicpress/kv-size-qwen3-30b-a3b"), token_30b * 1'000 / 1e9, 1e-9));
    QVERIFY(near(gigabytes("evicpress/kv-size-llama-3.1-8b"), token_8b * 1'000 / 1e9, 1e-9));
    for (const char* model : {"qwen3-32b", "qwen3-30b-a3b", "llama-3.1-8b"})
      QCOMPARE(test::verdict_of(result_, std::string("evicpress/kv-size-") + model), std::string("agrees"));
    QVERIFY(near(result_.tables.at(3).rows[0].back().get<double>(), 7.8125, 1e-9));
    QVERIFY(says("the sizes in GB are GiB"));
  }

  void itHasAllClaimsOfTheSection() {
    const auto claims = read_claims(test::source_directory() / "resources" / "claims.json");
    QVERIFY(claims);
    std::size_t count = 0;
    for (const PaperClaim& claim : *claims) {
      if (claim.id.starts_with("evicpress/") && claim.where == "section 4.2")
        QCOMPARE(claim.figure, std::string("evicpress/examples"));
      if (claim.figure != "evicpress/examples") continue;
      ++count;
      QVERIFY2(measured(result_, claim.id) != nullptr, claim.id.c_str());
    }
    QCOMPARE(count, std::size_t{14});
    QCOMPARE(result_.measured.size(), count);
    QCOMPARE(result_.provenance, Provenance::simulated);
  }
};

KV_TEST_GUILESS_MAIN(EvicPressExamplesTest)

}  // namespace evicpress_examples_test

#include "evicpress_examples_test.moc"
