// links: kv_ui ui_report
// What the pages of a report say: every part of its content, and first two pages of findings in which runs are A, B, C.
#include <QTest>

#include "core/report/summary_table.h"
#include "tests/support/test_program.h"
#include "tests/ui/report/sample_pages.h"
#include "ui/report/findings.h"

namespace pages_content_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

QString text_on_pages(const RunReport& report) { return bare(text_of(layout_of(report))); }

QStringList texts_of(const Table& table) {
  QStringList rows;
  for (const auto& row : table.rows) {
    QStringList cells;
    for (const Cell& cell : row) cells << q(cell.text);
    rows << cells.join(" | ");
  }
  return rows;
}

const Table* table_titled(const std::vector<PageBlock>& blocks, const std::string& title) {
  for (const PageBlock& block : blocks)
    if (const auto* table = std::get_if<Table>(&block); table != nullptr && table->title == title) return table;
  return nullptr;
}

}  // namespace

class PagesContentTest : public QObject {
  Q_OBJECT

 private slots:
  void thePagesHoldEveryPart() {
    const RunReport report = whole_report();
    const QStringList lacking = missing(content_of(report), {{"pages", text_on_pages(report)}});
    QVERIFY2(lacking.isEmpty(), qPrintable(lacking.mid(0, 20).join('\n')));
  }

  void aPartThatIsLeftOutIsMissed_data() {
    QTest::addColumn<QString>("part");
    for (const char* part : removable_parts()) QTest::newRow(part) << part;
  }
  void aPartThatIsLeftOutIsMissed() {
    QFETCH(QString, part);
    const RunReport whole = whole_report();
    QVERIFY(!missing(content_of(whole), {{"pages", text_on_pages(without_part(whole, part.toStdString()))}}).isEmpty());
  }

  // Page, console and paper name a provenance alike, whatever files call it.
  void provenancesAreNamedAsElsewhere() {
    PolicyRun simulated = sample_run(3, "fixed", 60);
    for (RequestRecord& record : simulated.records) record.provenance = Provenance::simulated;
    const QString text = text_of(layout_of(build_report({}, {}, {sample_run(1, "lru", 100), simulated})));
    for (const char* word : {"throttled", "simulated"}) QVERIFY2(text.contains(QLatin1String(word)), word);
    for (const char* word : {"shaped", "modelled"}) QVERIFY2(!text.contains(QLatin1String(word)), word);
  }

  void findingsAreTwoPages_data() {
    QTest::addColumn<int>("runs");
    for (const int runs : {0, 1, 2, 12, 60}) QTest::addRow("%d runs", runs) << runs;
    QTest::newRow("hostile names") << -1;
    QTest::newRow("every section") << -2;
  }
  void findingsAreTwoPages() {
    QFETCH(int, runs);
    const RunReport report = runs == -1 ? hostile_report() : runs == -2 ? whole_report() : report_of_many(runs);
    const PageLayout layout = layout_of(report);
    QCOMPARE(pages_of_section(layout, 0), qsizetype{1});
    QCOMPARE(pages_of_section(layout, 1), qsizetype{1});
    QVERIFY(layout.pages.size() > 2);
    for (std::size_t page = 0; page < layout.pages.size(); ++page) QCOMPARE(layout.pages[page].section > 1, page > 1);
    const QString appendix = text_of(layout, 2);
    QVERIFY2(appendix.contains("Appendix"), qPrintable(appendix.left(100)));
  }

