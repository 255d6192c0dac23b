// links: kv_reports
// The worked example of EvicPress, figure 2: a 4 GB cache that may be cut to 5 % without loss, an 8 GB cache that any
// cut severely degrades; a fast tier of 20 GB/s that holds 8 GB, a slow one of 2 GB/s. The paper gives total TTFT
// 0.3, 2.4, 0.5 s and quality 75, 100, 100 %.
#include <QtTest>

#include "core/experiments/worked_example.h"
#include "core/policy/policy.h"
#include "tests/support/test_program.h"

namespace evicpress_figure2_test {

using namespace kvantage;

class EvicPressFigure2Test : public QObject {
  Q_OBJECT
 private slots:
  void givesThePapersNumbers_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("total_ttft");
    QTest::addColumn<double>("quality");
    QTest::newRow("compression only") << "fixed(cut,0.5)" << 0.3 << 0.75;
    QTest::newRow("eviction only") << "lru" << 2.4 << 1.0;
    QTest::newRow("both together") << "evicpress" << 0.5 << 1.0;
    QTest::newRow("both together, as algorithm 1") << "evicpress(start=quality)" << 0.5 << 1.0;
    QTest::newRow("both together, the paper's rule") << "evicpress(quality=raw)" << 0.5 << 1.0;
    QTest::newRow("both together, best drop") << "evicpress(drop=best)" << 0.5 << 1.0;
  }
  void givesThePapersNumbers() {
    QFETCH(QString, text);
    QFETCH(double, total_ttft);
    QFETCH(double, quality);
    const auto outcome = work_example(text.toStdString());
    QVERIFY(outcome.has_value());
    QVERIFY2(std::fabs(outcome->total_ttft_seconds - total_ttft) < 1e-9,
             qPrintable(QString::number(outcome->total_ttft_seconds)));
    QVERIFY2(std::fabs(outcome->mean_quality - quality) < 1e-9, qPrintable(QString::number(outcome->mean_quality)));
  }
  void theFigureUsesThePapersRule() {
    const FigureResult figure = figure_worked_example(
        {.name = "evicpress/fig2", .paper = "evicpress", .title = {}, .does = {}, .expected = {}, .published = {}});
    const auto& rows = figure.tables.at(0).rows;
    QCOMPARE(rows.size(), std::size_t{3});
    QCOMPARE(rows[2].at(1).get<std::string>(), std::string("evicpress(quality=raw)"));
    QCOMPARE(figure.findings, (std::vector<std::string>{"all numbers match the paper's"}));
  }
  void theReasonNamesTheDropAndTheNextBest() {
    const Plan plan = (*make_policy("evicpress"))->plan(worked_example());
    QCOMPARE(plan.contexts[0].configuration.tier, 1);
    QCOMPARE(plan.contexts[0].configuration.removed_fraction, 0.95);
    QVERIFY(std::fabs(plan.contexts[0].utility_drop - 0.09) < 1e-9);
    QCOMPARE(QString::fromStdString(plan.contexts[0].reason),
             "fast was full; moving this context cost the least utility (0.09 s); runner-up: context 2 to fast, cut, "
             "95 % removed (0.12 s)");
  }
};

KV_TEST_GUILESS_MAIN(EvicPressFigure2Test)

}  // namespace evicpress_figure2_test

#include "evicpress_figure2_test.moc"
