#include "core/report/compare_runs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "core/base/units.h"
#include "core/ports/run_calibration.h"
#include "core/report/compared_samples.h"
#include "core/report/report_bounds.h"

namespace kvantage::inline report {
namespace {

// Identifiers of one run: always different, so uninformative. Notes of models are shown on their own.
bool identifies(const std::string& path) {
  constexpr std::array ignored{"group",
                               "repeat",
                               "repeats",
                               "environment/run_id",
                               "environment/command",
                               "environment/model_note",
                               "kv_bytes_per_token"};
  return std::ranges::any_of(
      ignored, [&](std::string_view name) { return path == name || path.starts_with(std::string(name) + "/"); });
}

void flatten(const Json& json, const std::string& path, std::map<std::string, Json>& flat) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "/" + key; };
  if (json.is_object() && !json.empty() && path.size() <= longest_setting_path) {
    for (const auto& [key, value] : json.items())
      flatten(value, below(key == "settings" && path.empty() ? "" : key), flat);
    return;
  }
  // Lists of plain values are one setting, lists of objects (tiers) several.
  if (json.is_array() && path.size() <= longest_setting_path &&
      std::ranges::any_of(json, [](const Json& item) { return item.is_structured(); })) {
    for (std::size_t i = 0; i < json.size(); ++i) flatten(json[i], below(std::to_string(i)), flat);
    return;
  }
  std::string name = path;
  while (name.starts_with('/')) name.erase(0, 1);
  if (!identifies(name)) flat[name] = json;
}

// Single values of a whole run, without samples to judge them by.
struct Single {
  const char* name;
  const char* unit;
  std::optional<MetricValue> (*metric)(const PolicyRow&);
};
constexpr std::array<Single, 2> singles{{
    {"requests", "1/s", [](const PolicyRow& row) { return row.requests_per_second; }},
    {"answer tokens", "1/s", [](const PolicyRow& row) { return row.output_tokens_per_second; }},
}};

// Merges the periods of a run; values counted once for all of them are unknown for the whole, too.
PolicyRun whole_run(std::vector<PolicyRun> periods, std::map<std::string, Json>& settings) {
  std::vector<std::string> policies;
  std::vector<double> alphas;
  PolicyRun whole = periods.front();
  whole.records.clear();
  whole.wall_seconds = 0;
  whole.warmup_requests = 0;
  for (PolicyRun& part : periods) {
    for (const RequestRecord& record : part.records)
      if (const std::string name = record.policy.empty() ? part.policy : record.policy;
          std::ranges::find(policies, name) == policies.end())
        policies.push_back(name);
    if (std::ranges::find(alphas, part.alpha) == alphas.end()) alphas.push_back(part.alpha);
    whole.faults.insert(part.faults.begin(), part.faults.end());
    whole.wall_seconds += part.wall_seconds;
    whole.warmup_requests += part.warmup_requests;
    whole.provenance = std::max(whole.provenance, part.provenance);
    std::ranges::move(part.records, std::back_inserter(whole.records));
  }
  whole.tiers = periods.back().tiers;
  std::ranges::sort(whole.records, {}, &RequestRecord::id);
  whole.policy.clear();
  for (const std::string& policy : policies) whole.policy += (whole.policy.empty() ? "" : ", ") + policy;
  settings["policy"] = policies;
  settings["alpha"] = alphas;
  whole.policy += ", settings changed";
  return whole;
}

/// Of all models, each once.
std::vector<std::string> notes_of(const std::vector<RecordedRun>& runs) {
  std::vector<std::string> notes;
  for (const RecordedRun& run : runs)
    if (const Json& facts = run.summary.settings; facts.is_object() && facts.contains("environment"))
      for (std::string& note : model_notes(facts.at("environment")))
        if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  return notes;
}

