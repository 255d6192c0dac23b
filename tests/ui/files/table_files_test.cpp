// links: kv_ui
// Tables of contexts and requests as files that another program can compute with, and what they say when they are
// empty.
#include <QApplication>
#include <QLineEdit>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/contexts/contexts_table.h"
#include "ui/live/requests/events_dock.h"
#include "ui/live/requests/requests_table.h"
#include "ui/text/words.h"
#include "ui/widgets/empty_note.h"

namespace table_files_test {

using namespace kvantage;

class TableFilesTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static ChartTable exported(const QWidget& window, const QString& name) {
    for (const ChartExport& chart : charts_of(window))
      if (chart.name == name) return chart.table();
    return {};
  }
  static double number(const QString& cell) {
    bool whole = false;
    const double value = cell.toDouble(&whole);
    if (!whole) QTest::qFail(qPrintable("no number: " + cell), __FILE__, __LINE__);
    return value;
  }

 private slots:
  void contextsComeAsNumbers() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(60);
    QTRY_COMPARE(run_of(*window).served(), 60u);
    const ContextsModel& model = run_of(*window).contexts;
    const auto stored_rows = [&model] {
      int rows = 0;
      for (int r = 0; r < model.rowCount(); ++r) {
        const ContextsModel::Row* row = model.row(r);
        rows += row && row->state.placement.stored() ? 1 : 0;
      }
      return rows;
    };
    QTRY_VERIFY(stored_rows() > 3);  // a snapshot after the last request
    const ChartTable table = exported(*window, "Contexts");
    QCOMPARE(table.rows.size(), model.rowCount());
    const auto column = [&](const char* name) { return table.header.indexOf(QString::fromLatin1(name)); };
    int stored = 0, measured = 0;
    for (const QStringList& cells : table.rows) {
      QCOMPARE(cells.size(), table.header.size());
      const ContextsModel::Row* row = model.row(model.row_of(cells[column("context")]));
      QVERIFY(row);
      const double bytes = row->state.placement.stored() ? static_cast<double>(row->state.stored_bytes) : 0;
      QCOMPARE(number(cells[column("stored_bytes")]), bytes);
      stored += bytes > 0;
      QCOMPARE(number(cells[column("ttft_predicted_seconds")]),
               QString::number(row->predicted_ttft_seconds, 'g', 9).toDouble());
      QCOMPARE(number(cells[column("removed_fraction")]),
               row->state.placement.stored() ? row->state.placement.removed_fraction : 0.0);
      QCOMPARE(number(cells[column("ttft_measured_n")]), static_cast<double>(row->ttft.n));
      QCOMPARE(cells[column("ttft_measured_seconds")].isEmpty(), row->ttft.n == 0);
      if (row->ttft.n == 0) continue;
      ++measured;
      QCOMPARE(number(cells[column("ttft_measured_seconds")]), QString::number(row->ttft.mean, 'g', 9).toDouble());
    }
    QVERIFY2(stored > 3 && measured > 3, qPrintable(QStringLiteral("%1 %2").arg(stored).arg(measured)));
    QVERIFY(!table.to_csv().contains("MiB") && !table.to_csv().contains(" ms"));
  }

  void requestsComeAsNumbers() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(30);
    session.begin_request();
    QTRY_COMPARE(run_of(*window).requests.rowCount(), 31);
    const ChartTable table = exported(*window, "Requests");
    QCOMPARE(table.rows.size(), 31);
    const auto column = [&](const char* name) { return table.header.indexOf(QString::fromLatin1(name)); };
    for (int r = 0; r < 30; ++r) {
      const QStringList& cells = table.rows[r];
      QCOMPARE(cells.size(), table.header.size());
      const RequestRecord& record = run_of(*window).requests.row(r)->record;
      QCOMPARE(number(cells[column("request")]), static_cast<double>(record.id));
      QCOMPARE(number(cells[column("bytes_loaded")]), static_cast<double>(record.bytes_loaded));
      QCOMPARE(number(cells[column("ttft_service_seconds")]),
               QString::number(record.timing.ttft_service_seconds, 'g', 9).toDouble());
      QCOMPARE(number(cells[column("context_prefill_seconds")]),
               QString::number(record.timing.context_prefill_seconds, 'g', 9).toDouble());
      QCOMPARE(cells[column("source")], to_q(record.source));
      QCOMPARE(cells[column("question")], to_q(record.question));
    }
    QCOMPARE(table.rows[30].size(), table.header.size());
    QCOMPARE(table.rows[30][column("source")], QString("running"));
    QCOMPARE(table.rows[30][column("ttft_service_seconds")], QString());
    QVERIFY(!table.to_csv().contains("MiB") && !table.to_csv().contains(" ms"));
  }

  void emptyTablesSayWhatToDo_data() {
    QTest::addColumn<QString>("dock");
    QTest::addColumn<QString>("before");
    for (const char* dock : {"events", "contexts", "requests"})
      QTest::newRow(dock) << QString::fromLatin1(dock)
                          << (QByteArray(dock) == "contexts" ? QString("workload is loaded") : QString("press Start"));
  }
  void emptyTablesSayWhatToDo() {
    QFETCH(QString, dock);
    QFETCH(QString, before);
    ScriptedSession session;
    MainWindow window(session, scripted_.options());
    window.show();
    QWidget* body = docks_of(window).body(dock);
    docks_of(window).bring_up(dock);
    // Of the dock's own table: beside the contexts is a page with more of them.
    const auto is_beside = [body](const QWidget* widget) {
      while (widget != body && qobject_cast<const QTabWidget*>(widget) == nullptr) widget = widget->parentWidget();
      return widget != body;
    };
    auto notes = body->findChildren<EmptyNote*>();
    notes.removeIf(is_beside);
    QCOMPARE(notes.size(), qsizetype{1});
    EmptyNote* note = notes.front();
    QTRY_VERIFY(note->isVisible());
    QVERIFY2(note->text().contains(before), qPrintable(note->text()));
    session.set_state(RunState::ready);
    QTRY_VERIFY(!shows_start_page(window));
    session.serve(8);
    QTRY_VERIFY(note->isHidden());
    auto* filter = body->findChild<QLineEdit*>();
    QTest::keyClicks(filter, "zzqx");
    QTRY_VERIFY(note->isVisible());
    QVERIFY2(note->text().contains("matches the filter") && note->text().contains("Clear the filter"),
             qPrintable(note->text()));
    filter->clear();
    QTRY_VERIFY(note->isHidden());
  }
};

KV_TEST_MAIN(TableFilesTest)

}  // namespace table_files_test

#include "table_files_test.moc"
