// links: kv_ui
// What the Tiers dock shows of a tier beside its occupancy: loads against its cost model, notes, counters by reason.
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/live/tiers/model/tier_counter_names.h"
#include "ui/live/tiers/occupancy_plot.h"
#include "ui/live/tiers/tier_counters_page.h"
#include "ui/live/tiers/tiers_dock.h"
#include "ui/session/run_model.h"
#include "ui/text/words.h"
#include "ui/widgets/legend_strip.h"

namespace tier_views_test {

using namespace kvantage;

namespace {

TierReport report_of(const std::string& name) {
  TierReport report;
  report.description = {name, "file system", true, "io_uring, registered buffers; O_DIRECT"};
  report.fit.model = {0.002, 1048576.0 * 100, 0, 0};
  report.fit.samples = 40;
  report.fit.loads = {{1048576, 0.011, 0.012, 0, true},
                      {4 * 1048576.0, 0.05, 0.042, 0.04, false},
                      {2 * 1048576.0, 0.02, 0.022, 0.03, false}};
  report.fit.fitted = {2, 0.13, 0.16};
  report.fit.predicted = {2, 0.35, 0.48};
  report.statistics.reads = 12;
  report.statistics.read_bytes = 5 << 20;
  report.statistics.misses = {{"checksum", 2}, {"unavailable", 3}};
  report.statistics.failed_writes = {{"no_space", 4}};
  report.statistics.injected_faults = {{"flip_on_read", 2}};
  return report;
}

TierReportsModel::Reports reports_of(std::vector<TierReport> reports) {
  return std::make_shared<const std::vector<TierReport>>(std::move(reports));
}

class ReportingSession final : public ScriptedSession {
 public:
  std::shared_ptr<const std::vector<TierReport>> tier_reports() const override { return reports; }
  SessionGauges gauges() const override { return {.model_device = device, .pool = {}}; }
  TierReportsModel::Reports reports;
  std::optional<ModelDeviceGauges> device;
};

ModelDeviceGauges busy_device() {
  return {
      .device = "NVIDIA H100 80GB HBM3",
      .cache_held_bytes = std::uint64_t{1} << 30,
      .cache_total_bytes = std::uint64_t{4} << 30,
      .uploaded =
          {.copies = 64, .bytes = 4'000'000'000, .seconds = 0.2, .waited_seconds = 0.05, .peak_bytes_per_second = 25e9},
      .downloaded = {
          .copies = 32, .bytes = 1'000'000'000, .seconds = 0.1, .waited_seconds = 0.1, .peak_bytes_per_second = 26e9}};
}

}  // namespace

class TierViewsTest : public QObject {
  Q_OBJECT

 private slots:
  void loadsAreDrawnAgainstTheirFit() {
    TierReportsModel model;
    TierFitChart chart(model);
    chart.set_tier("ssd");
    model.set_reports(reports_of({report_of("ssd")}));
    chart.flush();
    QCOMPARE(chart.timings().points(), (QList<QPointF>{{1, 11}}));
    QCOMPARE(chart.loads().points(), (QList<QPointF>{{4, 50}, {2, 20}}));
    const auto line = chart.line().points();
    QCOMPARE(line.size(), 2);
    QCOMPARE(line[0], QPointF(0, 2));  // the latency, in ms
    QVERIFY(std::abs(line[1].x() - 4.2) < 1e-9 && std::abs(line[1].y() - 44) < 1e-9);
    QVERIFY(chart.empty_text().isEmpty());
    const ChartTable table = chart.table();
    QCOMPARE(table.rows.size(), 3);
    QCOMPARE(table.rows[1][table.header.indexOf("device_seconds")], QString("0.05"));
    QCOMPARE(table.rows[1][table.header.indexOf("predicted_seconds")], QString("0.04"));
    QVERIFY(std::abs(table.rows[1][table.header.indexOf("residual_seconds")].toDouble() - 0.008) < 1e-12);
    QCOMPARE(table.rows[0][table.header.indexOf("predicted_seconds")], QString());
  }

  // One that is full doubles.
  void theAxesOfTheFitHoldStill() {
    TierReportsModel model;
    TierFitChart chart(model);
    chart.set_tier("ssd");
    TierReport report = report_of("ssd");
    const auto ends_with = [&](double mebibytes, double seconds) {
      report.fit.loads.back() = {mebibytes * 1048576, seconds, seconds, 0, false};
      model.set_reports(reports_of({report}));
      chart.flush();
      const auto end = [&chart](Qt::Orientation side) {
        return qobject_cast<QValueAxis*>(chart.chart().axes(side).constFirst())->max();
      };
      return std::pair(end(Qt::Horizontal), end(Qt::Vertical));
    };
    // The line ends 5 % beyond the largest load, and there is 8 % of room above the slowest.
    QCOMPARE(ends_with(2, 0.02), std::pair(8.0, 64.0));
    QCOMPARE(ends_with(7, 0.059), std::pair(8.0, 128.0));
    QCOMPARE(ends_with(7.5, 0.11), std::pair(8.0, 128.0));
    QCOMPARE(ends_with(7.7, 0.11), std::pair(16.0, 128.0));
  }

  void aWarmTierDoesNotBeginEmpty() {
    ScriptedSession session;
    session.drain(1000);
    RunModel run(session);
    session.emit_event(events::TierOccupancy{"ssd", 700, 1000, {{"snapkv", 700}}});  // before the first snapshot
    session.set_state(RunState::ready);
    run.tick(1000);
    const auto* warm = run.tiers.find("ssd");
    const auto* cold = run.tiers.find("dram");
    QVERIFY(warm != nullptr && cold != nullptr);
    QCOMPARE(warm->samples.size(), 1u);
    QCOMPARE(warm->samples[0].used_bytes, 700u);
    QCOMPARE(cold->samples.size(), 1u);
    QCOMPARE(cold->samples[0].used_bytes, 0u);
  }

  void aTierWithoutLoadsSaysWhatToDo() {
    TierReportsModel model;
    TierFitChart chart(model);
    chart.set_tier("ssd");
    QVERIFY(chart.empty_text().contains("while the model loads"));
    TierReport report;
    report.description.name = "ssd";
    model.set_reports(reports_of({report}));
    QVERIFY(chart.empty_text().contains("press Start"));
    report.reachable = false;
    model.set_reports(reports_of({report}));
    QVERIFY(chart.empty_text().contains("is unavailable"));
    chart.flush();
    QVERIFY(chart.line().points().isEmpty());
  }

  void thePageSaysBandwidthLatencyAndHowFarOff() {
    TierReportsModel model;
    TierFitPage page(model);
    model.set_reports(reports_of({report_of("dram"), report_of("ssd")}));
    page.flush();
    QCOMPARE(page.choice().count(), 2);
    QCOMPARE(page.choice().currentText(), QString("ssd"));
    QCOMPARE(page.chart().tier(), QString("ssd"));
    QCOMPARE(page.fit_text(), rate_text(1048576.0 * 100) + ", latency " + seconds_text(0.002) + " (throttled)");
    QCOMPARE(page.residual_text(), QString("2 loads, residual 13 % (median), 16 % (p95)"));
    page.choice().setCurrentText("dram");
    QCOMPARE(page.chart().tier(), QString("dram"));
    model.set_reports(reports_of({report_of("dram"), report_of("ssd")}));
    page.flush();
    QCOMPARE(page.choice().currentText(), QString("dram"));  // what was chosen stays
  }

  // Whoever began to read no longer needed the bytes: nothing failed.
  void canceledReadsAreNoFailedReads() {
    TierReportsModel model;
    TierReport report = report_of("ssd");
    report.statistics.misses = {{"cancelled", 3}};
    model.set_reports(reports_of({report}));
    QCOMPARE(model.misses("ssd"), std::uint64_t{0});
    QVERIFY2(!model.badge("ssd").contains("failed"), qPrintable(model.badge("ssd")));
    QVERIFY2(model.badge_tip("ssd").contains("no failed reads since it was opened") &&
                 !model.badge_tip("ssd").contains("canceled"),
             qPrintable(model.badge_tip("ssd")));
    report.statistics.misses["checksum"] = 2;
    model.set_reports(reports_of({report}));
    QCOMPARE(model.misses("ssd"), std::uint64_t{2});
    QVERIFY(std::ranges::any_of(model.counters(), [](const TierReportsModel::Counter& row) {
      return row.what == "failed_reads" && row.reason == "cancelled" && row.count == 3;
    }));  // page Counters has every reason
  }

  void countersAreListedByReason() {
    TierReportsModel model;
    TierCountersPage page(model);
    TierReport report = report_of("ssd");
    report.statistics.storage = StorageUse{.occupied_bytes = 12288, .entry_bytes = 9000};
    model.set_reports(reports_of({report}));
    page.flush();
    const auto value = [&page](const QString& what, const QString& reason) {
      for (const auto& row : page.rows().rows())
        if (row.what == what && row.reason == reason) return row.count;
      return std::uint64_t{0};
    };
    QCOMPARE(value("reads", ""), std::uint64_t{12});
    QCOMPARE(value("occupied_bytes", ""), std::uint64_t{12288});
    QCOMPARE(value("occupied_entry_bytes", ""), std::uint64_t{9000});
    QCOMPARE(value("failed_reads", "checksum"), std::uint64_t{2});
    QCOMPARE(value("failed_reads", "unavailable"), std::uint64_t{3});
    QCOMPARE(value("failed_writes", "no_space"), std::uint64_t{4});
    QCOMPARE(value("faults_struck", "flip_on_read"), std::uint64_t{2});
    for (const auto& row : page.rows().rows())
      QVERIFY2(!row.meaning.isEmpty(), qPrintable(row.what + " " + row.reason));
    QCOMPARE(page.table().rows.size(), page.rows().rowCount());
    // People read names; tool tips and exports have the identifiers.
    for (int row = 0; row < page.rows().rowCount(); ++row) {
      const QModelIndex what = page.rows().index(row, TierCountersTable::what);
      const auto& counter = page.rows().rows()[static_cast<std::size_t>(row)];
      QVERIFY2(!what.data().toString().contains('_') && what.data().toString() == counter_name(counter.what),
               qPrintable(counter.what));
      QVERIFY2(what.data(Qt::ToolTipRole).toString().startsWith(counter.what), qPrintable(counter.what));
      QCOMPARE(page.table().rows[row][1], counter.what);
    }
    QCOMPARE(counter_name("read_bytes"), QString("Bytes read"));
    QCOMPARE(counter_reason("no_space"), QString("full"));
    QCOMPARE(counter_reason("flip_on_write"), QString("bit flips while writing"));
    QCOMPARE(counter_reason("some_other"), QString("some_other"));
  }

  void onlyATierInADeviceShowsItsCopies() {
    TierReportsModel model;
    TierReport device = report_of("device");
    device.description = {"device", "device memory", false, "host double"};
    device.statistics.misses.clear();
    device.statistics.device = DeviceGauges{.memory_bytes = std::uint64_t{8} << 30,
                                            .free_bytes = std::uint64_t{6} << 30,
                                            .held_bytes = std::uint64_t{2} << 30,
                                            .used_bytes = std::uint64_t{1} << 30,
                                            .to_device = {.copies = 4,
                                                          .bytes = 4'000'000'000,
                                                          .seconds = 0.4,
                                                          .waited_seconds = 0.1,
                                                          .peak_bytes_per_second = 20e9},
                                            .from_device = {.copies = 9,
                                                            .bytes = 12'000'000'000,
                                                            .seconds = 0.6,
                                                            .waited_seconds = 0.4,
                                                            .peak_bytes_per_second = 25e9}};
    model.set_reports(reports_of({device, report_of("ssd")}));
    QCOMPARE(
        model.badge("device"),
        QString("host double; copies: in 10.00 GB/s of 20.00 GB/s, out 20.00 GB/s of 25.00 GB/s, 50 % overlapped"));
    QVERIFY2(model.badge_tip("device").contains("2.00 GiB of 8.00 GiB device memory allocated, 6.00 GiB free"),
             qPrintable(model.badge_tip("device")));
    QVERIFY(!model.badge("ssd").contains("overlapped") && !model.badge_tip("ssd").contains("device"));
    std::map<QString, std::map<QString, QString>> values;  // by what, then direction
    for (const auto& row : model.counters()) {
      if (row.tier == QString("device"))
        values[row.what][row.reason] = row.value;
      else
        QVERIFY2(!row.what.startsWith("cop") && !row.what.startsWith("device"), qPrintable(row.what));
    }
    QCOMPARE(values["copy_rate"]["out"], QString("20.00 GB/s"));
    QCOMPARE(values["copy_rate_peak"]["in"], QString("20.00 GB/s"));
    QCOMPARE(values["copies_hidden"][""], QString("50 %"));
    QCOMPARE(values["device_held_bytes"][""], QString("2.00 GiB"));
    device.statistics.device->to_device = {.peak_bytes_per_second = 20e9};
    device.statistics.device->from_device = {.peak_bytes_per_second = 25e9};
    model.set_reports(reports_of({device}));
    QCOMPARE(model.badge("device"),
             QString("host double; copies: in none yet of 20.00 GB/s, out none yet of 25.00 GB/s"));
  }

  void aModelOnADeviceHasItsOwnCounters() {
    TierReportsModel model;
    model.set_reports(reports_of({report_of("ssd")}));
    QVERIFY(model.model_device_text().isEmpty() && model.model_device_tip().isEmpty());
    const std::size_t without = model.counters().size();
    QSignalSpy changes(&model, &TierReportsModel::changed);
    model.set_model_device(busy_device());
    model.set_model_device(busy_device());
    QCOMPARE(changes.size(), 1);
    QCOMPARE(model.model_device_text(),
             QString("Model on the GPU: KV caches 1.00 GiB of 4.00 GiB; copies: in 20.00 GB/s of 25.00 GB/s, out "
                     "10.00 GB/s of 26.00 GB/s, 75 % of uploads overlapped"));
    QVERIFY2(model.model_device_tip().contains("NVIDIA H100 80GB HBM3"), qPrintable(model.model_device_tip()));
    std::map<QString, QString> values;
    for (const auto& row : model.counters())
      if (row.tier == QString("Model on the GPU")) {
        values[row.what] = row.value;
        QVERIFY2(!row.meaning.isEmpty() && row.reason.isEmpty(), qPrintable(row.what));
      }
    const std::map<QString, QString> expected{{"cache_held_bytes", "1.00 GiB"},      {"cache_total_bytes", "4.00 GiB"},
                                              {"uploaded_bytes", bytes_text(4e9)},   {"upload_rate", "20.00 GB/s"},
                                              {"upload_rate_peak", "25.00 GB/s"},    {"upload_hidden", "75 %"},
                                              {"downloaded_bytes", bytes_text(1e9)}, {"download_rate", "10.00 GB/s"},
                                              {"download_rate_peak", "26.00 GB/s"}};
    QVERIFY(values == expected);
    QCOMPARE(model.counters().size(), without + expected.size());
    model.set_model_device(ModelDeviceGauges{
        .device = "H100", .uploaded = {.peak_bytes_per_second = 25e9}, .downloaded = {.peak_bytes_per_second = 26e9}});
    QVERIFY2(model.model_device_text().endsWith("in none yet of 25.00 GB/s, out none yet of 26.00 GB/s"),
             qPrintable(model.model_device_text()));
    model.set_model_device(std::nullopt);
    QCOMPARE(model.counters().size(), without);
  }

  void theDockShowsTheDeviceOfTheModel() {
    ReportingSession session;
    session.reports = reports_of({report_of("dram"), report_of("ssd")});
    RunModel run(session);
    TiersDock dock(run);
    session.start();
    session.serve(20);
    run.tick();
    dock.flush();
    QVERIFY(dock.model_device().isHidden() && dock.model_device().toolTip().isEmpty());
    session.device = busy_device();
    session.serve(20);
    // Snapshots are taken a few times a second.
    const auto shown = [&] {
      run.tick();
      dock.flush();
      return !dock.model_device().isHidden();
    };
    QTRY_VERIFY(shown());
    QVERIFY(dock.model_device().toolTip().contains("H100"));
    QCOMPARE(dock.model_device().text(), run.tier_reports.model_device_text());
    QVERIFY2(dock.model_device().text().contains("KV caches 1.00 GiB of 4.00 GiB"),
             qPrintable(dock.model_device().text()));
  }

  void aTierWearsWhatIsSpecialAboutIt() {
    ReportingSession session;
    session.reports = reports_of({report_of("dram"), report_of("ssd")});
    RunModel run(session);
    TiersDock dock(run);
    session.start();
    session.serve(20);
    run.tick();
    dock.flush();
    QCOMPARE(dock.plot_count(), 2);
    QCOMPARE(dock.badge_text("ssd"), QString("throttled; io_uring; O_DIRECT; 5 failed reads"));
    const QString tip = run.tier_reports.badge_tip("ssd");
    QVERIFY(tip.contains("file system") && tip.contains("registered buffers") && tip.contains("checksum: 2") &&
            tip.contains("unavailable: 3") && tip.contains("injected faults, flip_on_read: 2"));
    QCOMPARE(dock.pages().count(), 3);
  }

  void everyTabIsSeenInANarrowDock() {
    ReportingSession session;
    RunModel run(session);
    TiersDock dock(run);
    dock.resize(190, 500);
    dock.show();
    const QTabBar& tabs = *dock.pages().tabBar();
    QTRY_VERIFY(tabs.isVisible());
    for (int tab = 0; tab < tabs.count(); ++tab)
      QTRY_VERIFY2(tabs.rect().contains(tabs.tabRect(tab).center()), qPrintable(tabs.tabText(tab)));
  }

  void timesBelowOccupancyAreWhole() {
    ReportingSession session;
    RunModel run(session);
    OccupancyPlot plot(run.tiers, "ssd");
    for (int width = plot.minimumSizeHint().width(); width < 700; width += 13) {
      plot.resize(width, 150);
      const auto labels = plot.time_labels(plot.fontMetrics());
      QVERIFY(labels.size() >= 2);
      for (const OccupancyPlot::TimeLabel& label : labels)
        QVERIFY2(QRectF(plot.rect()).contains(label.place) &&
                     label.place.width() >= plot.fontMetrics().horizontalAdvance(label.text),
                 qPrintable(QStringLiteral("%1 at a width of %2").arg(label.text).arg(width)));
    }
  }

  // keydiff and h2o share a hue: one is hatched, as the legend says.
  void areasOfMethodsOfOneHueDiffer() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    run.tiers.tier_occupancy(1, {"dram", 12 << 20, 13 << 20, {{"h2o", 6 << 20}, {"keydiff", 6 << 20}}});
    run.tiers.tier_occupancy(9, {"dram", 12 << 20, 13 << 20, {{"h2o", 6 << 20}, {"keydiff", 6 << 20}}});
    OccupancyPlot plot(run.tiers, "dram");
    plot.resize(400, 200);
    plot.set_theme(theme_of(ThemeKind::light));
    const QImage drawn = plot.grab().toImage();
    const QRectF area = plot.plot();
    const auto colors_at = [&](double share) {
      std::set<QRgb> colors;
      for (int x = 8; x < 32; ++x)  // between lines of the grid
        for (int y = 0; y < 4; ++y)
          colors.insert(drawn.pixel(static_cast<int>(area.left() + area.width() / 2) + x,
                                    static_cast<int>(area.bottom() - area.height() * share) + y));
      return colors.size();
    };
    QCOMPARE(colors_at(0.64), std::size_t{1});
    QCOMPARE(colors_at(0.2), std::size_t{2});
    TiersDock dock(run);
    dock.resize(400, 300);
    dock.show();
    QTRY_VERIFY(!dock.findChildren<LegendStrip*>().isEmpty());
    const auto sign_of = [&dock](const char* method) {
      for (const LegendStrip* legend : dock.findChildren<LegendStrip*>())
        for (const LegendItem& item : legend->items())
          if (item.text == method) return item.sign;
      return LegendItem::Sign::in_text;
    };
    QTRY_COMPARE(sign_of("h2o"), LegendItem::Sign::hatched);
    QCOMPARE(sign_of("keydiff"), LegendItem::Sign::swatch);
  }

  void legendEntriesAndNotesFitANarrowDock() {
    LegendStrip strip;
    const QString longest = "chunkkv(expected_attention)+kivi4+zstd";
    strip.set_items({{"", longest, "Bytes", LegendItem::Sign::swatch, Qt::black, {}, false},
                     {"", "budget", "Bytes", LegendItem::Sign::thin_line, Qt::black, {}, false}});
    strip.resize(120, 60);
    QVERIFY2(strip.painted_text(0).endsWith(QChar(0x2026)), qPrintable(strip.painted_text(0)));
    QCOMPARE(strip.painted_text(1), QString("budget"));
    strip.resize(600, 60);
    QCOMPARE(strip.painted_text(0), longest);
    strip.set_items({{"", longest, "Bytes", LegendItem::Sign::in_text, Qt::black, {}, false}});
    strip.resize(strip.fontMetrics().horizontalAdvance(longest), 60);
    QCOMPARE(strip.painted_text(0), longest);
  }

  // Methods have colors; actions have shapes.
  void actionsDifferByShapeAlone() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme theme = theme_of(kind);
      std::vector<QImage> pictures;
      for (const ActionKind action :
           {ActionKind::store, ActionKind::promote, ActionKind::compress, ActionKind::demote, ActionKind::evict}) {
        QImage picture(24, 24, QImage::Format_ARGB32);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        draw_action_mark(painter, {12, 12}, action, theme, 8);
        painter.end();
        int painted = 0;
        for (int y = 0; y < picture.height(); ++y)
          for (int x = 0; x < picture.width(); ++x) {
            const QColor color = picture.pixelColor(x, y);
            if (color.alpha() == 0 || color.rgb() == theme.base.rgb()) continue;  // nothing, or its edge
            ++painted;
            QCOMPARE(color.rgb(), theme.text.rgb());
          }
        QVERIFY(painted > 20);
        for (const QImage& other : pictures) QVERIFY(other != picture);
        pictures.push_back(picture);
      }
      for (const char* method : {"none", "kivi4", "keydiff", "keydiff+kivi4", "snapkv", "streaming_llm+kivi4"})
        QVERIFY2(theme.method(method) != theme.text, method);
    }
  }
};

KV_TEST_MAIN(TierViewsTest)

}  // namespace tier_views_test

#include "tier_views_test.moc"
