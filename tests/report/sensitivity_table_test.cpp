// links: kv_base
// Pooled quality against sums done by hand.
#include <QtTest>

#include "core/report/sensitivity_table.h"

using namespace kvantage;

namespace {

ProfileCell cell(const char* context, const char* family, const char* method, double removed, std::vector<double> scores) {
  ProfileCell result;
  result.context_id = context;
  result.family = family;
  result.point.method = method;
  result.point.removed_fraction = removed;
  result.point.quality = mean_of(scores);
  result.point.n = static_cast<int>(scores.size());
  result.scores = std::move(scores);
  return result;
}

const std::vector<ProfileCell> cells{
    cell("a-0", "a", "none", 0, {1, 1}),        cell("a-1", "a", "none", 0, {1, 0}),
    cell("b-0", "b", "none", 0, {1, 1}),        cell("a-0", "a", "knorm", 0.5, {0, 0}),
    cell("a-1", "a", "knorm", 0.5, {1, 0, 0}),  cell("b-0", "b", "knorm", 0.5, {1, 1}),
    cell("a-0", "a", "snapkv", 0.5, {1, 0}),    cell("a-1", "a", "snapkv", 0.5, {0, 0, 0}),
    cell("b-0", "b", "snapkv", 0.5, {1, 1}),    cell("b-0", "b", "snapkv", 0.9, {0.5, 0.25}),
};

}  // namespace

class SensitivityTableTest : public QObject {
  Q_OBJECT
 private slots:
  void questionsArePooledNotMeansOfMeans() {
    const auto pooled = pooled_by_family(cells);
    QCOMPARE(pooled.size(), 7u);
    QCOMPARE(pooled[0].method, std::string("none"));
    QCOMPARE(pooled[0].quality, 0.75);
    QCOMPARE(pooled[1].method, std::string("knorm"));
    QCOMPARE(pooled[1].n, 5u);
    QCOMPARE(pooled[1].quality, 0.2);
    QVERIFY(pooled[1].interval && pooled[1].interval->low <= 0.2 && pooled[1].interval->high >= 0.2);
    QVERIFY(!pooled[3].interval);  // one context only
  }

  void theSpreadIsBetweenFamiliesAtOneFraction() {
    const auto spread = spread_between_families(pooled_by_family(cells), 0.5);
    QCOMPARE(spread.size(), 2u);
    QCOMPARE(spread.at("knorm"), 0.8);
    QCOMPARE(spread.at("snapkv"), 0.8);
  }

  // b-0 is a draw.
  void theBestMethodIsCountedWhereItIsAlone() {
    const auto best = best_method_of_contexts(cells, 0.5);
    QCOMPARE(best, (std::map<std::string, std::size_t>{{"knorm", 1}, {"snapkv", 1}}));
  }

  void theTextHasARowForEachFamilyAndMethod() {
    const QString text = QString::fromStdString(sensitivity_text(cells));
    QVERIFY2(text.contains(QRegularExpression("a +knorm +5 +0\\.200 \\[")), qPrintable(text));
    QVERIFY2(text.contains(QRegularExpression("b +snapkv +2 +1\\.000 +0\\.375")), qPrintable(text));
    QVERIFY2(text.contains("removed 0.50: spread between families, knorm 0.800, snapkv 0.800"), qPrintable(text));
    QVERIFY(!sensitivity_text({}).empty());
  }
};

QTEST_GUILESS_MAIN(SensitivityTableTest)
#include "sensitivity_table_test.moc"
