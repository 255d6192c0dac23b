// links: kv_ui
// Text of any size: titles of columns and buttons are whole, or their text is a hover away.
#include <QAbstractButton>
#include <QApplication>
#include <QDockWidget>
#include <QGroupBox>
#include <QHeaderView>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "tests/support/test_program.h"
#include "tests/ui/window/cut_texts.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/controls/model/fault_presets.h"
#include "ui/look/font_scale.h"
#include "ui/widgets/dock_scroll.h"
#include "ui/window/window_status_bar.h"

namespace large_text_test {

using namespace kvantage;

class LargeTextTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void cleanup() { set_font_percent(100); }

  void titlesAndButtonsAreWhole_data() {
    QTest::addColumn<int>("percent");
    for (const int percent : {80, 100, 160, 200}) QTest::addRow("%d", percent) << percent;
  }
  void titlesAndButtonsAreWhole() {
    QFETCH(int, percent);
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    window->resize(1600, 1000);
    for (auto& [id, dock] : docks_of(*window).all()) docks_of(*window).bring_up(id);
    window->set_font_size(percent);
    const CutTexts texts = cut_texts(*window);
    QVERIFY2(texts.cut.isEmpty(), qPrintable(texts.cut.join('\n')));
    QVERIFY2(texts.titles > 15 && texts.buttons > 10,
             qPrintable(QStringLiteral("%1 %2").arg(texts.titles).arg(texts.buttons)));
  }

  // However large the writing, the window goes onto a screen of 1280 x 800: docks scroll where they would need more.
  void theWindowFitsASmallScreen_data() {
    QTest::addColumn<int>("percent");
    for (const int percent : {80, 90, 100, 110, 125, 140, 160, 180, 200}) QTest::addRow("%d", percent) << percent;
  }
  void theWindowFitsASmallScreen() {
    QFETCH(int, percent);
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    window->resize(1280, 800);
    window->set_font_size(percent);
    window->statusBar()->findChild<WindowStatusBar*>()->show_replay(
        "20261122T105108Z-48213");  // as long as its line gets
    QStringList beyond;
    for (const QString& layout : Layouts::built_in()) {
      QVERIFY(layouts_of(*window).apply(layout));
      for (auto& [id, dock] : docks_of(*window).all())
        docks_of(*window).bring_up(id);  // one behind the other each asks for its room
      test::settle(30);
      const QSize least = window->minimumSizeHint();
      if (least.width() > 1280 || least.height() > 800 || window->width() > 1280 || window->height() > 800)
        beyond << QStringLiteral("%1: at least %2 x %3, is %4 x %5")
                      .arg(layout)
                      .arg(least.width())
                      .arg(least.height())
                      .arg(window->width())
                      .arg(window->height());
    }
    for (auto& [id, dock] : docks_of(*window).all())
      if (!beyond.isEmpty() && dock->minimumSizeHint().width() > DockScroll::min_width)
        beyond << QStringLiteral("%1 asks for %2 x %3")
                      .arg(id)
                      .arg(dock->minimumSizeHint().width())
                      .arg(dock->minimumSizeHint().height());
    QVERIFY2(beyond.isEmpty(), qPrintable(beyond.join('\n')));
  }

