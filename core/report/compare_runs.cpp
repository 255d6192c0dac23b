#include "core/report/compare_runs.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/units.h"

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

struct Side {
  std::string run_id;
  PolicyRun run;
  PolicyRow row;
  std::map<std::string, Json> settings;
};

using Sample = std::function<std::optional<double>(const RequestRecord&)>;

struct Sampled {
  std::string name, unit;
  double factor = 1;
  const Distribution* (*distribution)(const PolicyRow&, const std::string& metric);
  std::string metric;
  Sample sample;
  bool lower_is_better = true;
};

// The i-th time that a question about a context was asked in both runs.
std::map<std::string, double> by_question(const PolicyRun& run, const Sample& sample, std::map<std::string, std::string>& contexts) {
  std::map<std::string, double> values;
  std::map<std::string, int> asked;
  for (const RequestRecord& record : run.records) {
    if (record.cancelled) continue;
    std::string question = record.context_id + "\n" + record.question;
    question += "\n" + std::to_string(asked[question]++);
    if (const auto value = sample(record)) {
      contexts[question] = record.context_id;
      values[question] = *value;
    }
  }
  return values;
}

std::string scaled_text(const Interval& interval, double factor, int digits) {
  return "[" + format_fixed(interval.low * factor, digits) + ", " + format_fixed(interval.high * factor, digits) + "]";
}

void judge(ComparedValue& value, const ComparedValue& first, const Side& a, const Side& b, const Sampled& sampled, int digits) {
  value.delta = value.value - first.value;
  std::map<std::string, std::string> contexts;
  const auto before = by_question(a.run, sampled.sample, contexts), after = by_question(b.run, sampled.sample, contexts);
  std::vector<double> differences;
  std::vector<std::string> groups;
  for (const auto& [question, number] : after)
    if (const auto found = before.find(question); found != before.end()) {
      differences.push_back(number - found->second);
      groups.push_back(contexts.at(question));
    }
  const bool paired = differences.size() * 2 >= std::max(before.size(), after.size()) && !differences.empty();
  const auto better = [&](bool lower) { return lower == sampled.lower_is_better ? Judgement::better : Judgement::worse; };
  const auto word = [](Judgement judgement) { return std::string(judgement == Judgement::better ? "better" : "worse"); };
  if (paired) {
    value.pairs = differences.size();
    const double mean = mean_of(differences);
    if (std::ranges::all_of(differences, [](double d) { return d == 0; })) {
      value.judgement = Judgement::same;
      value.verdict = "the same for each of " + std::to_string(value.pairs) + " questions";
      return;
    }
    const auto interval = bootstrap_interval(differences, groups);
    if (!interval) {
      value.judgement = Judgement::unknown;
      value.verdict = "not known: " + std::to_string(value.pairs) + " pairs of one context bear no interval";
      return;
    }
    value.delta_interval = Interval{interval->low * sampled.factor, interval->high * sampled.factor};
    const std::string said = scaled_text(*interval, sampled.factor, digits) + " over " + std::to_string(value.pairs) + " pairs";
    if (interval->low <= 0 && interval->high >= 0) {
      value.judgement = Judgement::no_difference;
      value.verdict = "no difference shown: " + said + " holds 0";
    } else {
      value.judgement = better(mean < 0);
      value.verdict = word(value.judgement) + ": " + said + " leaves out 0";
    }
    return;
  }
  if (!value.interval || !first.interval) {
    value.judgement = Judgement::unknown;
    value.verdict = "not known: without an interval";
    return;
  }
  const bool apart = value.interval->low > first.interval->high || value.interval->high < first.interval->low;
  value.judgement = apart ? better(*value.delta < 0) : Judgement::no_difference;
  value.verdict = apart ? word(value.judgement) + ": the 95 % intervals do not overlap (other questions were asked)"
                        : "no difference shown: the 95 % intervals overlap (other questions were asked)";
}

