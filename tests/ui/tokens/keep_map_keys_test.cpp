// links: kv_ui
// The text of the keep map without a mouse: keys move from token to token and show what hovering shows.
#include <QScrollBar>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/tokens/shown_keep_map.h"

namespace keep_map_keys_test {

using namespace kvantage;

class KeepMapKeysTest : public QObject {
  Q_OBJECT

 private slots:
  void keysGoFromTokenToToken() {
    Shown shown(3000);
    shown.choose(0);
    TokenMap& map = shown.dock.map(0);
    QVERIFY2(map.toolTip().contains("arrow"), qPrintable(map.toolTip()));
    shown.dock.activateWindow();
    map.setFocus();
    QTRY_VERIFY(map.hasFocus());
    const auto at = [&map] { return static_cast<std::size_t>(map.current()); };
    const auto written = [&](int from, int by) {
      for (from += by; map.box(static_cast<std::size_t>(from)).isNull();) from += by;
      return from;
    };
    QCOMPARE(map.current(), -1);
    QTest::keyClick(&map, Qt::Key_Right);
    const int first = map.current();
    QCOMPARE(first, written(-1, 1));
    QCOMPARE(map.accessibleDescription(), shown.dock.model().hover_text(0, at()));
    QVERIFY2(map.accessibleDescription().contains("score"), qPrintable(map.accessibleDescription()));
    QTest::keyClick(&map, Qt::Key_Right);
    QCOMPARE(map.current(), written(first, 1));
    QTest::keyClick(&map, Qt::Key_Left);
    QTest::keyClick(&map, Qt::Key_Left);
    QCOMPARE(map.current(), first);

    QTest::keyClick(&map, Qt::Key_End);
    const QRect line = map.box(static_cast<std::size_t>(first)), end = map.box(at());
    QCOMPARE(end.y(), line.y());
    QVERIFY(map.box(static_cast<std::size_t>(written(map.current(), 1))).y() > line.y());
    QTest::keyClick(&map, Qt::Key_Home);
    QCOMPARE(map.current(), first);
    for (int i = 0; i < 4; ++i) QTest::keyClick(&map, Qt::Key_Right);
    const int start = map.current();
    const int middle = map.box(at()).center().x();
    QTest::keyClick(&map, Qt::Key_Down);
    const QRect below = map.box(at());
    QVERIFY(map.current() > start && below.y() > line.y());
    // No other token of that line is nearer.
    for (std::size_t t = 0; t < map.token_count(); ++t)
      if (!map.box(t).isNull() && map.box(t).y() == below.y())
        QVERIFY(std::abs(map.box(t).center().x() - middle) >= std::abs(below.center().x() - middle) - 1);
    QTest::keyClick(&map, Qt::Key_Up);
    QCOMPARE(map.box(at()).y(), line.y());

    const int from = map.current();
    QTest::keyClick(&map, Qt::Key_PageDown);
    QVERIFY(map.current() > from + 10);
    const auto in_sight = [&] { return map.viewport()->rect().contains(map.box(at())); };
    QVERIFY(in_sight());
    QTest::keyClick(&map, Qt::Key_PageUp);
    QCOMPARE(map.box(at()).y(), map.box(static_cast<std::size_t>(from)).y());
    QTest::keyClick(&map, Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(map.current(), written(static_cast<int>(map.token_count()), -1));
    QVERIFY(in_sight() && map.verticalScrollBar()->value() > 0);
    QTest::keyClick(&map, Qt::Key_Right);
    QCOMPARE(map.current(), written(static_cast<int>(map.token_count()), -1));
    QTest::keyClick(&map, Qt::Key_Home, Qt::ControlModifier);
    QCOMPARE(map.current(), first);
    QVERIFY(in_sight());

    // What is said follows the removed fraction; it ends with the focus, and with the text.
    for (int i = 0; i < 5; ++i) QTest::keyClick(&map, Qt::Key_PageDown);
    shown.dock.model().set_removed_fraction(0);
    shown.settle();
    const QString before = map.accessibleDescription();
    shown.dock.model().set_removed_fraction(0.98);
    shown.settle();
    QVERIFY(map.accessibleDescription() != before);
    QCOMPARE(map.accessibleDescription(), shown.dock.model().hover_text(0, at()));
    shown.dock.fraction().setFocus();
    QVERIFY(!map.accessibleDescription().contains("score"));
    map.set_tokens({});
    QTest::keyClick(&map, Qt::Key_Down);
    QCOMPARE(map.current(), -1);
  }
};

KV_TEST_MAIN(KeepMapKeysTest)

}  // namespace keep_map_keys_test

#include "keep_map_keys_test.moc"