  void findingsSayWhatWasRun() {
    const RunReport report = whole_report();
    const PageLayout layout = layout_of(report);
    const QString first = text_of(layout, 0), second = text_of(layout, 1);
    for (const char* said :
         {"KVantage run: quickstart on default", "What was run", "dram 4.0 MiB, ssd unlimited (throttled)",
          "2 cores & 24 GiB, threads: 17", "2026-11-23T01:02:03Z", "9.8.7, commit 0123abcdef",
          "faults injected into ssd (corrupt=0.125,delay=0.0625)", "no faults injected; baseline"})
      QVERIFY2(first.contains(QString::fromUtf8(said)), said);
    QVERIFY(first.simplified().contains(q(report.claim)));
    // One chart: the frontier, with a letter at each mark.
    std::vector<const PageItem*> charts;
    for (const PageItem& item : layout.items)
      if (item.kind == PageItem::Kind::chart && layout.pages[item.page].section < 2) charts.push_back(&item);
    QCOMPARE(charts.size(), std::size_t{1});
    const PageChart& frontier = layout.charts[charts.front()->chart];
    QCOMPARE(frontier.plot.name, std::string("ttft_quality"));
    QCOMPARE(frontier.letters, (std::vector<std::string>{"A", "B"}));
    QVERIFY(second.contains("Headline metrics") && second.contains("What is significant"));
  }

  void theHeadlineTableIsTheSummary() {
    const RunReport report = whole_report();
    const ReportPages pages = pages_of(report);
    const Table* shown = table_titled(pages.sections[1].blocks, "Headline metrics");
    QVERIFY(shown);
    Table wanted = summary_table(report);
    wanted.rows[0][0].text = "A";
    wanted.rows[1][0].text = "B";
    QCOMPARE(texts_of(*shown), texts_of(wanted));
    QVERIFY(texts_of(*shown).join(' ').contains('['));  // with intervals
  }

  void theAppendixHasTheTablesOfTheContent() {
    const RunReport report = whole_report();
    const ReportPages pages = pages_of(report);
    QStringList shown, wanted;
    for (const PageBlock& block : pages.sections[3].blocks)
      if (const auto* table = std::get_if<Table>(&block)) shown << q(table->title) << texts_of(*table);
    const ReportContent content = content_of(report);
    for (const auto* tables : {&content.tables, &content.metric_tables})
      for (const Table& table : *tables) wanted << q(table.title) << texts_of(table);
    QCOMPARE(shown, wanted);
    std::vector<std::string> charts, of_content;
    for (const PageBlock& block : pages.sections[2].blocks)
      if (const auto* chart = std::get_if<PageChart>(&block)) charts.push_back(chart->plot.name + chart->plot.part);
    for (const ReportPlot& plot : content.charts) of_content.push_back(plot.name + plot.part);
    QCOMPARE(charts, of_content);
  }

  void runsAreNamedByLetters() {
    for (const auto& [run, letter] :
         {std::pair{0, "A"}, {1, "B"}, {25, "Z"}, {26, "AA"}, {51, "AZ"}, {52, "BA"}, {701, "ZZ"}, {702, "AAA"}})
      QCOMPARE(letter_of_run(static_cast<std::size_t>(run)), std::string(letter));
    RunReport report = report_of_many(3);
    report.rows[1].alpha = 0.25;
    report.rows[2].tiers[1].throttled = false;
    const std::vector<NamedRun> runs = named_runs(report);
    QCOMPARE(runs.size(), std::size_t{3});
    QCOMPARE(runs[0].differs, std::string("alpha 0.5 s; dram 1.0 MiB; ssd unlimited, throttled"));
    QCOMPARE(runs[1].differs, std::string("alpha 0.25 s; dram 2.0 MiB; ssd unlimited, throttled"));
    QCOMPARE(runs[2].differs, std::string("alpha 0.5 s; dram 3.0 MiB; ssd unlimited"));
    QCOMPARE(letter_of(runs, report.rows[2].policy), std::string("C"));
    QCOMPARE(letter_of(runs, "another"), std::string());
    report.differences = ReportDifferences{
        report.rows[0].policy, {{report.rows[1].policy, "seed", 1, 3}, {report.rows[1].policy, "alpha", 1, 2}}, {}};
    QCOMPARE(named_runs(report)[1].differs,
             std::string("alpha 0.25 s; dram 2.0 MiB; ssd unlimited, throttled; seed 3 instead of 1"));
    QVERIFY(named_runs(report)[0].differs.ends_with("; baseline"));
    QVERIFY(named_runs(report_of_many(1))[0].differs.empty());
  }

