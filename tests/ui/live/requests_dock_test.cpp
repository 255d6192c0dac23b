// links: kv_ui
// The Requests dock: which columns it shows and where, and the way that each request took.
#include "ui/live/requests/requests_dock.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QtTest>

#include "core/report/serving_ways.h"
#include "tests/support/test_program.h"
#include "ui/live/requests/requests_table.h"
#include "ui/text/words.h"
#include "ui/widgets/chosen_rows.h"
#include "ui/widgets/legend_strip.h"

namespace requests_dock_test {

using namespace kvantage;

namespace {

RequestRecord record_of(std::uint64_t id, const std::string& source) {
  RequestRecord record;
  record.id = id;
  record.context_id = "inventory-1";
  record.family = "inventory";
  record.source = source;
  record.context_tokens = record.kept_tokens = 500;
  record.answer_tokens = 8;
  record.quality["token_f1"] = 1;
  record.timing.ttft_service_seconds = 0.0125;
  record.timing.mean_itl_seconds = 0.004;
  record.predicted_ttft_seconds = 0.011;
  return record;
}

RequestRecord hybrid(std::uint64_t id) {
  RequestRecord record = record_of(id, "ssd");
  record.compute_or_load = {256, 244, 0.012, 0.03, 0.0125};
  return record;
}

RequestRecord evicted(std::uint64_t id) {
  RequestRecord record = record_of(id, "ssd");
  record.decoding.eviction = "knorm(budget=25%)";
  record.decoding.peak_bytes = 2 << 20;
  return record;
}

struct Shown {
  RequestsModel model;
  Selection selection;
  RequestsDock dock{model, selection};
  Shown() {
    dock.resize(964, 240);  // of the default layout at 1280 x 800
    dock.show();
    if (!QTest::qWaitForWindowExposed(&dock)) qFatal("not shown");
  }
  bool hidden(int column) { return dock.table().isColumnHidden(column); }
  int end_of(int column) { return dock.table().columnViewportPosition(column) + dock.table().columnWidth(column); }
};

}  // namespace

class RequestsDockTest : public QObject {
  Q_OBJECT

 private slots:
  // In a narrow dock the legend is below the filter: beside it, its names would be cut.
  void theLegendIsWholeInANarrowDock() {
    Shown shown;
    const LegendStrip& legend = *shown.dock.findChild<LegendStrip*>();
    const QLineEdit& filter = *shown.dock.findChild<QLineEdit*>();
    QTRY_VERIFY(legend.x() > filter.geometry().right() && legend.y() < filter.geometry().bottom());
    shown.dock.resize(300, 240);
    QTRY_VERIFY(legend.y() >= filter.geometry().bottom());
    for (std::size_t item = 0; item < legend.items().size(); ++item)
      QCOMPARE(legend.painted_text(item), legend.items()[item].text);
    shown.dock.resize(964, 240);
    QTRY_VERIFY(legend.x() > filter.geometry().right());
  }

  void waysAndPredictionsAreThoseOfTheExportedTable() {
    RequestsModel model;
    model.request_finished(record_of(1, "ssd"));
    model.request_finished(hybrid(2));
    RequestRecord recomputed = hybrid(3);
    recomputed.source = "prefill";
    recomputed.compute_or_load.loaded_tokens = 0;
    model.request_finished(recomputed);
    RequestRecord inputs = record_of(4, "ssd");
    inputs.compute_or_load.tokens_from_inputs = 100;
    model.request_finished(inputs);
    RequestRecord computed = record_of(5, "prefill");
    computed.predicted_ttft_seconds = -1;
    model.request_finished(computed);
    const auto text = [&model](int row, int column) { return model.index(row, column).data().toString(); };
    const QStringList ways{"load", "hybrid prefill", "recompute", "load, recompute", "prefill"};
    for (int row = 0; row < model.rowCount(); ++row) QCOMPARE(text(row, RequestsModel::way), ways[row]);

    ChosenRows all(RequestsModel::context_role, nullptr);
    all.setSourceModel(&model);
    const ChartTable table = requests_table(model, all);
    const qsizetype way = table.header.indexOf("way"), predicted = table.header.indexOf("predicted_seconds");
    QCOMPARE(table.rows[1][way], QString("hybrid_prefill"));
    for (int row = 0; row < model.rowCount(); ++row) {
      const QString seconds = table.rows[row][predicted];
      QCOMPARE(text(row, RequestsModel::predicted), seconds.isEmpty() ? QString() : seconds_text(seconds.toDouble()));
    }
    QCOMPARE(text(1, RequestsModel::predicted), QString("12.0 ms"));
    QCOMPARE(text(4, RequestsModel::predicted), QString());
    QCOMPARE(model.index(1, RequestsModel::way).data(Qt::ToolTipRole).toString(),
             QString("hybrid prefill\n256 of 500 tokens computed\nTTFT predicted 12.0 ms, measured 12.5 ms\n"
                     "predicted with loading only: 30.0 ms"));
    QCOMPARE(model.index(1, RequestsModel::predicted).data(RequestsModel::sort_role).toDouble(), 0.012);
  }

