// links: kv_ui ui_report
// Where things are on the pages: no two texts overlap, none leaves its page, and what is too wide or too long
// continues.
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/report/sample_pages.h"
#include "ui/report/page_flow.h"
#include "ui/report/table_columns.h"

namespace page_layout_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

Table wide_table(std::size_t columns, std::size_t rows) {
  Table table{"Wide", "a note", {"policy"}, {}};
  for (std::size_t c = 1; c < columns; ++c)
    table.columns.push_back(c % 2 ? "column " + std::to_string(c) : "95 % interval");
  for (std::size_t r = 0; r < rows; ++r) {
    auto& row = table.rows.emplace_back();
    row.push_back({"policy " + std::to_string(r), Provenance::measured, false, true});
    for (std::size_t c = 1; c < columns; ++c)
      row.push_back({std::to_string(1000000 * r + c) + ".25", Provenance::measured, true, false});
  }
  return table;
}

PageLayout laid_out(std::vector<PageBlock> blocks, bool landscape = false) {
  return layout_of(ReportPages{"title", {{landscape, std::move(blocks)}}});
}

QStringList lines_of(const PageLayout& layout) {
  QStringList lines;
  for (const PageItem& item : layout.items)
    if (item.kind == PageItem::Kind::text) lines << item.text;
  return lines;
}

}  // namespace

class PageLayoutTest : public QObject {
  Q_OBJECT

  /// Texts and charts that share a place; a hundredth of a point is rounding.
  static QStringList overlaps_of(const PageLayout& layout) {
    QStringList found;
    for (std::size_t i = 0; i < layout.items.size(); ++i)
      for (std::size_t j = i + 1; j < layout.items.size(); ++j) {
        const PageItem &a = layout.items[i], &b = layout.items[j];
        if (a.page != b.page || a.kind == PageItem::Kind::rule || b.kind == PageItem::Kind::rule) continue;
        if (a.box.intersects(b.box.adjusted(0.1, 0.1, -0.1, -0.1)))
          found << QString("page %1: %2 | %3").arg(a.page + 1).arg(a.text, b.text);
      }
    return found;
  }
  /// Texts and charts are apart and inside.
  static void check_places(const PageLayout& layout) {
    QVERIFY(!layout.items.empty());
    for (std::size_t page = 0; page < layout.pages.size(); ++page) {
      const QRectF sheet(QPointF(), page_size(layout.pages[page].landscape));
      const double margin = 30 * units_per_point;
      std::vector<const PageItem*> items;
      for (const PageItem& item : layout.items)
        if (item.page == page && item.kind != PageItem::Kind::rule) items.push_back(&item);
      QVERIFY2(!items.empty(), qPrintable(QString("page %1 is empty").arg(page + 1)));
      for (std::size_t i = 0; i < items.size(); ++i) {
        QVERIFY2(sheet.adjusted(margin, margin, -margin, -margin).contains(items[i]->box),
                 qPrintable(QString("page %1: %2").arg(page + 1).arg(items[i]->text)));
        if (items[i]->kind == PageItem::Kind::text)  // a box is as wide as its text
          QVERIFY2(items[i]->box.width() >= text_width(items[i]->text, items[i]->look) - 0.1,
                   qPrintable(items[i]->text));
      }
    }
    const QStringList overlaps = overlaps_of(layout);
    QVERIFY2(overlaps.isEmpty(), qPrintable(overlaps.join('\n')));
  }

 private slots:
  void nothingOverlapsOrIsCut_data() {
    QTest::addColumn<int>("runs");
    QTest::newRow("every section") << -2;
    QTest::newRow("hostile names") << -1;
    for (const int runs : {0, 1, 35}) QTest::addRow("%d runs", runs) << runs;
  }
  void nothingOverlapsOrIsCut() {
    QFETCH(int, runs);
    check_places(layout_of(runs == -2 ? whole_report() : runs == -1 ? hostile_report() : report_of_many(runs)));
  }

  // Texts that were moved by a line are found.
  void anOverlapIsSeen() {
    PageLayout layout = layout_of(whole_report());
    QVERIFY(overlaps_of(layout).isEmpty());
    for (std::size_t i = 0; i < layout.items.size(); i += 2) layout.items[i].box.translate(0, 60);
    QVERIFY2(overlaps_of(layout).size() > 100, qPrintable(QString::number(overlaps_of(layout).size())));
  }

