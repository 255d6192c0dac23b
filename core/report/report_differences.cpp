#include "core/report/report_differences.h"

#include <algorithm>

#include "core/base/did_you_mean.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"

namespace kvantage::inline report {
namespace {

Cell words(const std::string& text) { return {text.empty() ? "-" : text, Provenance::measured, false, true}; }

}  // namespace

void add_differences(RunReport& report, const RunComparison& comparison) {
  report.differences.reset();
  if (comparison.runs.size() < 2) return;
  const std::vector<std::string> names = named_apart(comparison.names);
  ReportDifferences all{names[comparison.baseline], {}, {}};
  for (std::size_t run = 0; run < names.size(); ++run) {
    if (run == comparison.baseline) continue;
    for (const DifferingSetting& setting : comparison.settings)
      if (setting.values[run] != setting.values[comparison.baseline])
        all.settings.push_back({names[run], setting.name, setting.values[comparison.baseline], setting.values[run]});
    for (const ComparedMetric& metric : comparison.metrics) {
      const auto &value = metric.values[run], &base = metric.values[comparison.baseline];
      if (!value || !base || !value->delta) continue;
      all.metrics.push_back({names[run], metric.name, metric.unit, base->value, value->value, *value->delta,
                             value->delta_interval, value->pairs, value->n, base->n,
                             judgment_text(comparison, metric, run), std::max(value->provenance, base->provenance)});
    }
  }
  report.differences = std::move(all);
}

Expected<std::size_t> place_of_run(const std::vector<RecordedRun>& runs, std::string_view word) {
  const auto only = [&](auto&& says) -> std::optional<std::size_t> {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!says(runs[i].summary)) continue;
      if (found) return std::nullopt;
      found = i;
    }
    return found;
  };
  if (!word.empty()) {
    if (const auto place = only([&](const RunSummary& run) { return run.run_id == word; })) return *place;
    if (const auto place = only([&](const RunSummary& run) { return run.policy == word; })) return *place;
    if (const auto place = only([&](const RunSummary& run) { return run.run_id.starts_with(word); })) return *place;
  }
  std::string runs_text;
  std::vector<std::string_view> known;
  for (const RecordedRun& run : runs) {
    runs_text += (runs_text.empty() ? "give one of " : ", ") + run.summary.run_id + " (" + run.summary.policy + ")";
    known.insert(known.end(), {run.summary.run_id, run.summary.policy});
  }
  const bool several = std::ranges::any_of(known, [&](std::string_view name) { return name.starts_with(word); });
  return fail(ErrorCode::usage, "baseline '" + std::string(word) + "': names no single run of this report; " +
                                    (several ? runs_text : did_you_mean(word, known, runs_text)));
}

std::string setting_text(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? valid_utf8(value.get_ref<const std::string&>()) : dump_json(value);
}

std::string rests_on(const MetricDifference& difference) {
  if (difference.pairs > 0) return std::to_string(difference.pairs) + " pairs";
  if (difference.n == 0) return "-";
  return std::to_string(difference.n) + " and " + std::to_string(difference.baseline_n);
}

std::vector<Table> differences_tables(const RunReport& report) {
  if (!report.differences) return {};
  const ReportDifferences& all = *report.differences;
  Table settings{"Settings that differ from " + all.baseline,
                 "no others differ; -: not set",
                 {"run", "setting", "baseline", "value"},
                 {}};
  for (const SettingDifference& one : all.settings)
    settings.rows.push_back(
        {words(one.run), words(one.name), words(setting_text(one.baseline)), words(setting_text(one.value))});
  Table metrics{"Differences to " + all.baseline,
                "n in pairs: questions that both answered, with the 95 % bootstrap interval of the difference over "
                "contexts; two n: other questions, judged by whether the two intervals overlap",
                {"run", "figure", "unit", "baseline", "value", "difference", "95 % interval", "n", "judged"},
                {}};
  for (const MetricDifference& one : all.metrics) {
    const int digits = compared_digits(one.unit);
    const auto number = [&](double value) {
      return Cell{format_fixed(value, digits) + mark_of(one.provenance), one.provenance, true, false};
    };
    const Cell interval = one.interval ? Cell{"[" + format_fixed(one.interval->low, digits) + ", " +
                                                  format_fixed(one.interval->high, digits) + "]",
                                              one.provenance, true, false}
                                       : Cell{"-", Provenance::measured, false, false};
    metrics.rows.push_back({words(one.run), words(one.metric), words(one.unit), number(one.baseline), number(one.value),
                            number(one.difference), interval, words(rests_on(one)), words(one.judgment)});
  }
  std::vector<Table> tables;
  for (Table* table : {&settings, &metrics})
    if (!table->rows.empty()) tables.push_back(std::move(*table));
  return tables;
}

}  // namespace kvantage::inline report
