#include "ui/report/findings.h"

#include <algorithm>

#include "core/base/counted.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"
#include "core/report/answer_basis.h"
#include "core/report/summary_table.h"

namespace kvantage::inline report_pages {
namespace {

using Style = PageText::Style;
constexpr std::size_t max_text_bytes = 600, max_cell_bytes = 120, max_differences = 24;

Cell words(const std::string& text) { return {text, Provenance::measured, false, true}; }

std::string field_of(const ReportContent& content, const char* name) {
  const auto found = std::ranges::find(content.environment, name, &ReportField::name);
  return found == content.environment.end() ? std::string() : found->value;
}

/// "dram 4.0 MiB, ssd unlimited (throttled)", of the first row: what differs is said with the runs.
std::string tiers_text(const RunReport& report) {
  std::string text;
  if (report.rows.empty()) return text;
  for (const TierUsage& tier : report.rows.front().tiers) {
    text += text.empty() ? "" : ", ";
    text += tier.name + " " + (tier.budget_bytes == 0 ? "unlimited" : format_bytes(tier.budget_bytes));
    text += tier.throttled ? " (throttled)" : "";
  }
  return text;
}

Table what_was_run(const RunReport& report, const ReportContent& content) {
  Table table{{}, {}, {"", ""}, {}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({words(name), words(shortened(value, max_cell_bytes))});
  };
  const std::string threads = field_of(content, "threads"), commit = field_of(content, "commit"),
                    version = field_of(content, "version");
  add("Model", field_of(content, "model"));
  add("Workload", field_of(content, "workload"));
  add("Tiers", tiers_text(report));
  add("Machine", field_of(content, "hardware") + (threads.empty() ? "" : ", threads: " + threads));
  add("Date", field_of(content, "started_utc"));
  add("Version", version + (commit.empty() ? "" : (version.empty() ? "" : ", ") + std::string("commit ") + commit));
  return table;
}

Table runs_table(const std::vector<NamedRun>& runs, std::size_t max_runs) {
  Table table{"Runs", {}, {"run", "policy", "what differs"}, {}};
  for (std::size_t i = 0; i < std::min(runs.size(), max_runs); ++i)
    table.rows.push_back({words(runs[i].letter), words(shortened(runs[i].name, max_cell_bytes)),
                          words(shortened(runs[i].differs.empty() ? "-" : runs[i].differs, max_cell_bytes))});
  if (runs.size() > max_runs)
    table.note = counted(runs.size() - max_runs, "more run") + ": see the tables of the appendix";
  return table;
}

void cut_to(Table& table, std::size_t most) {
  if (table.rows.size() <= most) return;
  table.note += (table.note.empty() ? "" : "; ") + counted(table.rows.size() - most, "more run") + ": see the appendix";
  table.rows.resize(most);
}

/// Its rows by letter; the policies are named with the runs.
Table headline_table(const RunReport& report, const std::vector<NamedRun>& runs, std::size_t max_runs) {
  Table table = summary_table(report);
  table.title = "Headline metrics";
  if (const std::string marks = marks_of(table); !marks.empty()) table.note += ". " + marks;
  if (!table.columns.empty()) table.columns.front() = "run";
  for (std::size_t i = 0; i < table.rows.size() && i < runs.size(); ++i) table.rows[i].front() = words(runs[i].letter);
  cut_to(table, max_runs);
  return table;
}

/// "lower: 12.1 against 20.3 ms" where the intervals do not overlap.
std::string compared(const Distribution* own, const Distribution* first, double factor, int digits, const char* unit) {
  if (own == nullptr || first == nullptr || own->n == 0 || first->n == 0) return "-";
  const std::string values =
      format_fixed(own->mean * factor, digits) + " against " + format_fixed(first->mean * factor, digits) + unit;
  if (!own->interval || !first->interval) return "not known: no 95 % interval (" + values + ")";
  if (own->interval->low <= first->interval->high && first->interval->low <= own->interval->high)
    return "not decided: 95 % intervals overlap (" + values + ")";
  return (own->mean < first->mean ? "lower: " : "higher: ") + values;
}

Table against_the_first(const RunReport& report, const std::vector<NamedRun>& runs) {
  const std::string metric = chosen_quality_metric(report);
  const std::string against = " against " + runs.front().letter;
  Table table{
      "What is significant",
      "different requests are not paired: a difference is significant where the 95 % intervals do not overlap; "
      "a report with a baseline compares question by question",
      {"run", "TTFT, service" + against, (metric.empty() ? "quality" : quality_name(metric, report.basis)) + against},
      {}};
  const auto quality = [&](const PolicyRow& row) {
    const auto found = row.quality.find(metric);
    return found == row.quality.end() ? nullptr : &found->second;
  };
  for (std::size_t i = 1; i < report.rows.size(); ++i) {
    const PolicyRow &first = report.rows.front(), &row = report.rows[i];
    table.rows.push_back({words(runs[i].letter),
                          words(compared(&row.ttft_service_seconds, &first.ttft_service_seconds, 1e3, 1, " ms")),
                          words(compared(quality(row), quality(first), 1, 3, ""))});
  }
  return table;
}

Table against_the_baseline(const ReportDifferences& differences, const std::vector<NamedRun>& runs) {
  const auto letter = [&](const std::string& name) {
    const std::string found = letter_of(runs, name);
    return found.empty() ? shortened(name, max_cell_bytes) : found;
  };
  Table table{"What is significant",
              "differences to " + letter(differences.baseline) +
                  ", the baseline, in metrics that were judged; intervals: 95 %, over contexts",
              {"run", "metric", "judged"},
              {}};
  const auto is_significant = [](const MetricDifference& one) {
    return one.judgment.starts_with("better") || one.judgment.starts_with("worse");
  };
  const auto is_headline = [](const MetricDifference& one) {
    return one.metric == "TTFT, service" || one.metric == "served from tiers" ||
           !compared_quality_metric(one.metric).empty();
  };
  for (const bool significant : {true, false})
    for (const MetricDifference& one : differences.metrics)
      if (is_significant(one) == significant && (significant || is_headline(one)) &&
          table.rows.size() < max_differences)
        table.rows.push_back({words(letter(one.run)), words(one.metric), words(one.judgment)});
  if (std::ranges::none_of(differences.metrics, is_significant)) table.note += "; no difference is significant";
  const std::size_t others = differences.metrics.size() - table.rows.size();
  if (others > 0) table.note += "; " + counted(others, "other difference") + ": see the appendix";
  return table;
}

}  // namespace

Table significance_table(const RunReport& report, const std::vector<NamedRun>& runs) {
  if (report.differences) return against_the_baseline(*report.differences, runs);
  return runs.size() < 2 ? Table{"What is significant", {}, {}, {}} : against_the_first(report, runs);
}

std::vector<PageSection> findings_of(const RunReport& report, const ReportContent& content,
                                     const std::vector<NamedRun>& runs, std::size_t max_runs) {
  PageSection first, second;
  first.blocks.push_back(PageText{Style::title, shortened(content.title, max_cell_bytes)});
  first.blocks.push_back(PageText{Style::lead, shortened(content.claim, max_text_bytes)});
  first.blocks.push_back(PageText{Style::heading, "What was run"});
  if (Table table = what_was_run(report, content); !table.rows.empty()) first.blocks.push_back(std::move(table));
  if (Table table = runs_table(runs, max_runs); !table.rows.empty()) first.blocks.push_back(std::move(table));
  const auto frontier = std::ranges::find(content.charts, std::string("ttft_quality"), &ReportPlot::name);
  if (frontier != content.charts.end()) {
    PageChart chart{*frontier};
    chart.names = false;
    for (const PlotSeries& series : chart.plot.series) chart.letters.push_back(letter_of(runs, series.name));
    chart.plot.note = "Means with 95 % intervals (bootstrap over contexts). Up and to the left is better.";
    first.blocks.push_back(std::move(chart));
  } else {
    first.blocks.push_back(PageText{Style::note, "No frontier: no run has both a TTFT and a quality."});
  }

  second.blocks.push_back(PageText{Style::title, "Findings"});
  if (Table table = headline_table(report, runs, max_runs); !table.rows.empty())
    second.blocks.push_back(std::move(table));
  Table significant = significance_table(report, runs);
  if (significant.rows.empty()) {
    second.blocks.push_back(PageText{Style::heading, significant.title});
    second.blocks.push_back(PageText{Style::body, report.rows.size() == 1
                                                      ? "There is one run, so there is nothing to compare."
                                                      : "Nothing could be compared."});
    if (!significant.note.empty()) second.blocks.push_back(PageText{Style::note, significant.note + "."});
  } else {
    if (!report.differences) cut_to(significant, max_runs);
    second.blocks.push_back(std::move(significant));
  }
  for (const std::string& note : content.notes)
    second.blocks.push_back(PageText{Style::note, "Note: " + shortened(note, max_text_bytes) + "."});
  second.blocks.push_back(
      PageText{Style::note, "The appendix has every chart, table and setting; " + content.marks + "."});
  return {std::move(first), std::move(second)};
}

}  // namespace kvantage::inline report_pages