  void longAndForeignLinesStayWhole() {
    const std::string longest(700, 'x'), foreign = "naïve – “q” 漢 (a\\b)";
    const PageLayout layout =
        laid_out({PageText{PageText::Style::body, longest}, PageText{PageText::Style::body, foreign},
                  PageText{PageText::Style::command, "a\tb\x01\x1b[2J\nc"}});
    check_places(layout);
    const QStringList lines = lines_of(layout);
    QCOMPARE(lines.join("").count('x'), qsizetype{700});
    QVERIFY(lines.contains(QString::fromStdString(foreign)));
    for (const QString& line : lines)
      for (const QChar letter : line) QVERIFY2(letter.unicode() >= 0x20 && letter.unicode() != 0x7f, qPrintable(line));
  }

  void aThousandLinesAreOnPages() {
    std::vector<PageBlock> blocks(1000, PageText{PageText::Style::body, "line"});
    const PageLayout layout = laid_out(std::move(blocks));
    check_places(layout);
    QCOMPARE(lines_of(layout).count("line"), qsizetype{1000});
    QVERIFY(layout.pages.size() > 10);
    QCOMPARE(lines_of(layout).last(), QString("page %1 of %1").arg(layout.pages.size()));
  }

  void aLongTableRepeatsItsHeader() {
    const PageLayout layout = laid_out({wide_table(4, 200)});
    check_places(layout);
    QVERIFY(layout.pages.size() >= 3);
    const QStringList lines = lines_of(layout);
    QCOMPARE(lines.count("column 1"), static_cast<qsizetype>(layout.pages.size()));
    for (std::size_t r = 0; r < 200; ++r) QCOMPARE(lines.count("policy " + QString::number(r)), qsizetype{1});
  }

  // Columns shrink first, then continue below, each part with the first column; intervals stay with their metric.
  void aWideTableContinuesBelow() {
    const double width = 500 * units_per_point;
    const Table narrow = wide_table(5, 3), wide = wide_table(31, 3);
    QCOMPARE(column_parts(narrow, width).size(), std::size_t{1});
    const auto parts = column_parts(wide, width);
    QVERIFY(parts.size() > 1);
    std::vector<std::size_t> shown;
    for (const std::vector<std::size_t>& part : parts) {
      QCOMPARE(part.front(), std::size_t{0});
      QVERIFY(fit_columns(wide, part, width).fits);
      QVERIFY2(wide.columns[part[1]] != "95 % interval", "an interval left its metric");
      shown.insert(shown.end(), part.begin() + 1, part.end());
    }
    QCOMPARE(shown.size(), std::size_t{30});
    for (std::size_t i = 0; i < shown.size(); ++i) QCOMPARE(shown[i], i + 1);
    const PageLayout layout = laid_out({wide});
    check_places(layout);
    const QStringList lines = lines_of(layout);
    for (const auto& row : wide.rows)
      for (const Cell& cell : row) QVERIFY2(lines.contains(QString::fromStdString(cell.text)), cell.text.c_str());
    QVERIFY(lines.count("policy 0") > 1);
  }

  // Numbers are not broken where a text can be.
  void aWideTextIsWrappedInItsColumn() {
    Table table = wide_table(4, 2);
    std::string words;
    for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i) + " ";
    table.rows[0][0].text = words;
    const PageLayout layout = laid_out({table});
    check_places(layout);
    const QStringList lines = lines_of(layout);
    QCOMPARE(lines.count("1.25"), qsizetype{1});
    const QString text = lines.join(' ');
    for (int i = 0; i < 60; ++i) QVERIFY(text.contains(QString("word%1").arg(i)));
  }

  void aRowHigherThanAPageIsBroken() {
    Table table = wide_table(3, 1);
    table.rows[0][0].text = std::string(40000, 'y');
    const PageLayout layout = laid_out({table});
    check_places(layout);
    QVERIFY(layout.pages.size() > 1);
    QVERIFY(lines_of(layout).join("").count('y') >= 40000);  // and that of the title's "policy"
  }

  void sectionsBeginPagesOfTheirOwn() {
    const PageLayout layout = layout_of(ReportPages{
        "t", {{false, {PageText{PageText::Style::body, "a"}}}, {true, {PageText{PageText::Style::body, "b"}}}}});
    QCOMPARE(layout.pages.size(), std::size_t{2});
    QVERIFY(!layout.pages[0].landscape && layout.pages[1].landscape);
    QCOMPARE(page_size(true), page_size(false).transposed());
    QVERIFY(std::abs(page_size(false).width() / units_per_point / 72 * 25.4 - 210) < 0.01);
    QVERIFY(std::abs(page_size(false).height() / units_per_point / 72 * 25.4 - 297) < 0.01);
  }
};

KV_TEST_MAIN(PageLayoutTest)

}  // namespace page_layout_test

#include "page_layout_test.moc"
