#include "core/report/compare_runs.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/report/compared_samples.h"

namespace kvantage {
namespace {

// Of a run alone: they differ always and say nothing.
bool identifies(const std::string& path) {
  constexpr std::array ignored{"group", "repeat", "repeats", "environment/run_id", "environment/command", "kv_bytes_per_token"};
  return std::ranges::any_of(ignored, [&](std::string_view name) { return path == name || path.starts_with(std::string(name) + "/"); });
}

void flatten(const Json& json, const std::string& path, std::map<std::string, Json>& flat) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "/" + key; };
  if (json.is_object() && !json.empty()) {
    for (const auto& [key, value] : json.items()) flatten(value, below(key == "settings" && path.empty() ? "" : key), flat);
    return;
  }
  // Lists of plain values are one setting, lists of objects (tiers) several.
  if (json.is_array() && std::ranges::any_of(json, [](const Json& item) { return item.is_structured(); })) {
    for (std::size_t i = 0; i < json.size(); ++i) flatten(json[i], below(std::to_string(i)), flat);
    return;
  }
  std::string name = path;
  while (name.starts_with('/')) name.erase(0, 1);
  if (!identifies(name)) flat[name] = json;
}

// Single figures of a whole run: no sample to judge them by.
struct Single {
  const char* name;
  const char* unit;
  std::optional<Figure> (*figure)(const PolicyRow&);
};
constexpr std::array<Single, 2> singles{{
    {"requests", "1/s", [](const PolicyRow& row) { return row.requests_per_second; }},
    {"answer tokens", "1/s", [](const PolicyRow& row) { return row.output_tokens_per_second; }},
}};

}  // namespace

RunComparison compare_runs(const std::vector<RecordedRun>& runs, std::size_t baseline) {
  std::vector<ComparedSide> sides;
  for (const RecordedRun& run : runs) {
    std::map<std::string, Json> settings;
    flatten(run.summary.settings, "", settings);
    for (PolicyRun& policy : policy_runs_of(run)) {
      PolicyRow row = build_report(Json::object(), Json::object(), {policy}).rows.front();
      settings["policy"] = policy.policy;
      settings["alpha"] = policy.alpha;
      sides.push_back({run.summary.run_id, std::move(policy), std::move(row), settings});
    }
  }
  RunComparison comparison;
  std::map<std::string, DifferingSetting> all;
  for (const ComparedSide& side : sides) {
    comparison.runs.push_back(side.run_id);
    comparison.names.push_back(side.run.policy);
    for (const auto& [name, ignored] : side.settings) all[name].name = name;
  }
  for (auto& [name, setting] : all) {
    for (const ComparedSide& side : sides) setting.values.push_back(side.settings.contains(name) ? side.settings.at(name) : Json());
    if (std::ranges::any_of(setting.values, [&](const Json& value) { return value != setting.values.front(); }))
      comparison.settings.push_back(std::move(setting));
  }
  if (sides.empty()) return comparison;
  if (baseline < sides.size()) comparison.baseline = baseline;
  const ComparedSide& first = sides[comparison.baseline];
  for (const ComparedSample& sample : compared_samples(sides)) {
    ComparedFigure figure{sample.name, sample.unit, {}};
    for (const ComparedSide& side : sides) figure.values.push_back(compared_value(side, sample));  // values first, then each against the baseline's
    if (const auto& base = figure.values[comparison.baseline])
      for (std::size_t i = 0; i < sides.size(); ++i)
        if (i != comparison.baseline && figure.values[i]) judge(*figure.values[i], sides[i], *base, first, sample);
    comparison.figures.push_back(std::move(figure));
  }
  for (const Single& single : singles) {
    ComparedFigure figure{single.name, single.unit, {}};
    for (const ComparedSide& side : sides) {
      const auto found = single.figure(side.row);
      if (!found || side.row.requests == 0) {
        figure.values.emplace_back();
        continue;
      }
      ComparedValue value;
      value.value = found->value;
      value.provenance = found->provenance;
      figure.values.emplace_back(std::move(value));
    }
    if (const auto& base = figure.values[comparison.baseline])
      for (std::size_t i = 0; i < sides.size(); ++i)
        if (auto& value = figure.values[i]; i != comparison.baseline && value) {
          value->delta = value->value - base->value;
          value->judgement = Judgement::single;
          value->verdict = "one figure a run: nothing to judge it by";
        }
    comparison.figures.push_back(std::move(figure));
  }
  return comparison;
}

}  // namespace kvantage
