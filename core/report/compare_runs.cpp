#include "core/report/compare_runs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/ports/run_calibration.h"
#include "core/report/answer_basis.h"
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

/// The answers of several periods or repetitions as one; values counted once for each are those of the first.
PolicyRun pooled(std::vector<PolicyRun> parts) {
  PolicyRun whole = parts.front();
  whole.records.clear();
  whole.wall_seconds = 0;
  whole.warmup_requests = 0;
  for (PolicyRun& part : parts) {
    whole.faults.insert(part.faults.begin(), part.faults.end());
    whole.wall_seconds += part.wall_seconds;
    whole.warmup_requests += part.warmup_requests;
    whole.provenance = std::max(whole.provenance, part.provenance);
    std::ranges::move(part.records, std::back_inserter(whole.records));
  }
  whole.tiers = parts.back().tiers;
  return whole;
}

// Merges the periods of a run.
PolicyRun whole_run(std::vector<PolicyRun> periods, std::map<std::string, Json>& settings) {
  std::vector<std::string> policies;
  std::vector<double> alphas;
  for (const PolicyRun& part : periods) {
    for (const RequestRecord& record : part.records)
      if (const std::string name = record.policy.empty() ? part.policy : record.policy;
          std::ranges::find(policies, name) == policies.end())
        policies.push_back(name);
    if (std::ranges::find(alphas, part.alpha) == alphas.end()) alphas.push_back(part.alpha);
  }
  PolicyRun whole = pooled(std::move(periods));
  std::ranges::sort(whole.records, {}, &RequestRecord::id);
  whole.policy.clear();
  for (const std::string& policy : policies) whole.policy += (whole.policy.empty() ? "" : ", ") + policy;
  settings["policy"] = policies;
  settings["alpha"] = alphas;
  whole.policy += ", settings changed";
  return whole;
}

/// Equal for repetitions of a command: its group, then everything that was set. Empty where the run has no group.
std::string repetition_key(const RunSummary& run, const PolicyRun& part, const std::map<std::string, Json>& settings,
                           std::size_t period) {
  if (!run.settings.is_object()) return {};
  const auto group = run.settings.find("group");
  if (group == run.settings.end() || !group->is_string() || group->get_ref<const std::string&>().empty()) return {};
  std::string key = group->get<std::string>();
  std::ranges::replace(key, '\n', ' ');
  key += "\n" + part.policy + "\n" + part.unfinished + "\n" + std::to_string(period);
  for (const auto& [name, value] : settings) key += "\n" + name + "=" + dump_json(value);
  return key;
}

/// The periods or whole runs, each by itself; rows are made later.
std::vector<ComparedSide> parts_of(const std::vector<RecordedRun>& runs, ComparedUnit unit) {
  std::vector<ComparedSide> sides;
  std::set<std::string> seen;
  for (const RecordedRun& run : runs) {
    const bool again = !seen.insert(run.summary.run_id).second;  // a run is no repetition of itself
    std::map<std::string, Json> settings;
    flatten(run.summary.settings, "", settings);
    std::vector<PolicyRun> parts = policy_runs_of(run);
    const bool whole = unit == ComparedUnit::whole_run && parts.size() > 1;
    if (whole) parts = {whole_run(std::move(parts), settings)};
    for (std::size_t period = 0; period < parts.size(); ++period) {
      PolicyRun& policy = parts[period];
      if (!whole) {
        settings["policy"] = policy.policy;
        settings["alpha"] = policy.alpha;
      }
      std::string key = again ? std::string() : repetition_key(run.summary, policy, settings, period);
      sides.push_back({run.summary.run_id, std::move(policy), {}, settings, run.calibration_seconds, std::move(key)});
      sides.back().members = {run.summary.run_id};
    }
  }
  return sides;
}

/// The side of each part, in order of first appearance.
std::vector<std::size_t> joined_places(const std::vector<std::string>& keys, RepeatedRuns repeats) {
  std::vector<std::size_t> own(keys.size()), sides(keys.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  if (repeats == RepeatedRuns::separate) return own;
  std::map<std::string, std::size_t> seen;
  std::size_t count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [at, is_new] = keys[i].empty() ? std::pair(seen.end(), true) : seen.try_emplace(keys[i], count);
    sides[i] = is_new ? count++ : at->second;
  }
  return count < 2 ? own : sides;
}

