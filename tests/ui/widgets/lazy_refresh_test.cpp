// links: kv_ui
// Refreshes of a window's views: many changes become one, hidden views do nothing, and none is forgotten where there is
// more to refresh than there is time.
#include <QElapsedTimer>
#include <QTest>
#include <QVBoxLayout>
#include <QWidget>
#include <memory>
#include <vector>

#include "tests/support/test_program.h"
#include "ui/widgets/lazy_refresh.h"

namespace lazy_refresh_test {

using namespace kvantage;

class LazyRefreshTest : public QObject {
  Q_OBJECT

  static void be_busy(int ms) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < ms) {
    }
  }

 private slots:
  void manyChangesAreOneRefresh() {
    QWidget window;
    int refreshed = 0;
    LazyRefresh lazy(
        window, [&] { ++refreshed; }, 20);
    for (int i = 0; i < 50; ++i) lazy.invalidate();
    test::settle(100);
    QCOMPARE(refreshed, 0);  // nobody sees it
    window.show();
    QTRY_COMPARE(refreshed, 1);
    for (int i = 0; i < 50; ++i) lazy.invalidate();
    QTRY_COMPARE(refreshed, 2);
    QVERIFY(!lazy.waiting());
  }

  // Ten views that change all the time, each of which takes longer than the pause between two.
  void whoWaitedLongestHasTheNextTurn() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    std::vector<LazyRefresh*> views;
    std::vector<int> refreshed(10, 0);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < refreshed.size(); ++i) {
      auto* view = new QWidget(&window);
      view->setMinimumSize(50, 20);
      column->addWidget(view);
      views.push_back(new LazyRefresh(
          *view,
          [&, view, i] {
            ++refreshed[i];
            order.push_back(i);
            be_busy(9);
            view->update();
          },
          10, i % 2 == 0 ? LazyRefresh::Turns::any_time : LazyRefresh::Turns::one_a_frame));
    }
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 3000) {
      for (LazyRefresh* view : views) view->invalidate();
      test::settle(1);
    }
    // Within a kind each comes as often as any other.
    for (const std::size_t kind : {0U, 1U}) {
      int least = refreshed[kind], most = refreshed[kind];
      for (std::size_t i = kind; i < refreshed.size(); i += 2) {
        least = std::min(least, refreshed[i]);
        most = std::max(most, refreshed[i]);
      }
      QVERIFY2(least >= 3 && most <= least + least / 2 + 1,
               qPrintable(QString("%1 to %2 refreshes").arg(least).arg(most)));
    }
  }
};

KV_TEST_MAIN(LazyRefreshTest)

}  // namespace lazy_refresh_test

#include "lazy_refresh_test.moc"
