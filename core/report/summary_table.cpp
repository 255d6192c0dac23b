#include "core/report/summary_table.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/report/answer_basis.h"

namespace kvantage::inline report {
namespace {

const std::string no_value = "-";

Cell with_interval(const std::string& value, const std::string& interval, Provenance provenance) {
  return {value + mark_of(provenance) + (interval.empty() ? "" : " " + interval), provenance, true, false};
}

std::string summary_interval(const std::optional<Interval>& interval, double factor, int digits) {
  if (!interval) return {};
  std::string text = "[";
  text += format_fixed(interval->low * factor, digits) + ", ";
  return text += format_fixed(interval->high * factor, digits) + "]";
}

Cell mean_cell(const Distribution& of, double factor, int digits) {
  if (of.n == 0) return {no_value, Provenance::measured, false, false};
  return with_interval(format_fixed(of.mean * factor, digits), summary_interval(of.interval, factor, digits),
                       of.provenance);
}

std::vector<Cell> summary_row(const PolicyRow& row, const std::string& metric) {
  std::vector<Cell> cells{{row.policy, Provenance::measured, false, true},
                          {std::to_string(row.requests), Provenance::measured, true, false}};
  const Distribution& ttft = row.ttft_service_seconds;
  cells.push_back(mean_cell(ttft, 1e3, 1));
  cells.push_back(ttft.n == 0 ? Cell{no_value, Provenance::measured, false, false}
                              : with_interval(format_fixed(ttft.p95 * 1e3, 1), {}, ttft.provenance));
  const auto quality = row.quality.find(metric);
  cells.push_back(mean_cell(quality == row.quality.end() ? Distribution{} : quality->second, 1, 3));
  double hits = 0, bytes = 0;
  for (const SourceShare& source : row.sources) {
    if (source.source == "prefill") continue;
    hits += source.request_rate;
    bytes += static_cast<double>(source.bytes);
  }
  if (row.requests == 0) {
    cells.insert(cells.end(), 2, Cell{no_value, Provenance::measured, false, false});
    return cells;
  }
  cells.push_back(with_interval(format_fixed(hits * 100, 1), {}, row.provenance));
  const auto each = static_cast<std::uint64_t>(bytes / static_cast<double>(row.requests));
  cells.push_back(with_interval(format_bytes(each), {}, row.provenance));
  return cells;
}

void drop_empty_columns(Table& table) {
  for (std::size_t column = table.columns.size(); column-- > 2;) {  // policy and n stay
    const bool any =
        std::ranges::any_of(table.rows, [&](const std::vector<Cell>& row) { return row[column].text != no_value; });
    if (any) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + at);
  }
}

bool is_main(const ComparedMetric& metric) {
  return metric.name == "TTFT, service" || metric.name == "TTFT, service, p95" || metric.name == "served from tiers" ||
         !compared_quality_metric(metric.name).empty();
}

/// What settings of decoding change; of other runs only where it differs significantly.
bool is_of_decoding(const ComparedMetric& metric) {
  return metric.name == "inter-token latency" || metric.name == "peak KV cache of a request" ||
         metric.name == "KV cache at the end of an answer" || metric.name == "recomputed context tokens";
}

bool differs(const ComparedMetric& metric) {
  return std::ranges::any_of(metric.values, [](const std::optional<ComparedValue>& value) {
    return value && (value->judgment == Judgment::better || value->judgment == Judgment::worse);
  });
}

}  // namespace

Table summary_table(const RunReport& report) {
  const std::string metric = chosen_quality_metric(report);
  const std::string name = quality_name(metric, report.basis);
  Table table{{},
              "TTFT without queueing; hit: requests served from a tier; KV read from tiers per request",
              {"policy", "n", "TTFT ms [95 % CI]", "p95", metric + " [95 % CI]", "hit %", "KV read"},
              {}};
  if (name != metric) {  // with its interval the name would be wider than all other columns
    table.columns[4] = name;
    table.note += "; " + name + " [95 % CI]: " + metric + " against the answers of uncompressed caches";
  }
  for (const PolicyRow& row : report.rows) table.rows.push_back(summary_row(row, metric));
  drop_empty_columns(table);
  return table;
}

Table summary_table(const RunComparison& comparison) {
  Table table{{}, {}, {"metric", "run", "value [95 % CI]", "compared with " + run_letter(comparison.baseline)}, {}};
  const bool decoding = std::ranges::any_of(
      comparison.settings, [](const DifferingSetting& setting) { return setting.name.starts_with("decode_"); });
  for (const ComparedMetric& metric : comparison.metrics) {
    if (!is_main(metric) && !(is_of_decoding(metric) && (decoding || differs(metric)))) continue;
    for (std::size_t run = 0; run < metric.values.size(); ++run) {
      const auto& value = metric.values[run];
      const auto text = [](const std::string& said) { return Cell{said, Provenance::measured, false, true}; };
      table.rows.push_back(
          {text(run == 0 ? metric.name : ""), text(run_letter(run)),
           value ? Cell{value_text(metric, *value) + " " + interval_text(metric, *value), value->provenance, true, true}
                 : text(no_value),
           text(judgment_text(comparison, metric, run))});
    }
  }
  return table;
}

std::string run_letter(std::size_t run) { return std::string(1, static_cast<char>('A' + run)); }

std::string marks_of(const Table& table) {
  std::string text;
  for (const auto& [provenance, meaning] :
       {std::pair{Provenance::throttled, "^: throttled (tier limited in bandwidth and latency)"},
        std::pair{Provenance::simulated, "~: simulated"}, std::pair{Provenance::predicted, "?: predicted"},
        std::pair{Provenance::imported, "@: imported (measured by others)"}}) {
    const bool found = std::ranges::any_of(table.rows, [&](const std::vector<Cell>& row) {
      return std::ranges::any_of(row, [&](const Cell& cell) { return cell.metric && cell.provenance == provenance; });
    });
    if (found) text += (text.empty() ? "" : "; ") + std::string(meaning);
  }
  return text;
}

}  // namespace kvantage::inline report