/// Joins repetitions, oldest first: run i of each side of a command is of its block i.
std::vector<ComparedSide> joined_sides(std::vector<ComparedSide> parts, const std::vector<RecordedRun>& runs,
                                       RepeatedRuns repeats) {
  std::map<std::string, std::int64_t> started;
  for (const RecordedRun& run : runs) started[run.summary.run_id] = run.summary.started_utc_ns;
  std::vector<std::string> keys;
  keys.reserve(parts.size());
  for (const ComparedSide& part : parts) keys.push_back(part.key);
  const std::vector<std::size_t> places = joined_places(keys, repeats);
  std::vector<std::vector<ComparedSide>> grouped;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (places[i] >= grouped.size()) grouped.resize(places[i] + 1);
    grouped[places[i]].push_back(std::move(parts[i]));
  }
  std::vector<ComparedSide> sides;
  sides.reserve(grouped.size());
  for (std::vector<ComparedSide>& group : grouped) {
    std::ranges::stable_sort(group, {}, [&](const ComparedSide& one) { return started[one.run_id]; });
    ComparedSide side = group.front();
    if (group.size() > 1) {
      std::vector<PolicyRun> all;
      side.members.clear();
      side.calibration_seconds.clear();
      for (ComparedSide& one : group) {
        side.members.push_back(one.run_id);
        side.calibration_seconds.insert(side.calibration_seconds.end(), one.calibration_seconds.begin(),
                                        one.calibration_seconds.end());
        side.repeats.push_back(one.run.records);
        all.push_back(std::move(one.run));
      }
      side.run = pooled(std::move(all));
    }
    side.row = build_report(Json::object(), Json::object(), {side.run}).rows.front();
    sides.push_back(std::move(side));
  }
  return sides;
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

/// What a fixed load says of the machine around these runs; empty where it was not timed.
std::string machine_note(const std::vector<RecordedRun>& runs) {
  double moved = 0;
  std::vector<double> all;
  for (const RecordedRun& one : runs) {
    all.insert(all.end(), one.calibration_seconds.begin(), one.calibration_seconds.end());
    for (const RecordedRun& other : runs)
      moved = std::max(moved, calibration_moved(one.calibration_seconds, other.calibration_seconds));
  }
  if (all.empty()) return {};
  if (moved > calibration_bound)
    return "a fixed load before and after these runs moved by " + format_fixed(100 * moved, 0) + " %, more than " +
           format_fixed(100 * calibration_bound, 0) +
           " %: other work used the machine, or it was another one; such times are not judged";
  const auto [low, high] = std::ranges::minmax(all);
  return "a fixed load before and after these runs took " + format_fixed(1e3 * low, 2) + " to " +
         format_fixed(1e3 * high, 2) + " ms: it moved by " + format_fixed(100 * moved, 0) + " %";
}

/// Runs that were served beside another one of them for a second or more, on machines of the same description.
std::string beside_each_other(const std::vector<RecordedRun>& runs) {
  constexpr std::int64_t second = 1'000'000'000;
  const auto hardware = [](const RecordedRun& run) {
    const Json::json_pointer place("/environment/hardware");
    const Json& settings = run.summary.settings;
    return settings.is_object() && settings.contains(place) ? settings.at(place) : Json();
  };
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return runs[i].summary.started_utc_ns; });
  std::set<std::size_t> beside;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const RunSummary &one = runs[order[i]].summary, &later = runs[order[j]].summary;
      const std::int64_t shared = std::min(one.finished_utc_ns, later.finished_utc_ns) - later.started_utc_ns;
      if (one.finished_utc_ns - later.started_utc_ns < second) continue;
      const Json machine = hardware(runs[order[i]]);
      if (shared >= second && machine.is_string() && machine == hardware(runs[order[j]]))
        beside.insert({order[i], order[j]});
    }
  if (beside.empty()) return {};
  return counted(beside.size(), "run") +
         " of these were served at the same time as another one: on one machine each slows the other, and times are of "
         "both";
}

/// What a reader has to know before any number.
std::vector<std::string> caution_of(const std::vector<RecordedRun>& runs, const std::vector<ComparedSide>& sides) {
  std::vector<std::string> notes = notes_of(runs);
  for (std::string note : {machine_note(runs), beside_each_other(runs)})
    if (!note.empty()) notes.push_back(std::move(note));
  const bool answered = std::ranges::any_of(sides, [](const ComparedSide& side) { return side.row.requests > 0; });
  if (answered && std::ranges::all_of(sides, [](const ComparedSide& side) { return side.row.quality.empty(); }))
    notes.emplace_back("quality cannot be compared here: no answer was scored");
  return notes;
}

