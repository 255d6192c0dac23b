// links: kv_ui
// All charts at once into a folder, and pictures of the whole window.
#include "ui/pictures/charts_export.h"

#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QImage>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QXmlStreamReader>

#include "tests/support/report_readers.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/requests/events_dock.h"
#include "ui/look/font_scale.h"
#include "ui/pictures/screenshots.h"

namespace charts_export_test {

using namespace kvantage;

class ChartsExportTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

  static QByteArray bytes(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private slots:
  void everyChartComesInEveryFormat() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(60);
    QTRY_COMPARE(run_of(*window).served(), 60u);
    // A tier's plot comes with the first refresh that knows the tier.
    const auto occupancy_is_there = [&window] {
      return std::ranges::any_of(charts_of(*window), [](const ChartExport& chart) {
        return chart.name.contains(QStringLiteral("occupancy of"), Qt::CaseInsensitive) &&
               !chart.table().rows.isEmpty();
      });
    };
    QTRY_VERIFY(occupancy_is_there());
    dock_of(*window, "hitRates")->hide();  // what is not seen is exported all the same
    const QString folder = folder_.filePath("charts/of today");
    QSignalSpy finished(&charts_export_of(*window), &ChartsExport::finished),
        progress(&charts_export_of(*window), &ChartsExport::progress);
    charts_export_of(*window).start(folder);
    QTRY_COMPARE(finished.count(), 1);
    const QString said = finished.first().first().toString();
    QVERIFY2(said.contains(folder), qPrintable(said));

    int charts = 0;
    for (const ChartExport& chart : charts_of(*window)) {
      if (chart.table().rows.isEmpty() || qobject_cast<QAbstractItemView*>(chart.picture)) continue;
      ++charts;
      QString name = chart.name.toLower();
      name.replace(QRegularExpression("[^\\w]+"), "-");
      const QString base = folder + "/" + name;
      const QImage picture(base + ".png");
      QVERIFY2(picture.width() >= 600 && picture.height() >= 80,
               qPrintable(QStringLiteral("%1: %2 x %3").arg(base).arg(picture.width()).arg(picture.height())));
      QXmlStreamReader svg(bytes(base + ".svg"));
      int elements = 0;
      while (!svg.atEnd()) elements += svg.readNext() == QXmlStreamReader::StartElement;
      QVERIFY2(!svg.hasError() && elements > 10, qPrintable(base));
      const QByteArray pdf = bytes(base + ".pdf");
      QVERIFY2(pdf.startsWith("%PDF-") && pdf.contains("/Font"), qPrintable(base));
      QVERIFY2(QString::fromUtf8(bytes(base + ".csv")).startsWith(chart.table().header.first()), qPrintable(base));
      // LaTeX has the cells of the table, in as many environments as fill a page each.
      qsizetype latex_rows = 0;
      const ChartTable shown = chart.table();
      for (const test::ReadTable& table : test::latex_tables(to_latex(shown, chart.name).toUtf8())) {
        QCOMPARE(table.rows.front().size(), shown.header.size());
        latex_rows += table.rows.size() - 1;
        QVERIFY(table.rows.size() <= 46);
      }
      QCOMPARE(latex_rows, shown.rows.size());
      const auto written = test::latex_tables(bytes(base + ".tex"));
      QVERIFY2(!written.isEmpty() && written.front().title.startsWith(chart.name), qPrintable(base));
      QCOMPARE(written.front().rows.front().join('|'), shown.header.join('|').simplified());
    }
    QVERIFY2(charts >= 5, qPrintable(QString::number(charts)));
    QVERIFY(bytes(folder + "/frontier.csv").contains("evicpress"));
    QVERIFY(QFile::exists(folder + "/contexts.csv") && !QFile::exists(folder + "/contexts.png") &&
            !QFile::exists(folder + "/contexts.tex"));
    const auto* events = window->findChild<EventsDock*>();
    QVERIFY(events);
    const auto* listed = events->findChild<QTableView*>();
    QVERIFY(listed->model()->rowCount() > 0);
    QVERIFY(QFile::exists(folder + "/events.csv"));
    QCOMPARE(progress.last().at(0).toInt(), static_cast<int>(QDir(folder).entryList(QDir::Files).size()));
  }

