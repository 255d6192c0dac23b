// links: kv_ui
// Tool tips of charts are short; a click pins the whole text until Esc, or until something else is pressed.
#include "ui/charts/pinned_tip.h"

#include <QApplication>
#include <QChartView>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QToolTip>
#include <QVBoxLayout>
#include <initializer_list>
#include <memory>

#include "tests/support/test_program.h"
#include "tests/ui/live/frontier/fitted_session.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/charts/chart_panel.h"
#include "ui/live/pool/pool_grid.h"
#include "ui/runs/scrub_bar.h"
#include "ui/tokens/token_map.h"

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

void hover_over(QWidget& widget, const QPoint& at) {
  QHelpEvent event(QEvent::ToolTip, at, widget.mapToGlobal(at));
  QApplication::sendEvent(&widget, &event);
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

  // Views that are no charts have the same short tips: tokens of a text, marks of a recorded run, blocks of a pool.
  void tipsOfTokensMarksAndBlocksAreShort() {
    const QString whole("one\ntwo\nthree\nfour\nfive");
    TokenMap tokens;
    tokens.set_tokens({"a", " token", " more"});
    tokens.set_hover_text([&](std::size_t token) { return token == 1 ? whole : QStringLiteral("short"); });
    tokens.resize(300, 100);
    ScrubBar marks;
    marks.set_marks({{0.5, 0, "one"}, {0.5, 1, "two"}, {0.5, 2, "three"}, {0.5, 3, "four"}, {0.5, 0, "five"}});
    marks.resize(300, 40);
    PoolGrid pool;
    PoolFrame frame;
    frame.blocks.resize(1);
    frame.blocks[0].references = 1;
    frame.blocks[0].rows = {SlotState::live, SlotState::live};
    frame.blocks[0].positions = {0, 1};
    pool.set_hover_text([&](std::size_t, int) { return whole; });
    pool.resize(300, 100);
    pool.show_frame(&frame, nullptr);
    for (QWidget* view : std::initializer_list<QWidget*>{&tokens, &marks, &pool}) view->show();
    const struct {
      QWidget& view;
      QPoint at;
    } places[] = {{*tokens.viewport(), tokens.box(1).center()},
                  {marks, QPoint(150, 20)},
                  {pool, pool.block_box(0).center().toPoint()}};
    for (const auto& [view, at] : places) {
      const QByteArray what = view.metaObject()->className();
      hover_over(view, at);
      QVERIFY2(QToolTip::text().startsWith("one\ntwo\nthree") && QToolTip::text().count('\n') == 2, what);
      QVERIFY2(PinnedTip::text().isEmpty(), what);
      QTest::mouseClick(&view, Qt::LeftButton, {}, at);
      QVERIFY2(PinnedTip::text() == whole, what);
      PinnedTip::unpin();
    }
    QTest::mouseClick(tokens.viewport(), Qt::LeftButton, {}, tokens.box(0).center());
    QVERIFY2(PinnedTip::text().isEmpty(), "all of it was seen");
    // By keys as well.
    QTest::keyClick(&tokens, Qt::Key_Home, Qt::ControlModifier);
    QTest::keyClick(&tokens, Qt::Key_Right);
    QCOMPARE(tokens.current(), 1);
    QCOMPARE(QToolTip::text().count('\n'), 2);
    QTest::keyClick(&tokens, Qt::Key_Return);
    QCOMPARE(PinnedTip::text(), whole);
    QTest::keyClick(&tokens, Qt::Key_Right);
    QVERIFY(PinnedTip::text().isEmpty());
    QCOMPARE(QToolTip::text(), QString("short"));
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
