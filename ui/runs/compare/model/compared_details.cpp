#include "ui/runs/compare/model/compared_details.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/report/answer_basis.h"
#include "core/report/compared_samples.h"

namespace kvantage {
namespace {

/// A run, or a period of one.
struct AnsweredSide {
  std::size_t run = 0;  // in the recorded runs
  std::vector<RequestRecord> records;
  Json policy, alpha;  // lists where they changed within a whole run
};

void add_once(Json& list, const Json& value) {
  for (const Json& known : list)
    if (known == value) return;
  list.push_back(value);
}

AnsweredSide whole_side(std::size_t run, std::vector<PolicyRun> periods) {
  AnsweredSide side{run, {}, Json::array(), Json::array()};
  for (PolicyRun& period : periods) {
    for (const RequestRecord& record : period.records)
      add_once(side.policy, Json(record.policy.empty() ? period.policy : record.policy));
    add_once(side.alpha, Json(period.alpha));
    std::ranges::move(period.records, std::back_inserter(side.records));
  }
  return side;
}

/// Repetitions of one command are one side: its answers are those of all of them.
std::vector<AnsweredSide> joined_answers(std::vector<AnsweredSide> parts, const std::vector<std::size_t>& places) {
  std::vector<AnsweredSide> sides;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (places[i] == sides.size()) {
      sides.push_back(std::move(parts[i]));
      continue;
    }
    std::ranges::move(parts[i].records, std::back_inserter(sides[places[i]].records));
  }
  return sides;
}

/// In the order of RunComparison::runs.
std::vector<AnsweredSide> answered_sides(const std::vector<RecordedRun>& runs, ComparedUnit unit) {
  std::vector<AnsweredSide> sides;
  sides.reserve(runs.size());
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::vector<PolicyRun> periods = policy_runs_of(runs[run]);
    if (unit == ComparedUnit::whole_run && periods.size() > 1) {
      sides.push_back(whole_side(run, std::move(periods)));
      continue;
    }
    for (PolicyRun& period : periods)
      sides.push_back({run, std::move(period.records), Json(period.policy), Json(period.alpha)});
  }
  return joined_answers(std::move(sides), sides_of(runs, unit));
}

/// The samples behind the metrics of a comparison, as core defines them: those of a side that has every metric.
std::vector<ComparedSample> samples_of(const RunComparison& comparison) {
  ComparedSide every;
  every.row.decoding.peak_kv_bytes.n = 1;
  every.row.decoding.held_kv_bytes.n = 1;
  every.row.decoding.offload_step_seconds.n = 1;
  for (const ComparedMetric& metric : comparison.metrics)
    if (const std::string_view quality = compared_quality_metric(metric.name); !quality.empty())
      every.row.quality[std::string(quality)];
  std::vector<ComparedSample> samples = compared_samples({every});
  // Which name a quality has depends on all answers of the comparison.
  for (ComparedSample& sample : samples)
    for (const ComparedMetric& metric : comparison.metrics)
      if (!sample.metric.empty() && compared_quality_metric(metric.name) == sample.metric) sample.name = metric.name;
  std::erase_if(samples, [&](const ComparedSample& sample) {
    return std::ranges::find(comparison.metrics, sample.name, &ComparedMetric::name) == comparison.metrics.end();
  });
  return samples;
}

std::map<std::string, ContextValue> values_by_context(const AnsweredSide& side, const ComparedSample& sample) {
  std::map<std::string, std::vector<double>> answers;
  for (const RequestRecord& record : side.records) {
    if (record.cancelled) continue;
    if (const auto value = sample.sample(record); value && std::isfinite(*value))
      answers[record.context_id].push_back(*value * sample.factor);
  }
  constexpr double fraction = 0.95;
  std::map<std::string, ContextValue> values;
  for (const auto& [context, all] : answers)
    values[context] = {sample.statistic == ComparedSample::Statistic::mean ? mean_of(all) : percentile(all, fraction),
                       all.size()};
  return values;
}

/// Core lists the settings that differ: from a run without settings, all do.
std::vector<DifferingSetting> every_setting(const std::vector<RecordedRun>& runs, const RunComparison& comparison,
                                            const std::vector<AnsweredSide>& sides) {
  std::vector<RecordedRun> bare;
  bare.reserve(runs.size() + 1);
  for (const RecordedRun& run : runs) bare.push_back({run.summary, {}});
  bare.emplace_back();
  const RunComparison listed = compare_runs(bare, 0, ComparedUnit::whole_run);
  std::map<std::string, DifferingSetting> all;
  for (const DifferingSetting& setting : listed.settings) {
    DifferingSetting& known = all[setting.name];
    known.name = setting.name;
    for (const AnsweredSide& side : sides) known.values.push_back(setting.values[side.run]);
  }
  DifferingSetting policy{"policy", {}}, alpha{"alpha", {}};  // of what was served
  for (const AnsweredSide& side : sides) {
    policy.values.push_back(side.policy);
    alpha.values.push_back(side.alpha);
  }
  all["policy"] = std::move(policy);
  all["alpha"] = std::move(alpha);
  for (const DifferingSetting& setting : comparison.settings) all[setting.name] = setting;
  std::vector<DifferingSetting> settings;
  settings.reserve(all.size());
  for (auto& [name, setting] : all) settings.push_back(std::move(setting));
  return settings;
}

std::string repeated_run(const Json& settings) {
  if (!settings.is_object()) return {};
  const auto found = settings.find("repeats");
  return found != settings.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

ComparedDetails compared_details(const std::vector<RecordedRun>& runs, const RunComparison& comparison,
                                 ComparedUnit unit) {
  const std::vector<AnsweredSide> sides = answered_sides(runs, unit);
  ComparedDetails details;
  for (const ComparedSample& sample : samples_of(comparison)) {
    ContextValues& values = details.contexts[sample.name];
    values.reserve(sides.size());
    for (const AnsweredSide& side : sides) values.push_back(values_by_context(side, sample));
  }
  details.settings = every_setting(runs, comparison, sides);
  details.repeats.reserve(sides.size());
  for (const AnsweredSide& side : sides) details.repeats.push_back(repeated_run(runs[side.run].summary.settings));
  return details;
}

}  // namespace kvantage
