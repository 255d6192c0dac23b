// links: kv_base
// A table with typed columns as CSV: numbers that read back to the same bits, empty cells, quotes, and columns that
// stand in for others.
#include "core/base/column_csv.h"

#include <QtTest>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace column_csv_test {

using namespace kvantage;

class ColumnCsvTest : public QObject {
  Q_OBJECT
 private slots:
  void cellsOfEveryType() {
    using enum ColumnType;
    ColumnTable table{"t", {{"name", text}, {"count", whole}, {"share", real}, {"best", flag}}, {}};
    table.add_row({"a, \"b\"", std::int64_t{-7}, 0.1, true});
    table.add_row({TableCell(), TableCell(), TableCell(), TableCell()});
    table.add_row({"=1+1", std::int64_t{9'007'199'254'740'993}, 4e6, false});
    QCOMPARE(csv_of(table), std::string("name,count,share,best\n"
                                        "\"a, \"\"b\"\"\",-7,0.1,1\n"
                                        ",,,\n"
                                        "'=1+1,9007199254740993,4000000,0\n"));
    QCOMPARE(csv_of({"empty", {{"a", text}, {"b", real}}, {}}), std::string("a,b\n"));
  }

  void numbersReadBackToTheSameBits() {
    ColumnTable table{"t", {{"x", ColumnType::real}}, {}};
    Random random(3);
    std::vector<double> values{0.0, 1e15, -1e15, 1e14, 1e-300, 5e-324, std::numeric_limits<double>::max(),
                               0.1, 1.5,  -2.0,  1e22};
    for (int i = 0; i < 2000; ++i) values.push_back((random.uniform() - 0.5) * std::pow(10.0, i % 40 - 20));
    for (const double value : values) table.add_row({value});
    const std::string csv = csv_of(table);
    std::size_t at = csv.find('\n') + 1;
    for (const double value : values) {
      const std::size_t end = csv.find('\n', at);
      double back = std::nan("");
      std::from_chars(csv.data() + at, csv.data() + end, back);
      QCOMPARE(back, value);
      at = end + 1;
    }
    QCOMPARE(at, csv.size());
  }

  void anotherColumnStandsIn() {
    using enum ColumnType;
    ColumnTable table{"t", {{"value", real}, {"note", text}, {"setting", text}}, {}};
    table.add_row({2.5, "n", TableCell()});
    table.add_row({TableCell(), "n", "lru"});
    QCOMPARE(csv_of(table, {{"value", "setting"}}), std::string("value,note\n2.5,n\nlru,n\n"));
    QCOMPARE(csv_of(table), std::string("value,note,setting\n2.5,n,\n,n,lru\n"));
    QCOMPARE(csv_of(table, {{"value", "no such"}}), std::string("value,note,setting\n2.5,n,\n,n,lru\n"));
  }
};

KV_TEST_APPLESS_MAIN(ColumnCsvTest)

}  // namespace column_csv_test

#include "column_csv_test.moc"