  // Per decoded token, streamed matrices among what is read.
  void theExportedTableHasAllBytesOfDecodeOffload() {
    RequestsModel model;
    RequestRecord record = record_of(1, "prefill");
    OffloadRecord offload{.setting = "ssd", .not_applied = {}};
    offload.steps = 10;
    offload.input_bytes = 10000;
    offload.kv_bytes = 30000;
    offload.weight_bytes = 20000;
    record.decoding.offload = offload;
    model.request_finished(record);
    ChosenRows all(RequestsModel::context_role, nullptr);
    all.setSourceModel(&model);
    const ChartTable table = requests_table(model, all);
    QCOMPARE(table.rows[0][table.header.indexOf("read_bytes_per_token")], QString("6000"));
  }

  void columnsComeWithWhatTheyShow() {
    Shown shown;
    shown.model.request_finished(record_of(1, "ssd"));
    for (const int column :
         {RequestsModel::way, RequestsModel::predicted, RequestsModel::inter_token, RequestsModel::peak_kv})
      QVERIFY(shown.hidden(column));
    shown.model.request_finished(hybrid(2));
    QVERIFY(!shown.hidden(RequestsModel::way) && !shown.hidden(RequestsModel::predicted));
    QVERIFY(shown.hidden(RequestsModel::inter_token) && shown.hidden(RequestsModel::peak_kv));
    shown.model.request_finished(evicted(3));
    QVERIFY(!shown.hidden(RequestsModel::inter_token) && !shown.hidden(RequestsModel::peak_kv));
    RequestRecord offloaded = record_of(1, "prefill");
    offloaded.decoding.offload = OffloadRecord{.setting = "ssd(split=load_only)", .not_applied = {}};
    Shown another;
    another.model.request_finished(offloaded);
    QVERIFY(!another.hidden(RequestsModel::inter_token) && another.hidden(RequestsModel::way));
    RequestRecord drafted = record_of(1, "prefill");
    drafted.decoding.speculation = SpeculationRecord{"lookup", "", 4, 20, 6};
    Shown third;
    third.model.request_finished(drafted);
    QVERIFY(!third.hidden(RequestsModel::inter_token) && third.hidden(RequestsModel::way));
  }

  // A recorded run comes as one reset of the model.
  void columnsComeWithARecordedRun() {
    Shown shown;
    shown.model.begin_fill(0);
    shown.model.request_finished(hybrid(1));
    shown.model.request_finished(evicted(2));
    shown.model.end_fill();
    for (const int column :
         {RequestsModel::way, RequestsModel::predicted, RequestsModel::inter_token, RequestsModel::peak_kv})
      QVERIFY(!shown.hidden(column));
  }

  // In the default layout at 1280 x 800, without scrolling sideways.
  void interTokenLatencyAndPeakAreInSight() {
    Shown shown;
    shown.model.request_finished(evicted(1));
    const int room = shown.dock.table().viewport()->width();
    for (const int column : {RequestsModel::ttft, RequestsModel::inter_token, RequestsModel::peak_kv})
      QVERIFY2(shown.end_of(column) <= room,
               qPrintable(QString("column %1 ends at %2 of %3").arg(column).arg(shown.end_of(column)).arg(room)));
    QVERIFY(shown.dock.table().horizontalHeader()->visualIndex(RequestsModel::peak_kv) <
            shown.dock.table().horizontalHeader()->visualIndex(RequestsModel::where_time_went));
  }
  void waysAreInSight() {
    Shown shown;
    shown.model.request_finished(hybrid(1));
    const int room = shown.dock.table().viewport()->width();
    for (const int column : {RequestsModel::way, RequestsModel::ttft, RequestsModel::predicted})
      QVERIFY2(shown.end_of(column) <= room,
               qPrintable(QString("column %1 ends at %2 of %3").arg(column).arg(shown.end_of(column)).arg(room)));
  }
};

KV_TEST_MAIN(RequestsDockTest)

}  // namespace requests_dock_test

#include "requests_dock_test.moc"
