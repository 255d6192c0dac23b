// links: kv_ui
// Tool tips of charts are short; a click pins the whole text until Esc, or until something else is pressed.
#include "ui/charts/pinned_tip.h"

#include <QApplication>
#include <QChartView>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QToolTip>
#include <QVBoxLayout>
#include <memory>

#include "tests/support/test_program.h"
#include "tests/ui/live/frontier/fitted_session.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/charts/chart_panel.h"

namespace pinned_tip_test {

using namespace kvantage;

namespace {

struct Page : QWidget {
  Page() : below(new QPushButton("Below")), beside(new QWidget) {
    auto* column = new QVBoxLayout(this);
    column->addWidget(beside);
    column->addWidget(below);
    resize(300, 200);
    show();
  }
  QPushButton* below;
  QWidget* beside;
};

/// The one that is seen: others may wait to be deleted.
QFrame* tip_of(QWidget& page) {
  for (QFrame* tip : page.findChildren<QFrame*>("pinnedTip"))
    if (tip->isVisible()) return tip;
  return nullptr;
}

void move_to(QWidget& widget, const QPointF& at) {
  QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
  QApplication::sendEvent(&widget, &event);
}

}  // namespace

class PinnedTipTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void cleanup() { PinnedTip::unpin(); }

  void itShowsPlainTextAndIsOne() {
    Page page;
    QVERIFY(PinnedTip::text().isEmpty());
    PinnedTip::pin(*page.beside, page.mapToGlobal(QPoint(20, 20)), "<b>one</b>\ntwo\nthree\nfour");
    QCOMPARE(PinnedTip::text(), QString("<b>one</b>\ntwo\nthree\nfour"));
    QVERIFY(tip_of(page) && tip_of(page)->isVisible());
    QCOMPARE(tip_of(page)->findChild<QLabel*>()->textFormat(), Qt::PlainText);
    QVERIFY(!tip_of(page)->accessibleName().isEmpty() && tip_of(page)->accessibleDescription().contains("four"));
    PinnedTip::pin(*page.beside, page.mapToGlobal(QPoint(90, 20)), "other");
    QCOMPARE(PinnedTip::text(), QString("other"));
    PinnedTip::pin(*page.beside, page.mapToGlobal(QPoint(90, 20)), {});
    QVERIFY(PinnedTip::text().isEmpty());
  }

  void escAndPressesElsewhereCloseIt() {
    Page page;
    const auto pin = [&] { PinnedTip::pin(*page.beside, page.mapToGlobal(QPoint(20, 20)), "one\ntwo"); };
    pin();
    QTest::keyClick(page.below, Qt::Key_A);
    QCOMPARE(PinnedTip::text(), QString("one\ntwo"));
    QTest::keyClick(page.below, Qt::Key_Escape);
    QVERIFY(PinnedTip::text().isEmpty());
    pin();
    QTest::mouseClick(tip_of(page)->findChild<QLabel*>(), Qt::LeftButton);  // on itself
    QCOMPARE(PinnedTip::text(), QString("one\ntwo"));
    int clicks = 0;
    connect(page.below, &QPushButton::clicked, this, [&] { ++clicks; });
    QTest::mouseClick(page.below, Qt::LeftButton);
    QVERIFY(PinnedTip::text().isEmpty());
    QCOMPARE(clicks, 1);  // the press was not taken from it
    pin();
    page.beside->hide();
    QVERIFY(PinnedTip::text().isEmpty());
  }

  void itGoesWithItsWindow() {
    auto page = std::make_unique<Page>();
    PinnedTip::pin(*page->beside, page->mapToGlobal(QPoint(20, 20)), "one");
    page.reset();
    QVERIFY(PinnedTip::text().isEmpty());
    PinnedTip::unpin();
  }

  // Whatever is under the mouse, on every chart of a window that has served requests.
  void tipsOfAllChartsAreShort() {
    FittedSession session;
    auto window = scripted_.loaded(session);
    session.serve(60);
    QTRY_COMPARE(run_of(*window).served(), 60u);
    run_of(*window).selection.choose_context("story-2");
    QSet<QString> seen;
    int hovered = 0;
    for (const auto& [id, dock] : docks_of(*window).all()) {
      docks_of(*window).bring_up(id);
      auto* tabs = dock->findChild<QTabWidget*>();
      for (int page = 0; page < (tabs != nullptr ? tabs->count() : 1); ++page) {
        if (tabs != nullptr) tabs->setCurrentIndex(page);
        QCoreApplication::processEvents();
        for (ChartPanel* chart : window->findChildren<ChartPanel*>()) {
          if (!chart->isVisible() || seen.contains(chart->accessibleName())) continue;
          chart->flush();
          seen << chart->accessibleName();
          QWidget& canvas = *chart->findChild<QChartView*>()->viewport();
          const QRectF area = chart->chart().plotArea();
          // Over the whole chart, in steps that no point is between.
          for (double y = area.top(); y < area.bottom(); y += 11)
            for (double x = area.left(); x < area.right(); x += 11) {
              move_to(canvas, {x, y});
              const QString tip = QToolTip::text();
              hovered += !tip.isEmpty();
              QVERIFY2(tip.count('\n') <= 2, qPrintable(chart->accessibleName() + ": " + tip));
            }
        }
      }
    }
    QVERIFY2(seen.contains("Frontier") && seen.contains("Hit rates") && seen.contains("Sensitivity by family"),
             qPrintable(QStringList(seen.values()).join(", ")));
    QVERIFY(hovered > 20);
  }
};

KV_TEST_MAIN(PinnedTipTest)

}  // namespace pinned_tip_test

#include "pinned_tip_test.moc"
