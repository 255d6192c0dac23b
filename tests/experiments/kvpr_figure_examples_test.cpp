// links: kv_experiments
// Sizes of KV caches in KVPR's tables 1 to 4 against numbers worked out by hand: each claim of a size has its number
// and its verdict.
#include <QtTest>

#include "core/experiments/claims.h"
#include "core/experiments/figures/experiments.h"
#include "tests/support/closed_host.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace kvpr_figure_examples_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

FigureResult made() {
  ClosedHost host;
  const FigureArguments arguments = arguments_for(host, "kvpr/examples");
  const auto results = find_experiment("kvpr/examples")->run(arguments);
  if (!results || results->size() != 1) qFatal("the figure is not made");
  return results->front();
}

}  // namespace

class KvprFigureExamplesTest : public QObject {
  Q_OBJECT
  const FigureResult result_ = made();

 private slots:
  // By hand, in the paper's unit: 2 * layers * batch * tokens * hidden * 2 bytes, from the prompt to the end where the
  // paper does not say which tokens it counts; tokens a sequence that the printed size would be of.
  void sizesFollowFromTheShapes_data() {
    QTest::addColumn<double>("printed");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<double>("tokens");
    QTest::addColumn<QString>("check");
    const auto row = [](const char* claim, double printed, double low, double high, double tokens, const char* check) {
      QTest::newRow(claim) << printed << low << high << tokens << check;
    };
    row("kvpr/kv-size-1-6.7b", 512, 512, 512, 1024, "agrees");  // 128 KiB * 4,096
    row("kvpr/kv-size-1-13b", 640, 640, 640, 1024, "agrees");
    row("kvpr/kv-size-1-30b", 896, 896, 896, 1024, "agrees");
    // 16 KiB a token: 4 MiB of 256, 5 MiB of 320.
    row("kvpr/kv-size-2-batch-1", 3, 4, 5, 192, "slip");
    row("kvpr/kv-size-2-batch-2", 6, 8, 10, 192, "slip");
    row("kvpr/kv-size-2-batch-4", 12, 16, 20, 192, "slip");
    row("kvpr/kv-size-2-batch-8", 24, 32, 40, 192, "slip");
    row("kvpr/kv-size-2-batch-16", 48, 64, 80, 192, "slip");
    row("kvpr/kv-size-2-batch-32", 64, 128, 160, 128, "slip");
    // 32 MiB a token of 64 sequences.
    row("kvpr/kv-size-3-128-32", 5, 5, 5, 160, "agrees");
    row("kvpr/kv-size-3-128-128", 8, 8, 8, 256, "agrees");
    row("kvpr/kv-size-3-256-32", 9, 9, 9, 288, "agrees");
    row("kvpr/kv-size-3-256-128", 12, 12, 12, 384, "agrees");
    row("kvpr/kv-size-3-512-32", 17, 17, 17, 544, "agrees");
    row("kvpr/kv-size-3-512-128", 20, 20, 20, 640, "agrees");
    // 50 MiB a token; the printed ones have three decimals of these.
    row("kvpr/kv-size-4-128-32", 7.812, 7.8125, 7.8125, 7.812 * 1024 / 50, "agrees");
    row("kvpr/kv-size-4-128-128", 12.5, 12.5, 12.5, 256, "agrees");
    row("kvpr/kv-size-4-256-32", 14.062, 14.0625, 14.0625, 14.062 * 1024 / 50, "agrees");
    row("kvpr/kv-size-4-256-128", 18.75, 18.75, 18.75, 384, "agrees");
    row("kvpr/kv-size-4-512-32", 26.562, 26.5625, 26.5625, 26.562 * 1024 / 50, "agrees");
    row("kvpr/kv-size-4-512-128", 31.25, 31.25, 31.25, 640, "agrees");
  }
  void sizesFollowFromTheShapes() {
    QFETCH(double, printed);
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(double, tokens);
    QFETCH(QString, check);
    const std::string claim = QTest::currentDataTag();
    const auto found = std::ranges::find(result_.measured, claim, &MeasuredClaim::claim);
    QVERIFY(found != result_.measured.end());
    QCOMPARE(found->measured.low, low);
    QCOMPARE(found->measured.high, high);
    QVERIFY(found->measured.low_interval && found->measured.high_interval && !found->of_time);
    const FigureTable& table = result_.tables.front();
    QCOMPARE(table.rows.size(), result_.measured.size());
    const auto& row = table.rows.at(static_cast<std::size_t>(found - result_.measured.begin()));
    const auto number = [&](const char* column) {
      const auto at = std::ranges::find(table.columns, column) - table.columns.begin();
      return row.at(static_cast<std::size_t>(at)).get<double>();
    };
    QCOMPARE(number("printed"), printed);
    QCOMPARE(number("computed"), low);
    QCOMPARE(number("computed at the end"), high);
    QVERIFY(std::fabs(number("tokens of the printed size") - tokens) < 1e-9);
    QCOMPARE(QString::fromStdString(row.back().get<std::string>()), check);
    QCOMPARE(test::verdict_of(result_, claim), std::string(check == "agrees" ? "agrees" : "contradicts: larger"));
  }

  void slipsAreNamed() {
    const auto says = [this](const std::string& text) { return std::ranges::count(result_.findings, text) == 1; };
    QVERIFY(says("of 21 sizes, 15 follow from the models' shapes; slips: 6"));
    QVERIFY(says("the paper's MB and GB are MiB and GiB: its sizes are compared in these"));
    QVERIFY(says("table 2, batch 1: printed 3, computed 4 - 5 MiB; it is the size of 192 tokens a sequence"));
    QVERIFY(says("table 2, batch 32: printed 64, computed 128 - 160 MiB; it is the size of 128 tokens a sequence"));
    QCOMPARE(result_.findings.size(), std::size_t{8});
  }

  void itHasAllClaimsOfSizes() {
    const auto claims = read_claims(test::source_directory() / "resources" / "claims.json");
    QVERIFY(claims);
    std::size_t count = 0;
    for (const PaperClaim& claim : *claims) {
      QCOMPARE(claim.id.starts_with("kvpr/kv-size-"), claim.figure == "kvpr/examples");
      if (claim.figure != "kvpr/examples") continue;
      ++count;
      const auto found = std::ranges::find(result_.measured, claim.id, &MeasuredClaim::claim);
      QVERIFY2(found != result_.measured.end(), claim.id.c_str());
      const auto& row = result_.tables.front().rows.at(static_cast<std::size_t>(found - result_.measured.begin()));
      QCOMPARE(row.at(7).get<std::string>(), claim.unit);
      QCOMPARE(row.at(8).get<double>(), *claim.span.low);
    }
    QCOMPARE(count, result_.measured.size());
    QCOMPARE(result_.provenance, Provenance::simulated);
  }
};

KV_TEST_GUILESS_MAIN(KvprFigureExamplesTest)

}  // namespace kvpr_figure_examples_test

#include "kvpr_figure_examples_test.moc"
