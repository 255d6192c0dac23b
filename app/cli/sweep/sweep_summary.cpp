#include "app/cli/sweep/sweep_summary.h"

#include <algorithm>

#include "app/cli/base/help_text.h"
#include "app/cli/report_output.h"
#include "core/base/units.h"
#include "core/report/formats/report_formats.h"
#include "core/report/summary_table.h"

namespace kvantage::cli {
namespace {

std::string spread(const SweepRow& row, const char* name, double unit, int digits) {
  const SweepMetric& metric = row.metrics.at(name);
  const auto text = [&](double value) { return format_fixed(value * unit, digits); };
  if (metric.interval)
    return text(metric.mean) + " [" + text(metric.interval->low) + ", " + text(metric.interval->high) + "]";
  return row.n > 1 ? text(metric.mean) + " (" + text(metric.min) + "-" + text(metric.max) + ")" : text(metric.mean);
}

Provenance provenance_of(const SweepRow& row) {
  for (const Provenance one :
       {Provenance::throttled, Provenance::simulated, Provenance::predicted, Provenance::imported})
    if (row.provenance == to_string(one)) return one;
  return Provenance::measured;
}

/// A column of settings, if they differ.
struct Setting {
  const char* name;
  std::string (*text)(const SweepCell&);
};
constexpr Setting settings[] = {
    {"alpha", alpha_text},
    {"budget", [](const SweepCell& cell) { return cell.budget.text(); }},
    {"methods", methods_text},
    {"decode", [](const SweepCell& cell) { return cell.decode_eviction.empty() ? "-" : cell.decode_eviction; }},
    {"rate", [](const SweepCell& cell) { return dump_json(Json(cell.requests_per_second)); }}};

}  // namespace

std::string sweep_summary(const SweepTable& table) {
  std::vector<const Setting*> differing;
  for (const Setting& setting : settings)
    if (std::ranges::any_of(table.rows, [&](const SweepRow& row) {
          return setting.text(row.cell) != setting.text(table.rows.front().cell);
        }))
      differing.push_back(&setting);
  Table shown{{}, {}, {"policy"}, {}};
  for (const Setting* setting : differing) shown.columns.emplace_back(setting->name);
  shown.columns.insert(shown.columns.end(), {"n", "service TTFT ms", table.quality_metric, "hits", ""});
  for (const SweepRow& row : table.rows) {
    std::vector<Cell>& line = shown.rows.emplace_back();
    line.push_back({row.cell.policy, Provenance::measured, false, true});
    const auto add = [&](const std::string& text) { line.push_back({text, Provenance::measured, true, false}); };
    for (const Setting* setting : differing) add(setting->text(row.cell));
    add(std::to_string(row.n));
    const Provenance provenance = provenance_of(row);
    line.push_back({spread(row, "ttft_service_seconds", 1e3, 1) + mark_of(provenance), provenance, true, false});
    add(spread(row, "quality", 1, 3));
    add(format_fixed(row.metrics.at("hit_rate").mean, 3));
    add(row.on_frontier ? "*" : "");
  }
  std::string text = shown.rows.empty() ? "" : table_text(shown, output_columns) + "\n";
  text += wrapped(headline(table), "", output_columns) + "\n";
  if (const std::string marks = marks_of(shown); !marks.empty()) text += wrapped(marks, "", output_columns) + "\n";
  const std::string notes = notes_text(table);
  for (std::size_t at = 0; at < notes.size();) {
    const std::size_t end = std::min(notes.find('\n', at), notes.size());
    const std::string_view line = std::string_view(notes).substr(at, end - at);
    text += (line.starts_with("Note: ") ? wrapped(line, "", output_columns) : std::string(line)) + "\n";
    at = end + 1;
  }
  return text;
}

}  // namespace kvantage::cli