/// Metrics whose chance is not known and that are compared all the same, by the reason: "token_f1, rouge_l".
using UnknownChances = std::map<std::string, std::string>;

/// Values of all sides, then the comparison with the baseline.
void add_metric(RunComparison& comparison, const std::vector<ComparedSide>& sides, const ComparedSample& sample,
                UnknownChances& unknown) {
  ComparedMetric metric{sample.name, sample.unit, {}};
  for (const ComparedSide& side : sides) metric.values.push_back(compared_value(side, sample));
  const ChanceGate chance = sample.metric.empty() ? ChanceGate{} : chance_gate(answering_runs(sides), sample.metric);
  const std::string gate = quality_gate(chance, sample.metric);
  if (!gate.empty()) comparison.notes.push_back(gate);
  if (std::string reason = unknown_chance_text(chance); !reason.empty() && gate.empty()) {
    std::string& metrics = unknown[std::move(reason)];
    metrics += (metrics.empty() ? "" : ", ") + sample.metric;
  }
  if (const auto& base = metric.values[comparison.baseline])
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (i == comparison.baseline || !metric.values[i]) continue;
      const ComparedSide& first = sides[comparison.baseline];
      const auto power = judge(*metric.values[i], sides[i], *base, first, sample);
      if (power) comparison.power.push_back({sample.name, i, std::min(sides[i].runs(), first.runs()), *power});
      if (gate.empty() || metric.values[i]->judgment == Judgment::incomplete) continue;
      metric.values[i]->judgment = Judgment::no_quality;
      metric.values[i]->verdict = "quality cannot be compared here";
    }
  comparison.metrics.push_back(std::move(metric));
}

}  // namespace

std::vector<std::size_t> sides_of(const std::vector<RecordedRun>& runs, ComparedUnit unit, RepeatedRuns repeats) {
  std::vector<std::string> keys;
  for (const ComparedSide& part : parts_of(runs, unit)) keys.push_back(part.key);
  return joined_places(keys, repeats);
}

std::vector<PolicyRun> joined_policy_runs(const std::vector<RecordedRun>& runs) {
  std::vector<std::vector<PolicyRun>> groups;
  std::map<std::string, std::size_t> places;
  for (ComparedSide& part : parts_of(runs, ComparedUnit::period)) {
    const auto [at, is_new] =
        part.key.empty() ? std::pair(places.end(), true) : places.try_emplace(part.key, groups.size());
    if (is_new) groups.emplace_back();
    groups[is_new ? groups.size() - 1 : at->second].push_back(std::move(part.run));
  }
  std::vector<PolicyRun> joined;
  joined.reserve(groups.size());
  for (std::vector<PolicyRun>& group : groups) {
    const std::size_t count = group.size();
    PolicyRun run = pooled(std::move(group));
    if (count > 1) run.policy += " (" + std::to_string(count) + " runs)";
    joined.push_back(std::move(run));
  }
  return joined;
}

std::size_t periods_of(const std::vector<RecordedRun>& runs) {
  const std::vector<std::size_t> sides = sides_of(runs, ComparedUnit::period);
  return sides.empty() ? 0 : std::ranges::max(sides) + 1;
}

RunComparison compare_runs(const std::vector<RecordedRun>& runs, std::size_t baseline, ComparedUnit unit,
                           RepeatedRuns repeats) {
  const std::vector<ComparedSide> sides = joined_sides(parts_of(runs, unit), runs, repeats);
  RunComparison comparison;
  comparison.notes = caution_of(runs, sides);
  std::map<std::string, DifferingSetting> all;
  for (const ComparedSide& side : sides) {
    comparison.runs.push_back(side.run_id);
    comparison.members.push_back(side.members);
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
  const AnswerBasis basis = answer_basis(answering_runs(sides));
  if (std::string note = basis_note(basis); !note.empty()) comparison.notes.push_back(std::move(note));
  UnknownChances unknown;
  for (const ComparedSample& sample : compared_samples(sides, basis)) add_metric(comparison, sides, sample, unknown);
  for (const auto& [reason, metrics] : unknown) comparison.notes.push_back(reason + " (" + metrics + ")");
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
