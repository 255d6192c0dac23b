// links: kv_ui kv_experiments
// The Pool dock over the walks of the real pool: moments, words, table, what a hand can choose.
#include "ui/live/pool/pool_dock.h"

#include <QSignalSpy>
#include <QTest>

#include "core/experiments/model/pool_walk.h"
#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "ui/text/words.h"

namespace pool_test {

using namespace kvantage;

namespace {

void choose(QComboBox& box, const char* value) { box.setCurrentIndex(box.findData(QString(value))); }

}  // namespace

class PoolTest : public QObject {
  Q_OBJECT

  static void settle(PoolDock& dock, const char* eviction_method) {
    QSignalSpy walked(&dock.model(), &PoolWalkModel::walked);
    choose(dock.eviction_method(), eviction_method);
    QVERIFY(!walked.isEmpty() || walked.wait(5000));
  }

 private slots:
  void itSaysWhatIsMissing() {
    PoolDock dock(nullptr);
    QVERIFY(dock.empty_text().contains("No pool"));
  }

  void momentsAreSteppedThrough() {
    PoolDock dock(walk_pool);
    dock.resize(900, 300);
    dock.show();
    QVERIFY(QTest::qWaitFor([&] { return dock.model().size() > 0; }, 5000));
    settle(dock, "knorm");
    PoolWalkModel& model = dock.model();
    QCOMPARE(model.at(), 0);
    QVERIFY(dock.text().contains("60 KV entries"));
    QCOMPARE(dock.grid().changed_rows(), 0);
    model.step(1);
    QCOMPARE(dock.grid().changed_rows(), 1);  // one row was written
    model.go_to_next("evict");
    QVERIFY(model.frame()->kind == "evict");
    QVERIFY(dock.text().contains(" evicted, "));
    QCOMPARE(dock.position().value(), model.at());
    dock.position().setValue(model.size() - 1);
    QCOMPARE(model.at(), model.size() - 1);
    model.go_to(-5);
    QCOMPARE(model.at(), 0);
    QCOMPARE(dock.table().rows.size(), model.size());
    QCOMPARE(dock.table().header.size(), dock.table().rows.front().size());
    dock.grid().grab();
  }

  // Another choice shows the same moment, so that two can be compared.
  void anotherMethodShowsTheSameMoment() {
    PoolDock dock(walk_pool);
    QVERIFY(QTest::qWaitFor([&] { return dock.model().size() > 0; }, 5000));
    settle(dock, "knorm");
    dock.model().go_to(dock.model().size() / 2);
    const int decoded = dock.model().frame()->decoded;
    QVERIFY(decoded > 10);
    const int dead = dock.model().frame()->dead_slots;
    settle(dock, "paged_eviction");
    QCOMPARE(dock.model().frame()->decoded, decoded);
    QVERIFY(dead > 0 && dock.model().frame()->dead_slots == 0);
  }

  void playingContinuesAndStopsWhenHidden() {
    PoolDock dock(walk_pool);
    dock.show();
    QVERIFY(QTest::qWaitFor([&] { return dock.model().size() > 0; }, 5000));
    dock.model().play(true);
    QVERIFY(QTest::qWaitFor([&] { return dock.model().at() >= 2; }, 5000));
    dock.hide();
    QVERIFY(!dock.model().playing());
  }

  void theBlocksAreZoomedAndPanned() {
    PoolDock dock(walk_pool);
    dock.resize(900, 400);
    dock.show();
    QVERIFY(QTest::qWaitFor([&] { return dock.model().size() > 0; }, 5000));
    QCoreApplication::processEvents();
    PoolGrid& grid = dock.grid();
    const QRectF first = grid.block_box(0), fifth = grid.block_box(4);
    const QPointF at = fifth.center();
    QVERIFY(chart_hands::turn(grid, at, 2));
    constexpr double factor = ChartZoom::key_factor * ChartZoom::key_factor;
    QVERIFY(chart_hands::near(grid.block_box(4).center().x(), at.x(), 1e-6));
    QVERIFY(chart_hands::near(grid.block_box(4).center().y(), at.y(), 1e-6));
    QVERIFY(chart_hands::near(grid.block_box(4).width(), fifth.width() * factor, 1e-6));
    QVERIFY(chart_hands::near(grid.row_box(4, 1).left() - grid.row_box(4, 0).left(), grid.row_box(4, 0).width(), 1e-6));
    QVERIFY(grid.zoom().zoomed() && chart_hands::button(grid).isVisible());
    QVERIFY2(grid.accessibleDescription().contains(" blocks; 0 resets"), qPrintable(grid.accessibleDescription()));
    // What the keys reach comes into view: the last block is to the right of it or below.
    grid.setFocus();
    grid.zoom().zoom(4);
    for (int i = 0; i < 60; ++i) QTest::keyClick(&grid, Qt::Key_Down);
    QTest::keyClick(&grid, Qt::Key_End);
    const auto stop = grid.keys().stop();
    QVERIFY(stop && grid.rect().contains(stop->mark.center().toPoint()));
    chart_hands::mouse(grid, QEvent::MouseButtonDblClick, at, Qt::LeftButton);
    QCOMPARE(grid.block_box(0), first);
    QVERIFY(!grid.zoom().zoomed() && !chart_hands::button(grid).isVisible());
    grid.grab();
  }

  void wordsOfABlock() {
    PoolDock dock(walk_pool);
    QVERIFY(QTest::qWaitFor([&] { return dock.model().size() > 0; }, 5000));
    PoolWalkModel& model = dock.model();
    const std::size_t last = model.frame()->blocks.size() - 1;
    QVERIFY2(model.hover_text(last, 0).contains("free"), qPrintable(model.hover_text(last, 0)));
    std::size_t held = 0;
    while (model.frame()->blocks[held].references == 0) ++held;
    QVERIFY(model.hover_text(held, 0).contains("in 1 block table: 8 KV entries live, 0 dead"));
    QVERIFY(model.hover_text(held, 0).contains("this entry: token"));
    QVERIFY(model.gauges_text().contains(QStringLiteral("of %1 blocks free").arg(last + 1)));
  }
};

KV_TEST_MAIN(PoolTest)

}  // namespace pool_test

#include "pool_test.moc"
