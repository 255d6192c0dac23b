// links: kv_reports
// What decode-time eviction did is in every form of a report, as sums over the answers it was applied to, and in none
// where it was off; reads that were canceled are no failed reads.
#include <QtTest>

#include <algorithm>
#include <map>

#include "core/base/units.h"
#include "core/report/formats/report_formats.h"
#include "core/report/metric_list.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"

namespace eviction_report_test {

using namespace kvantage;

namespace {

constexpr const char* title = "Decode-time eviction";

/// The sample's requests: every other one was decoded under eviction, each fourth without it after all.
PolicyRun evicting_run() {
  PolicyRun run = sample_run(1, "lru", 40);
  for (RequestRecord& record : run.records) {
    record.cancelled = false;
    record.decoding.peak_bytes = std::uint64_t{3} << 20;
    record.decoding.held_bytes = std::uint64_t{1} << 20;
    if (record.id % 2 == 1) continue;
    record.decoding.eviction = "paged_eviction(budget=25%)";
    record.decoding.not_applied = record.id % 4 == 2 ? "its answer has one token" : "";
    record.decoding.evicted_entries = 100;
    record.decoding.deciding_seconds = 0.25;
    record.decoding.blocks_freed = 7;
    record.decoding.compactions = {.passes = 2, .blocks_freed = 5, .slot_copies = 11, .seconds = 0.125};
  }
  return run;
}

const Table* eviction_table_of(const std::vector<Table>& tables) {
  const auto found = std::ranges::find(tables, title, &Table::title);
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace

class EvictionReportTest : public QObject {
  Q_OBJECT

 private slots:
  void sumsAreInATableAndInFiles() {
    const RunReport report = build_report(Json::object(), Json::object(), {evicting_run(), sample_run(2, "lfu", 40)});
    const std::vector<Table> tables = tables_of(report);
    const Table* table = eviction_table_of(tables);
    QVERIFY(table != nullptr);
    QCOMPARE(table->rows.size(), std::size_t{2});
    std::map<std::string, std::string> shown;
    for (std::size_t column = 0; column < table->columns.size(); ++column) {
      shown[table->columns[column]] = table->rows[0][column].text;
      if (column > 0) QCOMPARE(table->rows[1][column].text, std::string("-"));
    }
    const std::map<std::string, std::string> wanted{{"policy", "lru"},
                                                    {"answers", "10"},
                                                    {"peak KV mean", format_bytes(std::uint64_t{3} << 20)},
                                                    {"p95", format_bytes(std::uint64_t{3} << 20)},
                                                    {"last KV mean", format_bytes(std::uint64_t{1} << 20)},
                                                    {"entries evicted", "1000"},
                                                    {"choosing ms", "2500.0"},
                                                    {"blocks freed", "70"},
                                                    {"compaction passes", "20"},
                                                    {"blocks freed by passes", "50"},
                                                    {"passes ms", "1250.0"}};
    QVERIFY(shown == wanted);
    for (const std::string& text : {to_text(report), to_html(report), to_latex(report)})
      QVERIFY(text.find(title) != std::string::npos);
    const Json row = to_report_json(report).at("rows").at(0).at("decode_eviction");
    std::map<std::string, double> listed;
    for (const ReportMetric& metric : metric_list(report.rows[0]))
      if (metric.value) listed[metric.name] = *metric.value;
    for (const auto& [name, value] : row.items()) {
      const double number = value.is_object() ? value.at("value").get<double>() : value.get<double>();
      QCOMPARE(listed.at(name), number);
    }
    QCOMPARE(listed.at("evicted_entries"), 1000.0);
    QCOMPARE(listed.at("held_kv_bytes"), 1048576.0);
  }

  void withoutItThereIsNoTable() {
    const RunReport report = build_report(Json::object(), Json::object(), {sample_run(2, "lfu", 40)});
    QVERIFY(eviction_table_of(tables_of(report)) == nullptr);
    QVERIFY(!to_report_json(report).at("rows").at(0).contains("decode_eviction"));
  }

  // Decode offload cancels what it began to read for a token that never came.
  void canceledReadsAreNoFailedReads() {
    PolicyRun run = sample_run(1, "lru", 20);
    run.tiers[0].counts =
        TierCounts{.kind = "ssd", .note = "", .reads = 9, .misses = {{"cancelled", 3}}, .failed_writes = {}};
    run.tiers[1].counts = TierCounts{
        .kind = "ssd", .note = "", .reads = 9, .misses = {{"cancelled", 3}, {"checksum", 2}}, .failed_writes = {}};
    const RunReport report = build_report(Json::object(), Json::object(), {run});
    const auto tables = tables_of(report);
    const auto table = std::ranges::find(tables, "Reads of the tiers and their fits", &Table::title);
    QVERIFY(table != tables.end());
    std::vector<std::string> failed;
    for (std::size_t column = 0; column < table->columns.size(); ++column)
      if (table->columns[column] == "failed reads") failed.push_back(table->rows[0][column].text);
    QCOMPARE(failed, (std::vector<std::string>{"none", "checksum 2"}));
    const Json tiers = to_report_json(report).at("rows").at(0).at("tiers");
    QCOMPARE(tiers.at(0).at("counts").at("tier_misses").at("cancelled").get<int>(), 3);
  }
};

KV_TEST_GUILESS_MAIN(EvictionReportTest)

}  // namespace eviction_report_test

#include "eviction_report_test.moc"
