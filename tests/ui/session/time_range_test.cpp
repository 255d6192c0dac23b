// links: kv_ui_models
// What part of a run the time charts show: the whole run, a part that holds still, a part that follows.
#include "ui/session/time_range.h"

#include <QSignalSpy>
#include <QtTest>

#include "tests/support/test_program.h"
#include "ui/session/held_end.h"

namespace time_range_test {

using namespace kvantage;

class TimeRangeTest : public QObject {
  Q_OBJECT

 private slots:
  void endsDouble() {
    QCOMPARE(held_end(0, 10), 10.0);
    QCOMPARE(held_end(10, 10), 10.0);
    QCOMPARE(held_end(10.001, 10), 20.0);
    QCOMPARE(held_end(40, 10), 40.0);
    QCOMPARE(held_end(1e6, 1), 1048576.0);
    QCOMPARE(held_end(-3, 10), 10.0);
    QCOMPARE(held_end(std::nan(""), 10), 10.0);
    for (double needed = 0.1; needed < 1e6; needed *= 1.37) {
      const double end = held_end(needed, 3);
      QVERIFY(end >= needed && (end == 3 || end / 2 < needed));
    }
  }

  void theWholeRunGrowsByDoubling() {
    TimeRange range;
    QSignalSpy changes(&range, &TimeRange::changed);
    QVERIFY(range.whole() && range.follows_now());
    for (int tenth = 1; tenth <= 800; ++tenth) range.reach(tenth * 0.1);
    QCOMPARE(range.now(), 80.0);
    QCOMPARE(range.extent(), 80.0);
    QCOMPARE(range.begin(), 0.0);
    QCOMPARE(range.end(), 80.0);
    QCOMPARE(changes.size(), 3);  // 20, 40, 80
    range.reach(12);              // an earlier time
    QCOMPARE(range.now(), 80.0);
  }

  void aPartHoldsStill() {
    TimeRange range;
    range.reach(60);  // of 80
    range.show(30, 20);
    QCOMPARE(range.begin(), 20.0);
    QCOMPARE(range.end(), 30.0);
    QVERIFY(!range.whole() && !range.follows_now());
    QSignalSpy changes(&range, &TimeRange::changed);
    range.reach(70);
    QCOMPARE(changes.size(), 0);
    range.reach(100);  // all is longer, the part stays
    QCOMPARE(changes.size(), 1);
    QCOMPARE(range.begin(), 20.0);
    range.show(155, 175);  // moved into the run, as wide
    QCOMPARE(range.begin(), 140.0);
    QCOMPARE(range.end(), 160.0);
    range.show(50, 50);
    QCOMPARE(range.end() - range.begin(), TimeRange::least_span);
    range.show(std::nan(""), 3);
    QCOMPARE(range.begin(), 50.0);
    range.show(-5, 1000);
    QVERIFY(range.whole() && range.follows_now());
  }

  void followingMovesInSteps() {
    TimeRange range;
    range.reach(60);
    range.show(0, 8);
    range.follow_now(true);
    QCOMPARE(range.begin(), 54.0);  // a quarter is ahead
    QCOMPARE(range.end(), 62.0);
    QSignalSpy changes(&range, &TimeRange::changed);
    range.reach(61.9);
    QCOMPARE(changes.size(), 0);
    range.reach(62.5);
    QCOMPARE(changes.size(), 1);
    QCOMPARE(range.begin(), 56.5);
    QCOMPARE(range.end(), 64.5);
    range.show(57, 60);  // a hand stops it
    QVERIFY(!range.follows_now());
    range.reach(70);
    QCOMPARE(range.end(), 60.0);
  }

  void theWholeCanHoldStill() {
    TimeRange range;
    range.reach(15);
    range.follow_now(false);
    QCOMPARE(range.end(), 20.0);
    range.reach(50);
    QCOMPARE(range.end(), 20.0);
    QCOMPARE(range.extent(), 80.0);
    range.follow_now(true);
    QCOMPARE(range.end(), 55.0);  // as wide as it was
    range.show_all();
    range.follow_now(false);
    range.follow_now(true);  // nothing came in between
    QVERIFY(range.whole());
  }

  void anotherRunIsShownWhole() {
    TimeRange range;
    range.reach(500);
    range.show(100, 120);
    range.restart(3, 42);
    QVERIFY(range.whole() && range.follows_now());
    QCOMPARE(range.end(), 42.0);
    range.reach(41);
    QCOMPARE(range.extent(), 42.0);
    range.restart(25);
    QCOMPARE(range.extent(), 40.0);
  }
};

KV_TEST_APPLESS_MAIN(TimeRangeTest)

}  // namespace time_range_test

#include "time_range_test.moc"
