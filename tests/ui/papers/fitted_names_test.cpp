// links: kv_ui
// Names of categories below a chart, by the room there is, and titles of axes with their units set apart.
#include "ui/papers/charts/fitted_names.h"

#include <QTest>

#include "tests/support/test_program.h"
#include "ui/papers/charts/figure_chart.h"

namespace fitted_names_test {

using namespace kvantage;

class FittedNamesTest : public QObject {
  Q_OBJECT

  static double wide(const QString& text) { return QFontMetricsF(QFont()).horizontalAdvance(text); }
  static double line() { return QFontMetricsF(QFont()).lineSpacing(); }
  static FittedNames fitted(const QStringList& names, double across, double high) {
    return fitted_names(names, {0, static_cast<int>(names.size())}, QFontMetricsF(QFont()), {across, high});
  }

 private slots:
  void namesTakeTheRoomThereIs() {
    const QStringList names{"compression only", "eviction only"}, folded{"compression\nonly", "eviction\nonly"};
    FittedNames one = fitted(names, wide(names[0]), 0);
    QVERIFY(one.is_level && one.names == names && one.lacking == 0);
    one = fitted(names, wide("compression"), 2 * line());
    QVERIFY(one.is_level && one.names == folded && one.lacking == 0);
    one = fitted(names, wide("compression") - 1, wide(names[0]));
    QVERIFY(!one.is_level && one.names == names && one.lacking == 0);
    one = fitted(names, 2 * line(), wide("compression"));
    QVERIFY(!one.is_level && one.names == folded && one.lacking == 0);
    // Two lines have no room beside each other: one, by letters, and what it lacks.
    one = fitted(names, 2 * line() - 1, wide("compression"));
    QVERIFY(!one.is_level && one.names[0].endsWith(QChar(0x2026)) && wide(one.names[0]) <= wide("compression"));
    QCOMPARE(one.lacking, wide(names[0]) - wide("compression"));
    one = fitted(names, 2 * line(), wide("compression") - 5);
    QVERIFY(one.names[0].endsWith("\nonly") && one.names[0].contains(QChar(0x2026)));
    QCOMPARE(one.lacking, 5.0);
    // Without room to the side no height helps.
    QCOMPARE(fitted(names, line() - 1, 20).lacking, 0.0);
  }

  void longNamesAskForNoMoreThanSixteenLetters() {
    const QString name(60, 'n');
    const FittedNames one = fitted({name}, line(), 30);
    QCOMPARE(one.lacking, wide(QString(16, 'n')) - 30);
    QVERIFY(one.names[0].size() < 16 && wide(one.names[0]) <= 30);
  }

  void onlyWhatIsShownCounts() {
    const QStringList names{"a", QString(60, 'n')};
    const FittedNames one = fitted_names(names, {0, 1}, QFontMetricsF(QFont()), {wide("a"), 0});
    QVERIFY(one.is_level && one.names == names);
  }

  void labelsAreDistinctAndEscaped() {
    QCOMPARE(distinct_labels({"a <b>", "x", "x", "one\ntwo & 3", "x"}),
             (QStringList{"a &lt;b&gt;", "x", "x (2)", "<div align=\"center\">one<br>two &amp; 3</div>", "x (3)"}));
  }

  void unitsAreSetApartInTitles() {
    for (const auto& [column, title] : {std::pair{"alpha s", "alpha (s)"},
                                        {"utility s", "utility (s)"},
                                        {"mean TTFT, s", "mean TTFT (s)"},
                                        {"rate 1/s", "rate (1/s)"},
                                        {"budget %", "budget (%)"},
                                        {"peak MiB", "peak (MiB)"},
                                        {"requests that dram served, %", "requests that dram served (%)"},
                                        {"bandwidth MB/s", "bandwidth (MB/s)"},
                                        {"s", "s"},
                                        {"tokens/s", "tokens/s"},
                                        {"quality", "quality"},
                                        {"families", "families"},
                                        {"quality % at equal TTFT", "quality % at equal TTFT"},
                                        {"context tokens", "context tokens"}})
      QCOMPARE(axis_title(column), QString(title));
  }
};

KV_TEST_MAIN(FittedNamesTest)

}  // namespace fitted_names_test

#include "fitted_names_test.moc"
