// links: kv_ui
// A chosen context in the Hit rates: a stroke for each of its requests, in the color of what served it, and how often
// which did.
#include <QChartView>
#include <QComboBox>
#include <QLineSeries>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/text/words.h"

namespace hit_rates_test {

using namespace kvantage;

class HitRatesTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  // Of large text more than the tabs have no place beside one another.
  void tabsAreWholeInLargeText() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->resize(1280, 800);
    docks_of(*window).bring_up("hitRates");
    QTabWidget* pages = dock_of(*window, "hitRates")->findChild<QTabWidget*>();
    QVERIFY(pages != nullptr);
    const QWidget* measure = nullptr;
    for (const QComboBox* box : dock_of(*window, "hitRates")->findChildren<QComboBox*>())
      if (box->accessibleName() == "Hit rate measure") measure = box;
    QVERIFY(measure != nullptr && pages->isAncestorOf(measure));
    for (const int percent : {200, 100, 160}) {
      window->set_font_size(percent);
      test::settle(80);
      const QTabBar& tabs = *pages->tabBar();
      for (int tab = 0; tab < tabs.count(); ++tab)
        QVERIFY2(tabs.tabRect(tab).width() >= tabs.fontMetrics().horizontalAdvance(tabs.tabText(tab)),
                 qPrintable(QStringLiteral("%1 at %2 %").arg(tabs.tabText(tab)).arg(percent)));
      QVERIFY(measure->isVisible());
      QCOMPARE(pages->isAncestorOf(measure), percent == 100);
    }
    pages->setCurrentIndex(1);
    QVERIFY(!measure->isVisible());
    window->set_font_size(100);
    QVERIFY(!measure->isVisible());
    pages->setCurrentIndex(0);
    QVERIFY(measure->isVisible());
  }

  // What is no tier (an entry on its way to the disk) keeps its count when the next state of the engine comes.
  void aSourceThatIsNoTierStays() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(20);
    QTRY_COMPARE(run_of(*window).served(), 20u);
    docks_of(*window).bring_up("hitRates");
    RunModel& run = run_of(*window);
    const std::size_t tiers = session.snapshot()->tiers.size();
    QCOMPARE(run.hit_rates.sources().size(), tiers + 1);
    RequestRecord record = run.requests.row(19)->record;
    record.source = "write-back";
    for (int i = 0; i < 3; ++i) {
      ++record.id;
      session.emit_event(events::RequestFinished{record});
      session.serve(1);  // and a snapshot
      QTRY_COMPARE(run.served(), static_cast<std::uint64_t>(22 + 2 * i));
      run.hit_rates.set_tiers(session.snapshot()->tiers);
    }
    const HitRateModel& rates = run.hit_rates;
    QCOMPARE(rates.sources().size(), tiers + 2);
    QCOMPARE(rates.sources()[tiers], QString("write-back"));
    QCOMPARE(rates.latest(tiers, HitRateModel::by_requests, 0), 3.0 / 26);
    double sum = 0;
    for (std::size_t source = 0; source < rates.sources().size(); ++source)
      sum += rates.latest(source, HitRateModel::by_requests, 0);
    QVERIFY(std::abs(sum - 1) < 1e-12);
    // Another session's metrics begin without it, and no line of it is left in the chart.
    HitRateChart& chart = hit_rates_of(*window).chart();
    chart.flush();
    const auto drawn = [&] {
      std::size_t lines = 0;
      for (QAbstractSeries* series : chart.findChild<QChartView*>()->chart()->series()) {
        const auto* line = qobject_cast<QLineSeries*>(series);
        lines += line != nullptr && line->isVisible() && !line->points().isEmpty();
      }
      return lines;
    };
    const std::size_t with = drawn();
    run.hit_rates.clear();
    run.hit_rates.set_tiers(session.snapshot()->tiers);
    QCOMPARE(rates.sources().size(), tiers + 1);
    session.serve(5);
    QTRY_COMPARE(run.served(), 31u);
    chart.flush();
    QVERIFY2(drawn() < with, qPrintable(QString::number(drawn())));
  }

  void theChosenContextIsMarked() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(80);
    QTRY_COMPARE(run_of(*window).served(), 80u);
    docks_of(*window).bring_up("hitRates");
    HitRateChart& chart = hit_rates_of(*window).chart();
    chart.flush();
    QVERIFY(chart.marks().empty() && chart.marks_text().isEmpty());
    const std::size_t plain = chart.legend().items().size();

    // By hand, from the log of requests.
    const RequestsModel& requests = run_of(*window).requests;
    std::map<QString, std::vector<std::pair<double, QString>>> expected;
    double number = 0;
    for (int r = 0; r < requests.rowCount(); ++r)
      expected[to_q(requests.row(r)->record.context_id)].emplace_back(++number, to_q(requests.row(r)->record.source));
    QCOMPARE(number, 80.0);
    const auto most = std::ranges::max_element(expected, {}, [](const auto& each) { return each.second.size(); });
    QVERIFY(most->second.size() >= 3);
    run_of(*window).selection.choose_context(most->first);
    chart.flush();
    QCOMPARE(chart.marks().size(), most->second.size());
    std::map<QString, int> counts;
    for (std::size_t i = 0; i < most->second.size(); ++i) {
      QCOMPARE(chart.marks()[i].number, most->second[i].first);
      QCOMPARE(chart.marks()[i].source, most->second[i].second);
      ++counts[most->second[i].second];
    }
    for (const auto& [source, count] : counts)
      QVERIFY2(chart.marks_text().contains(QString("%1 %2").arg(source).arg(count)), qPrintable(chart.marks_text()));
    QVERIFY(chart.marks_text().startsWith(most->first + ": "));
    QCOMPARE(chart.legend().items().size(), plain + 1);
    QVERIFY(!chart.grab().isNull());  // painted

    // Another request of it: another stroke. Esc lets go.
    const std::size_t before = chart.marks().size();
    session.serve(200);
    QTRY_COMPARE(run_of(*window).served(), 280u);
    chart.flush();
    QVERIFY(chart.marks().size() > before);
    QCOMPARE(chart.marks().front().number, most->second.front().first);
    run_of(*window).selection.clear();
    chart.flush();
    QVERIFY(chart.marks().empty());
    QCOMPARE(chart.legend().items().size(), plain);
    // One that nobody asked about yet.
    run_of(*window).selection.choose_context("nobody-9");
    chart.flush();
    QCOMPARE(chart.marks_text(), QString("nobody-9: no requests yet"));
  }
};

KV_TEST_MAIN(HitRatesTest)

}  // namespace hit_rates_test

#include "hit_rates_test.moc"