std::vector<Sampled> sampled_figures(const std::vector<Side>& sides) {
  std::vector<Sampled> list;
  const auto time = [&](const char* name, const Distribution* (*distribution)(const PolicyRow&, const std::string&), auto member) {
    list.push_back({name, "ms", 1e3, distribution, "", [member](const RequestRecord& r) -> std::optional<double> { return r.timing.*member; }, true});
  };
  const auto several_tokens = [](const RequestRecord& r) { return r.answer_tokens > 1 ? std::optional(r.timing.mean_itl_seconds) : std::nullopt; };
  time("TTFT, service", [](const PolicyRow& row, const std::string&) { return &row.ttft_service_seconds; }, &RequestTiming::ttft_service_seconds);
  time("TTFT, with queue", [](const PolicyRow& row, const std::string&) { return &row.ttft_seconds; }, &RequestTiming::ttft_seconds);
  list.push_back({"inter-token latency", "ms", 1e3, [](const PolicyRow& row, const std::string&) { return &row.itl_seconds; }, "", several_tokens, true});
  time("end to end", [](const PolicyRow& row, const std::string&) { return &row.e2e_seconds; }, &RequestTiming::e2e_seconds);
  std::vector<std::string> metrics;
  for (const Side& side : sides)
    for (const auto& [metric, ignored] : side.row.quality)
      if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  for (const std::string& metric : metrics) {
    const auto distribution = [](const PolicyRow& row, const std::string& name) -> const Distribution* {
      const auto found = row.quality.find(name);
      return found == row.quality.end() ? nullptr : &found->second;
    };
    list.push_back({"quality, " + metric, "1", 1, distribution, metric,
                    [metric](const RequestRecord& r) -> std::optional<double> {
                      const auto found = r.quality.find(metric);
                      return r.held_out && found != r.quality.end() ? std::optional(found->second) : std::nullopt;
                    },
                    metric == "logit_kl"});
  }
  return list;
}

// Single figures of a whole run: no sample to judge them by.
struct Single {
  const char* name;
  const char* unit;
  std::optional<Figure> (*figure)(const PolicyRow&);
};
constexpr std::array<Single, 4> singles{{
    {"TTFT, with queue, p95", "ms", [](const PolicyRow& row) { return std::optional(Figure{row.ttft_seconds.p95 * 1e3, row.ttft_seconds.provenance}); }},
    {"served from tiers", "%",
     [](const PolicyRow& row) {
       double rate = 0;
       for (const SourceShare& share : row.sources)
         if (share.source != "prefill") rate += share.request_rate;
       return std::optional(Figure{rate * 100, row.provenance});
     }},
    {"requests", "1/s", [](const PolicyRow& row) { return row.requests_per_second; }},
    {"answer tokens", "1/s", [](const PolicyRow& row) { return row.output_tokens_per_second; }},
}};

}  // namespace

RunComparison compare_runs(const std::vector<RecordedRun>& runs, std::size_t baseline) {
  std::vector<Side> sides;
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
  for (const Side& side : sides) {
    comparison.runs.push_back(side.run_id);
    comparison.names.push_back(side.run.policy);
    for (const auto& [name, ignored] : side.settings) all[name].name = name;
  }
  for (auto& [name, setting] : all) {
    for (const Side& side : sides) setting.values.push_back(side.settings.contains(name) ? side.settings.at(name) : Json());
    if (std::ranges::any_of(setting.values, [&](const Json& value) { return value != setting.values.front(); }))
      comparison.settings.push_back(std::move(setting));
  }
  if (sides.empty()) return comparison;
  if (baseline < sides.size()) comparison.baseline = baseline;
  const Side& first = sides[comparison.baseline];
  for (const Sampled& sampled : sampled_figures(sides)) {
    ComparedFigure figure{sampled.name, sampled.unit, {}};
    const int digits = sampled.unit == "ms" ? 1 : 3;
    for (const Side& side : sides) {  // values first, then each against the baseline's
      const Distribution* d = sampled.distribution(side.row, sampled.metric);
      if (d == nullptr || d->n == 0) {
        figure.values.emplace_back();
        continue;
      }
      ComparedValue value{.value = d->mean * sampled.factor, .n = d->n, .contexts = d->contexts, .interval = {}, .provenance = d->provenance,
                          .delta = {}, .delta_interval = {}, .pairs = 0, .verdict = {}};
      if (d->interval) value.interval = Interval{d->interval->low * sampled.factor, d->interval->high * sampled.factor};
      figure.values.emplace_back(std::move(value));
    }
    if (const auto& base = figure.values[comparison.baseline])
      for (std::size_t i = 0; i < sides.size(); ++i)
        if (i != comparison.baseline && figure.values[i]) judge(*figure.values[i], *base, first, sides[i], sampled, digits);
    comparison.figures.push_back(std::move(figure));
  }
  for (const Single& single : singles) {
    ComparedFigure figure{single.name, single.unit, {}};
    for (const Side& side : sides) {
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