/// Why times of some of the runs are not judged; empty where they are, or where it is not known.
std::string disturbance_of(const std::vector<RecordedRun>& runs) {
  double moved = 0;
  for (const RecordedRun& one : runs)
    for (const RecordedRun& other : runs)
      moved = std::max(moved, calibration_moved(one.calibration_seconds, other.calibration_seconds));
  if (moved <= calibration_bound) return {};
  return "a fixed load before and after these runs moved by " + format_fixed(100 * moved, 0) + " %, more than " +
         format_fixed(100 * calibration_bound, 0) +
         " %: other work used the machine, or it was another one; such times are not judged";
}

}  // namespace

std::size_t periods_of(const std::vector<RecordedRun>& runs) {
  std::size_t count = 0;
  for (const RecordedRun& run : runs) count += policy_runs_of(run).size();
  return count;
}

RunComparison compare_runs(const std::vector<RecordedRun>& runs, std::size_t baseline, ComparedUnit unit) {
  std::vector<ComparedSide> sides;
  for (const RecordedRun& run : runs) {
    std::map<std::string, Json> settings;
    flatten(run.summary.settings, "", settings);
    std::vector<PolicyRun> parts = policy_runs_of(run);
    const bool whole = unit == ComparedUnit::whole_run && parts.size() > 1;
    if (whole) parts = {whole_run(std::move(parts), settings)};
    for (PolicyRun& policy : parts) {
      PolicyRow row = build_report(Json::object(), Json::object(), {policy}).rows.front();
      if (!whole) {
        settings["policy"] = policy.policy;
        settings["alpha"] = policy.alpha;
      }
      sides.push_back({run.summary.run_id, std::move(policy), std::move(row), settings, run.calibration_seconds});
    }
  }
  RunComparison comparison;
  comparison.notes = notes_of(runs);
  if (const std::string note = disturbance_of(runs); !note.empty()) comparison.notes.push_back(note);
  std::map<std::string, DifferingSetting> all;
  for (const ComparedSide& side : sides) {
    comparison.runs.push_back(side.run_id);
    comparison.names.push_back(side.run.policy);
    const bool served = !side.run.records.empty();
    comparison.policies.push_back(served ? side.run.records.front().policy : side.run.policy);
    comparison.unfinished.push_back(side.run.unfinished);
    for (const auto& [name, ignored] : side.settings) all[name].name = name;
  }
  for (auto& [name, setting] : all) {
    for (const ComparedSide& side : sides)
      setting.values.push_back(side.settings.contains(name) ? side.settings.at(name) : Json());
    if (std::ranges::any_of(setting.values, [&](const Json& value) { return value != setting.values.front(); }))
      comparison.settings.push_back(std::move(setting));
  }
  if (sides.empty()) return comparison;
  if (baseline < sides.size()) comparison.baseline = baseline;
  const ComparedSide& first = sides[comparison.baseline];
  for (const ComparedSample& sample : compared_samples(sides)) {
    ComparedMetric metric{sample.name, sample.unit, {}};
    for (const ComparedSide& side : sides)
      metric.values.push_back(compared_value(side, sample));  // values first, then the comparison with the baseline
    if (const auto& base = metric.values[comparison.baseline])
      for (std::size_t i = 0; i < sides.size(); ++i)
        if (i != comparison.baseline && metric.values[i]) judge(*metric.values[i], sides[i], *base, first, sample);
    comparison.metrics.push_back(std::move(metric));
  }
  for (const Single& single : singles) {
    ComparedMetric metric{single.name, single.unit, {}};
    for (const ComparedSide& side : sides) {
      const auto found = single.metric(side.row);
      if (!found || side.row.requests == 0) {
        metric.values.emplace_back();
        continue;
      }
      ComparedValue value;
      value.value = found->value;
      value.provenance = found->provenance;
      metric.values.emplace_back(std::move(value));
    }
    if (const auto& base = metric.values[comparison.baseline])
      for (std::size_t i = 0; i < sides.size(); ++i)
        if (auto& value = metric.values[i]; i != comparison.baseline && value) {
          value->delta = value->value - base->value;
          value->judgment = Judgment::single;
          value->verdict = "one value per run: not judged";
        }
    comparison.metrics.push_back(std::move(metric));
  }
  return comparison;
}

}  // namespace kvantage::inline report