  // Frontier, occupancy, hit rates and sensitivity are in sight together, one below the other, without a click.
  void fourViewsAreInSightTogether_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("small") << QSize(1280, 800);
    QTest::newRow("large") << QSize(2560, 1440);
  }
  void fourViewsAreInSightTogether() {
    QFETCH(QSize, size);
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    window->resize(size);
    test::settle(50);
    for (const QString& layout : Layouts::built_in()) {
      if (layout == "Frontier only") continue;
      QVERIFY(layouts_of(*window).apply(layout));
      test::settle(50);
      QVERIFY(window->width() == size.width() && window->height() == size.height());
      int above = 0;
      for (const char* id : {"tiers", "hitRates", "sensitivity"}) {
        const QDockWidget* dock = dock_of(*window, id);
        QVERIFY2(dock->isVisible() && !dock->visibleRegion().isEmpty(), qPrintable(layout + ' ' + id));
        QVERIFY2(dock->height() >= 160 && dock->width() >= 340 && dock->y() >= above,
                 qPrintable(QStringLiteral("%1 %2: %3 x %4 at %5, after %6")
                                .arg(layout, id)
                                .arg(dock->width())
                                .arg(dock->height())
                                .arg(dock->y())
                                .arg(above)));
        above = dock->y() + dock->height();
      }
      const FrontierChart& frontier = part_of<FrontierPage>(*window).chart();
      QVERIFY(frontier.isVisible() && frontier.width() >= 400 && frontier.height() >= 200);
    }
  }

  // In default text size the charts beside the Frontier are whole on a screen of 1280 x 800: none is cut at its right
  // edge.
  void viewsBesideTheFrontierAreWhole() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    window->resize(1280, 800);
    run_of(*window).selection.choose_context(
        run_of(*window).contexts.index(0, ContextsModel::context).data().toString());
    for (const char* id : {"tiers", "hitRates", "sensitivity"}) {
      docks_of(*window).bring_up(id);
      const auto* scroll = qobject_cast<QScrollArea*>(dock_of(*window, id)->widget());
      QVERIFY2(scroll != nullptr, id);
      QTabWidget* pages = dock_of(*window, id)->findChild<QTabWidget*>();
      for (int page = 0; page < (pages == nullptr ? 1 : pages->count()); ++page) {
        if (pages != nullptr) pages->setCurrentIndex(page);
        test::settle(80);
        QVERIFY2(scroll->horizontalScrollBar()->maximum() == 0,
                 qPrintable(QStringLiteral("%1, page %2: %3 pixels cut")
                                .arg(id)
                                .arg(page)
                                .arg(scroll->horizontalScrollBar()->maximum())));
        // Nor is a column of a table, such as the values of Counters.
        for (const QTableView* table : scroll->findChildren<QTableView*>())
          QVERIFY2(!table->isVisible() || table->horizontalScrollBar()->maximum() == 0,
                   qPrintable(QStringLiteral("%1, page %2: columns are off-screen").arg(id).arg(page)));
      }
    }
  }

  // Controls scroll upwards and downwards only: what would be beside its frame can be seen nowhere.
  void nothingIsBesideTheFrameOfControls_data() {
    QTest::addColumn<int>("percent");
    for (const int percent : {100, 140, 160, 200}) QTest::addRow("%d", percent) << percent;
  }
  void nothingIsBesideTheFrameOfControls() {
    QFETCH(int, percent);
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->resize(1280, 800);
    SessionSettings throttled = settings_of(*window).committed();
    for (TierConfig& tier : throttled.tiers) {
      tier.throttle.bytes_per_second = 123.4 * 1048576;
      tier.throttle.latency_seconds = 0.0123;
      if (kind_of(tier).supports_fault_injection())
        tier.faults = to_string(InjectedFaults{fault_presets().front().plan(0.0123), 123456});
    }
    QVERIFY(settings_of(*window).commit(throttled, "speed", {}));
    window->set_font_size(percent);
    test::settle(100);
    const LogSlider& alpha = controls_of(*window).alpha();
    QVERIFY2(percent > 100 || !alpha.stacked(), "in default text size there is room in one row");
    int seen = 0;
    QStringList beside;
    for (QWidget* widget : controls_of(*window).findChildren<QWidget*>()) {
      if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) ||
          widget->parentWidget()->inherits("QAbstractSpinBox"))
        continue;
      const QScrollArea* frame = nullptr;
      for (QWidget* above = widget; above && !frame; above = above->parentWidget())
        frame = qobject_cast<QScrollArea*>(above);
      if (!frame) continue;
      ++seen;
      const int left = widget->mapTo(frame->viewport(), QPoint(0, 0)).x(), right = left + widget->width();
      if (left < 0 || right > frame->viewport()->width())
        beside << QStringLiteral("%1: %2 to %3 of %4")
                      .arg(widget->accessibleName())
                      .arg(left)
                      .arg(right)
                      .arg(frame->viewport()->width());
    }
    QVERIFY2(seen > 10, qPrintable(QString::number(seen)));
    for (const QGroupBox* box : controls_of(*window).findChildren<QGroupBox*>())
      if (!beside.isEmpty())
        beside << QStringLiteral("%1 asks for %2").arg(box->title()).arg(box->minimumSizeHint().width());
    QVERIFY2(beside.isEmpty(), qPrintable(beside.join('\n')));
  }

  // Numbers beside the sliders, too.
  void theNumberBesideASliderGrowsWithTheText() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    const auto fits = [&] {
      QDoubleSpinBox& box = controls_of(*window).tier("dram")->budget().box();
      return box.width() >= box.fontMetrics().horizontalAdvance("1023.9 MiB") + 12;
    };
    QVERIFY(fits());
    window->set_font_size(200);
    QTRY_VERIFY(fits());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  LargeTextTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace large_text_test

#include "large_text_test.moc"
