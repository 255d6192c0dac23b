// links: kv_ui
// A box in Hit rates selects the requests that were served within its width; Requests marks them and can list no
// others.
#include <QApplication>
#include <QChartView>
#include <QCheckBox>
#include <QSignalSpy>
#include <QTest>
#include <QValueAxis>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/live/requests/requests_dock.h"
#include "ui/live/tiers/hit_rate_chart.h"
#include "ui/session/run_model.h"

namespace brushed_requests_test {

using namespace kvantage;

class BrushedRequestsTest : public QObject {
  Q_OBJECT

  static QCheckBox* only_box(RequestsDock& dock) {
    for (QCheckBox* box : dock.findChildren<QCheckBox*>())
      if (box->text() == "Selected only") return box;
    return nullptr;
  }
  static std::set<std::uint64_t> ids_of(const RunModel& run, int first, int last) {
    std::set<std::uint64_t> ids;
    for (int row = first; row <= last; ++row) ids.insert(run.requests.row(row)->record.id);
    return ids;
  }

 private slots:
  void aBoxOverHitRatesSelectsItsRequests() {
    ScriptedSession session;
    RunModel run(session);
    session.start();
    session.serve(40);
    run.tick(1000);
    QCOMPARE(run.hit_rates.requests(), std::uint64_t{40});
    QCOMPARE(run.requests.rowCount(), 40);
    HitRateChart chart(run.hit_rates);
    chart.follow(run.requests, run.selection);
    chart.resize(640, 360);
    chart.show();
    chart.flush();
    QCoreApplication::processEvents();
    const auto* axis = qobject_cast<QValueAxis*>(chart.chart().axes(Qt::Horizontal).value(0));
    const QRectF plot = chart.chart().plotArea();
    const auto place = [&](double number, double y) {
      return QPointF(plot.left() + plot.width() * (number - axis->min()) / (axis->max() - axis->min()), y);
    };
    chart_hands::drag(*chart.findChild<QChartView*>()->viewport(), place(10.5, plot.top() + 20),
                      place(20.5, plot.top() + 60), Qt::LeftButton, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(run.selection.chosen_requests(), ids_of(run, 10, 19));  // the 11th to the 20th
    QVERIFY(run.selection.chosen_contexts().empty() && !chart.zoom().zoomed());
    run.selection.clear();
    QVERIFY(run.selection.chosen_requests().empty());
  }

  void requestsMarksThemAndListsNoOthers() {
    ScriptedSession session;
    RunModel run(session);
    session.start();
    session.serve(40);
    run.tick(1000);
    RequestsDock dock(run.requests, run.selection);
    dock.resize(1000, 300);
    dock.show();
    QCheckBox* only = only_box(dock);
    QVERIFY(only && only->isHidden());
    QAbstractItemModel& rows = *dock.table().model();
    QCOMPARE(rows.rowCount(), 40);
    run.selection.choose_requests(ids_of(run, 3, 5));
    QVERIFY(only->isVisible());
    for (int row = 0; row < 40; ++row)
      QCOMPARE(rows.index(row, 0).data(Qt::BackgroundRole).isValid(), row >= 3 && row <= 5);
    only->click();
    QCOMPARE(rows.rowCount(), 3);
    QCOMPARE(rows.index(0, RequestsModel::number).data().toULongLong(), *ids_of(run, 3, 3).begin());
    run.selection.choose_requests(ids_of(run, 7, 7));  // another box
    QCOMPARE(rows.rowCount(), 1);
    run.selection.clear();
    QCOMPARE(rows.rowCount(), 40);
    QVERIFY(only->isHidden() && !only->isChecked());
  }

  void anotherRunClearsThem() {
    ScriptedSession session;
    RunModel run(session);
    session.start();
    session.serve(40);
    run.tick(1000);
    RequestsDock dock(run.requests, run.selection);
    QCheckBox* only = only_box(dock);
    run.selection.choose_requests(ids_of(run, 3, 5));
    only->setChecked(true);
    QCOMPARE(dock.table().model()->rowCount(), 3);
    session.emit_event(events::RunStarted{"run-2", to_json(session.settings())});
    session.serve(5);
    run.tick(1000);
    QVERIFY(run.selection.chosen_requests().empty() && only->isHidden());
    QCOMPARE(dock.table().model()->rowCount(), 5);
  }

  void oneThatIsChosenClearsThem() {
    Selection selection;
    QSignalSpy changed(&selection, &Selection::requestsChanged);
    selection.choose_requests({4, 5});
    selection.choose_requests({4, 5});
    QCOMPARE(changed.count(), 1);
    selection.choose_request(9, "story-1");
    QVERIFY(selection.chosen_requests().empty());
    QCOMPARE(changed.count(), 2);
    selection.choose_requests({4});
    QVERIFY(selection.clear());
    QVERIFY(selection.chosen_requests().empty());
  }
};

KV_TEST_MAIN(BrushedRequestsTest)

}  // namespace brushed_requests_test

#include "brushed_requests_test.moc"