  void whatCannotBeWrittenIsSaid() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QFile in_the_way(folder_.filePath("file"));
    QVERIFY(in_the_way.open(QIODevice::WriteOnly));
    QSignalSpy failed(&charts_export_of(*window), &ChartsExport::failed);
    charts_export_of(*window).start(folder_.filePath("file"));
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY2(failed.first().first().toString().contains("Choose a"), qPrintable(failed.first().first().toString()));
  }

  void cancelKeepsWhatIsWritten() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(20);
    QTRY_COMPARE(run_of(*window).served(), 20u);
    ChartsExport& exporter = charts_export_of(*window);
    QSignalSpy finished(&exporter, &ChartsExport::finished);
    connect(&exporter, &ChartsExport::progress, &exporter, [&exporter](int done) {
      if (done == 3) exporter.cancel();
    });
    exporter.start(folder_.filePath("few"));
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(finished.first().first().toString().contains("canceled; 3 of"));
    QCOMPARE(QDir(folder_.filePath("few")).entryList(QDir::Files).size(), 3);
  }

  void picturesOfEveryDockInBothThemes() {
    ScriptedSession session;
    const WindowOptions options = scripted_.options();
    auto window = scripted_.loaded(session, options);
    session.serve(30);
    Screenshots pictures(
        picture_stage(*window, options),
        {.folder = folder_.filePath("pictures"), .sizes = {{1280, 800}}, .requests = 30, .settle_ms = 20});
    QSignalSpy finished(&pictures, &Screenshots::finished), failed(&pictures, &Screenshots::failed);
    pictures.start();
    QTRY_COMPARE_WITH_TIMEOUT(finished.count() + failed.count(), 1, 120000);
    QCOMPARE(failed.count(), 0);
    const QDir folder(folder_.filePath("pictures"));
    for (const DockEntry& entry : dock_registry())
      for (const char* theme : {"light", "dark"}) {
        const QString name =
            QStringLiteral("1280x800-%1-dock-%2.png").arg(theme, entry.title.toLower().replace(' ', '-'));
        QVERIFY2(folder.exists(name), qPrintable(name));
        const QImage picture(folder.filePath(name));
        QCOMPARE(picture.size(), QSize(1280, 800));  // no dock makes the window grow
      }
    for (const char* scene :
         {"dialog-commands", "dialog-about", "dialog-table", "dialog-save-layout", "dialog-export-charts", "menu-help",
          "start-page", "frontier-explain", "tour-5", "writing-200", "dialog-export-layout", "dialog-import-layout",
          "dialog-export-charts-at-work", "presenter", "menu-of-a-chart", "menu-view-layout", "controls-decoding"})
      QVERIFY2(folder.exists(QStringLiteral("1280x800-dark-%1.png").arg(scene)), scene);
    QVERIFY(lessons_of(*window).lesson() == nullptr && !tour_of(*window).running() && !presenter_of(*window).active());
    const auto picture = [&](const char* scene) {
      return QImage(folder.filePath(QStringLiteral("1280x800-light-%1.png").arg(scene)));
    };
    QCOMPARE(picture("presenter").size(), QSize(1280, 800));
    QVERIFY(picture("presenter") != picture("layout-overview"));
    QVERIFY(picture("controls-decoding") != picture("dock-controls"));
    QVERIFY(picture("dialog-export-charts-at-work") != picture("dialog-export-charts"));
    for (QWidget* top : QApplication::topLevelWidgets())
      QVERIFY2(top == window.get() || !top->isVisible(), qPrintable(top->objectName()));
  }

  // No picture is taken while the session loads, not even of one that has served nothing.
  void picturesWaitForTheSession() {
    ScriptedSession session;
    const WindowOptions options = scripted_.options();
    MainWindow window(session, options);
    window.show();
    QCOMPARE(run_of(window).state(), RunState::loading);
    Screenshots pictures(picture_stage(window, options), {.folder = folder_.filePath("waiting"),
                                                          .sizes = {{1280, 800}},
                                                          .requests = 0,
                                                          .settle_ms = 20,
                                                          .scenes = "mode Ask",
                                                          .themes = {ThemeKind::light}});
    QSignalSpy finished(&pictures, &Screenshots::finished), changed(&modes_of(window), &WindowModes::changed);
    pictures.start();
    test::settle(600);
    QVERIFY(pictures.written().isEmpty() && changed.isEmpty());
    session.set_state(RunState::ready);
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(pictures.written().size(), 1);
    QCOMPARE(changed.size(), 2);  // there, and back after its picture
    QCOMPARE(changed[0][0].toString(), QString("ask"));
  }

  void picturesInLargeText() {
    ScriptedSession session;
    const WindowOptions options = scripted_.options();
    auto window = scripted_.loaded(session, options);
    const auto taken = [&](int percent) {
      Screenshots pictures(picture_stage(*window, options), {.folder = folder_.filePath("large"),
                                                             .sizes = {{1280, 800}},
                                                             .requests = 0,
                                                             .settle_ms = 20,
                                                             .scenes = "dock Tiers",
                                                             .themes = {ThemeKind::light},
                                                             .text_percent = percent});
      QSignalSpy finished(&pictures, &Screenshots::finished);
      pictures.start();
      if (!QTest::qWaitFor([&] { return finished.count() == 1; }, 60000)) return QString();
      return pictures.written().value(0);
    };
    const QString plain = taken(0), large = taken(160);
    QVERIFY2(plain.endsWith("1280x800-light-dock-tiers.png"), qPrintable(plain));
    QVERIFY2(large.endsWith("1280x800-light-160-dock-tiers.png"), qPrintable(large));
    QVERIFY(QImage(plain) != QImage(large));
    QCOMPARE(font_percent(), 100);  // as before
  }

  void picturesOfSomeScenesAlone() {
    ScriptedSession session;
    const WindowOptions options = scripted_.options();
    auto window = scripted_.loaded(session, options);
    const auto taken = [&](const QString& wildcard) {
      Screenshots pictures(picture_stage(*window, options), {.folder = folder_.filePath("some"),
                                                             .sizes = {{1280, 800}},
                                                             .requests = 0,
                                                             .settle_ms = 1,
                                                             .scenes = wildcard});
      QSignalSpy finished(&pictures, &Screenshots::finished), failed(&pictures, &Screenshots::failed);
      pictures.start();
      if (!QTest::qWaitFor([&] { return finished.count() + failed.count() == 1; }, 60000))
        return QStringLiteral("not in time");
      return failed.isEmpty()
                 ? QFileInfo(pictures.written().join(' ')).fileName() + QString::number(pictures.written().size())
                 : failed[0][0].toString();
    };
    QVERIFY2(taken("dock Tiers").endsWith("1280x800-dark-dock-tiers.png2"), qPrintable(taken("dock Tiers")));
    QVERIFY2(taken("no such*").startsWith("no scene matches no such*; use"), qPrintable(taken("no such*")));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  ChartsExportTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace charts_export_test

#include "charts_export_test.moc"