  // Without a baseline by the intervals alone; what a reader compares is written out.
  void significanceIsThatOfTheIntervals() {
    RunReport report = report_of_many(4);
    const auto set = [&](std::size_t row, double mean, double low, double high) {
      report.rows[row].ttft_service_seconds = {40, 9, mean, mean, mean, mean, Interval{low, high}};
      report.rows[row].quality["token_f1"] = {40, 9, mean, mean, mean, mean, Interval{low, high}};
    };
    set(0, 0.2, 0.1, 0.3);
    set(1, 0.5, 0.31, 0.6);
    set(2, 0.05, 0.01, 0.1);  // they touch
    set(3, 0.04, 0.02, 0.09);
    report.rows[3].quality.clear();
    const Table table = significance_table(report, named_runs(report));
    QCOMPARE(texts_of(table), (QStringList{"B | higher: 500.0 against 200.0 ms | higher: 0.500 against 0.200",
                                           "C | not decided: 95 % intervals overlap (50.0 against 200.0 ms) | not "
                                           "decided: 95 % intervals overlap (0.050 against 0.200)",
                                           "D | lower: 40.0 against 200.0 ms | -"}));
    report.rows[1].ttft_service_seconds.interval.reset();
    QVERIFY(texts_of(significance_table(report, named_runs(report)))[0].startsWith("B | not known: no 95 % interval"));
    QVERIFY(significance_table(report_of_many(1), named_runs(report_of_many(1))).rows.empty());
  }

  // With a baseline, what was judged significant comes first, and nothing is judged again.
  void significanceIsThatOfTheDifferences() {
    RunReport report = whole_report();
    report.differences->metrics = {
        {"evicpress", "TTFT, service", "ms", 1, 2, 1, {}, 40, 40, 40, "not significant (n = 40)"},
        {"evicpress", "requests", "1/s", 1, 2, 1, {}, 0, 0, 0, "higher by 1.00 1/s, one value per run: not judged"},
        {"evicpress", "end to end", "ms", 1, 2, 1, {}, 40, 40, 40, "better by 12 %: 1.0 ms [0.5, 1.5], n = 40"}};
    const Table table = significance_table(report, named_runs(report));
    QCOMPARE(texts_of(table), (QStringList{"B | end to end | better by 12 %: 1.0 ms [0.5, 1.5], n = 40",
                                           "B | TTFT, service | not significant (n = 40)"}));
    QVERIFY2(table.note.find("differences to A, the baseline") == 0 &&
                 table.note.ends_with("; 1 other difference: see the appendix"),
             table.note.c_str());
    report.differences->metrics.pop_back();
    QVERIFY(significance_table(report, named_runs(report)).note.find("no difference is significant") !=
            std::string::npos);
  }

  void aLongBarChartContinues() {
    const ReportPages pages = pages_of(report_of_many(70));
    std::vector<std::size_t> places;
    std::vector<std::string> letters;
    double sum = 0, wanted = 0;
    for (const PageBlock& block : pages.sections[2].blocks)
      if (const auto* chart = std::get_if<PageChart>(&block); chart != nullptr && chart->plot.name == "ttft_split") {
        places.push_back(chart->plot.places.size());
        letters.insert(letters.end(), chart->letters.begin(), chart->letters.end());
        for (const PlotSeries& series : chart->plot.series)
          for (const PlotPoint& point : series.points) {
            QVERIFY(point.x >= 0 && point.x < static_cast<double>(chart->plot.places.size()));
            sum += point.y;
          }
      }
    QCOMPARE(places, (std::vector<std::size_t>{30, 30, 10}));
    for (std::size_t i = 0; i < 70; ++i) QCOMPARE(letters[i], letter_of_run(i));
    for (const ReportPlot& plot : content_of(report_of_many(70)).charts)
      if (plot.name == "ttft_split")
        for (const PlotSeries& series : plot.series)
          for (const PlotPoint& point : series.points) wanted += point.y;
    QVERIFY(wanted > 0 && std::abs(sum - wanted) < 1e-9 * wanted);
  }
};

KV_TEST_MAIN(PagesContentTest)

}  // namespace pages_content_test

#include "pages_content_test.moc"
