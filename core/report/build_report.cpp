#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/report/answer_basis.h"
#include "core/report/chance_level.h"
#include "core/report/report.h"
#include "core/report/request_facts.h"
#include "core/report/samples.h"
#include "core/report/table.h"

namespace kvantage::inline report {
namespace {

TtftSplit split_of(const std::vector<const RequestRecord*>& records) {
  constexpr std::array parts{&RequestTiming::lookup_seconds, &RequestTiming::load_seconds,
                             &RequestTiming::decode_seconds, &RequestTiming::context_prefill_seconds,
                             &RequestTiming::question_prefill_seconds};
  std::array<Samples, parts.size() + 1> samples;
  std::vector<double> service_seconds;
  for (const RequestRecord* record : records) {
    if (!std::isfinite(record->timing.ttft_service_seconds)) continue;
    double rest = record->timing.ttft_service_seconds;
    service_seconds.push_back(rest);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double seconds = record->timing.*parts[i];
      const bool load = parts[i] == &RequestTiming::load_seconds;
      samples[i].add(seconds, *record, load ? record->provenance : unthrottled(record->provenance));
      rest -= seconds;
    }
    samples.back().add(rest, *record, unthrottled(record->provenance));
  }
  return {samples[0].mean(),
          samples[1].mean(),
          samples[2].mean(),
          samples[3].mean(),
          samples[4].mean(),
          samples[5].mean(),
          {},
          std::move(service_seconds)};
}

std::vector<SourceShare> sources_of(const std::vector<const RequestRecord*>& records, const PolicyRun& run) {
  std::vector<SourceShare> sources;
  const auto share_of = [&](const std::string& name) -> SourceShare& {
    const auto found = std::ranges::find(sources, name, &SourceShare::source);
    if (found != sources.end()) return *found;
    SourceShare added;
    added.source = name;
    return sources.emplace_back(std::move(added));
  };
  for (const TierUsage& tier : run.tiers)
    if (tier.serves_requests) share_of(tier.name);
  std::set<std::string> others;  // includes tiers that were removed during the run
  for (const RequestRecord* record : records)
    if (is_hit(*record)) others.insert(record->source);
  for (const std::string& name : others) share_of(name);
  share_of("prefill");

  double tokens = 0, bytes = 0;
  for (const RequestRecord* record : records) {
    const int covered = tokens_from_tier(*record);
    const int computed = record->context_tokens - covered;
    const double computed_bytes = computed * run.kv_bytes_per_token;
    SourceShare& prefill = sources.back();
    SourceShare& source = is_hit(*record) ? share_of(record->source) : prefill;
    ++source.requests;
    if (is_hit(*record)) {
      source.tokens += static_cast<std::uint64_t>(covered);
      source.bytes += record->bytes_loaded;
      bytes += static_cast<double>(record->bytes_loaded);
    }
    prefill.tokens += static_cast<std::uint64_t>(computed);
    prefill.bytes += static_cast<std::uint64_t>(std::llround(computed_bytes));
    tokens += record->context_tokens;
    bytes += std::round(computed_bytes);
  }
  const auto rate = [](std::uint64_t part, double whole) { return whole > 0 ? static_cast<double>(part) / whole : 0; };
  for (SourceShare& source : sources) {
    source.request_rate = rate(source.requests, static_cast<double>(records.size()));
    source.token_rate = rate(source.tokens, tokens);
    if (run.kv_bytes_per_token > 0) source.byte_rate = rate(source.bytes, bytes);
    Samples served;
    for (const RequestRecord* record : records)
      served.add((is_hit(*record) ? record->source : "prefill") == source.source ? 1 : 0, *record, run.provenance);
    source.request_interval = served.interval();
  }
  return sources;
}

PolicyRow row_of(const PolicyRun& run, const std::string& quality_metric) {
  PolicyRow row;
  row.policy = run.policy;
  row.alpha = run.alpha;
  row.faults = run.faults;
  row.tiers = run.tiers;
  row.warmup_requests = run.warmup_requests;
  row.provenance = run.provenance;
  row.engine = run.engine;
  row.lp_gap = run.lp_gap;
  std::vector<const RequestRecord*> answered;
  for (const RequestRecord& record : run.records) {
    if (record.cancelled)
      ++row.cancelled;
    else
      answered.push_back(&record);
  }
  row.requests = answered.size();

  Samples service, ttft, queue, e2e, hits;
  std::map<std::string, Samples> quality, uncompressed, chance;
  double output_tokens = 0;
  Provenance times = run.provenance;
  for (const RequestRecord* record : answered) {
    const RequestTiming& timing = record->timing;
    times = weaker(times, record->provenance);
    service.add(timing.ttft_service_seconds, *record, record->provenance);
    hits.add(is_hit(*record) ? 1 : 0, *record, run.provenance);
    // One throttled load delays all requests behind it: queueing has the weakest provenance of the requests so far.
    ttft.add(timing.ttft_seconds, *record, times);
    queue.add(timing.queue_seconds, *record, times);
    e2e.add(timing.e2e_seconds, *record, times);
    output_tokens += record->answer_tokens;
    if (!is_hit(*record)) ++row.misses[record->miss_reason.empty() ? "absent" : record->miss_reason];
    if (!record->held_out) continue;
    const Provenance provenance = unthrottled(record->provenance);
    for (const auto& [metric, value] : record->quality) quality[metric].add(value, *record, provenance);
    for (const auto& [metric, value] : record->quality_uncompressed)
      uncompressed[metric].add(value, *record, provenance);
    for (const auto& [metric, value] : record->quality_chance) chance[metric].add(value, *record, provenance);
  }
  row.ttft_service_seconds = service.distribution();
  row.ttft_seconds = ttft.distribution();
  row.queue_seconds = queue.distribution();
  row.e2e_seconds = e2e.distribution();
  row.decoding = decoding_metrics(answered, quality_metric);
  row.hit_rate = hits.distribution();
  row.split = split_of(answered);
  row.split.ways = serving_ways(answered);
  for (const auto& [metric, samples] : quality) row.quality[metric] = samples.distribution();
  for (const auto& [metric, samples] : uncompressed) row.quality_uncompressed[metric] = samples.distribution();
  for (const auto& [metric, samples] : chance) row.quality_chance[metric] = samples.distribution();
  row.sources = sources_of(answered, run);
  if (run.wall_seconds > 0) {
    row.requests_per_second = MetricValue{static_cast<double>(answered.size()) / run.wall_seconds, times};
    row.output_tokens_per_second = MetricValue{output_tokens / run.wall_seconds, times};
  }
  return row;
}

std::string text_field(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The quality that a claim is about, and what it is called there.
struct ClaimedQuality {
  std::string metric, name;
};

std::string metrics_of(const PolicyRow& row, const ClaimedQuality& quality) {
  std::string text = "mean TTFT " + format_fixed(row.ttft_service_seconds.mean * 1e3, 1) + " ms";
  if (const auto found = row.quality.find(quality.metric); found != row.quality.end())
    text += " at " + quality.name + " " + format_fixed(found->second.mean, 3);
  return text;
}

/// A metric that claims judge rows by.
struct ClaimMetric {
  std::string name;                                         // "TTFT"
  std::function<const Distribution*(const PolicyRow&)> of;  // null where a row has none
  std::function<std::string(double)> shown;                 // its mean
  bool lower_is_better = false;
};

/// "lru, gdsf and 2 more".
std::string names_of(const std::vector<const PolicyRow*>& rows) {
  constexpr std::size_t max_named = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), max_named); ++i) text += (i == 0 ? "" : ", ") + rows[i]->policy;
  return rows.size() > max_named ? text + " and " + std::to_string(rows.size() - max_named) + " more" : text;
}

/// The rows that show the best mean. A difference that no reader sees makes no winner.
struct Leaders {
  std::vector<const PolicyRow*> rows, others;
  std::string shown;           // the mean of each
  std::string not_told_apart;  // names of others whose 95 % interval overlaps one of theirs
  bool intervals = true;       // each row has one
  bool tied() const { return rows.size() > 1; }
  bool apart() const { return !rows.empty() && !others.empty() && intervals && not_told_apart.empty(); }
};

bool overlap(const Distribution& a, const Distribution& b) {
  return a.interval && b.interval && a.interval->low <= b.interval->high && b.interval->low <= a.interval->high;
}

Leaders leaders_of(const std::vector<const PolicyRow*>& judged, const ClaimMetric& metric) {
  const Distribution* best = nullptr;
  for (const PolicyRow* row : judged) {
    const Distribution* own = metric.of(*row);
    if (own == nullptr) continue;
    if (best == nullptr || (metric.lower_is_better ? own->mean < best->mean : own->mean > best->mean)) best = own;
  }
  Leaders leaders;
  if (best == nullptr) return leaders;
  leaders.shown = metric.shown(best->mean);
  for (const PolicyRow* row : judged) {
    const Distribution* own = metric.of(*row);
    if (own == nullptr) continue;
    (metric.shown(own->mean) == leaders.shown ? leaders.rows : leaders.others).push_back(row);
    leaders.intervals = leaders.intervals && own->interval;
  }
  std::vector<const PolicyRow*> close;
  std::ranges::copy_if(leaders.others, std::back_inserter(close), [&](const PolicyRow* other) {
    return std::ranges::any_of(leaders.rows,
                               [&](const PolicyRow* row) { return overlap(*metric.of(*row), *metric.of(*other)); });
  });
  leaders.not_told_apart = names_of(close);
  return leaders;
}

/// The rows that support a claim, and why the others do not.
struct JudgedRows {
  std::vector<const PolicyRow*> rows;
  std::vector<const PolicyRun*> runs;  // of each row
  std::string others;                  // "lru (stopped); gdsf (no request answered)"
};

// A run that ended early served other requests than the rest: it neither wins nor loses.
JudgedRows judged_rows(const std::vector<PolicyRow>& rows, const std::vector<PolicyRun>& runs) {
  // A handful of requests supports no claim next to rows of many.
  constexpr std::size_t few = 10;
  const bool any_with_many = std::ranges::any_of(rows, [](const PolicyRow& row) { return row.requests >= few; });
  JudgedRows judged;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PolicyRow& row = rows[i];
    std::string reason = runs[i].unfinished;
    if (reason.empty() && row.requests == 0)
      reason = "no request answered";
    else if (reason.empty() && any_with_many && row.requests < few)
      reason = "only " + counted(row.requests, "request");
    if (reason.empty()) {
      judged.rows.push_back(&row);
      judged.runs.push_back(&runs[i]);
      continue;
    }
    judged.others += (judged.others.empty() ? "" : "; ") + row.policy + " (" + reason + ")";
  }
  return judged;
}

std::string single_claim(const PolicyRow& row, const ClaimedQuality& quality) {
  return row.policy + " answered " + counted(row.requests, "request") + " with " + metrics_of(row, quality) + ".";
}

/// "2 tie for the best token_f1 (0.963: lru, gdsf)"; without names where all of them tie.
std::string tie_text(const Leaders& leaders, std::size_t judged, const std::string& place) {
  return std::to_string(leaders.rows.size()) + " tie for the " + place + " (" + leaders.shown +
         (leaders.rows.size() < judged ? ": " + names_of(leaders.rows) : "") + ")";
}

/// What the 95 % intervals say about the leaders.
std::string judged_text(const ClaimMetric& ttft, const Leaders& fast, const ClaimMetric& quality, const Leaders& good) {
  std::string text;
  for (const auto& [metric, leaders] : {std::pair(&ttft, &fast), std::pair(&quality, &good)})
    if (!leaders->not_told_apart.empty())
      text += "; the " + metric->name + " difference to " + leaders->not_told_apart + " is not significant";
  if (!text.empty()) return text + " (95 % intervals overlap)";
  if (fast.others.empty() && good.others.empty()) return "; there is no difference to judge";
  if (!fast.intervals || !good.intervals) return "; without 95 % intervals, no difference is judged";
  if (fast.apart() && (good.apart() || good.rows.empty()))
    return "; their 95 % intervals do not overlap those of others";
  return "; in " + (fast.apart() ? ttft : quality).name + ", the best 95 % interval overlaps no other";
}

/// Whether any answer was right in part: of none, there is no best.
bool any_quality(const std::vector<const PolicyRow*>& judged, const std::string& metric) {
  bool known = false;
  for (const PolicyRow* row : judged) {
    const auto found = row->quality.find(metric);
    if (found == row->quality.end()) continue;
    known = true;
    if (found->second.mean > 0) return true;
  }
  return !known;
}

/// Why qualities are not compared; empty: they are. A model that cannot answer explains answers without any quality.
std::string no_quality_reason(const JudgedRows& judged, const ClaimedQuality& quality) {
  const ChanceGate gate = chance_gate(judged.runs, quality.metric);
  if (gate.closed())
    return "with uncompressed caches, " + quality.name +
           (gate.finding == ChanceGate::Finding::zero ? " is 0" : " is not above chance");
  return any_quality(judged.rows, quality.metric) ? std::string() : quality.name + " of every answer is 0";
}

// One sentence that the table supports: the fastest policy, the best answers, and the rows within noise of them.
std::string winners_claim(const JudgedRows& rows, const ClaimedQuality& claimed) {
  const std::vector<const PolicyRow*>& judged = rows.rows;
  const ClaimMetric ttft{"TTFT", [](const PolicyRow& row) { return &row.ttft_service_seconds; },
                         [](double seconds) { return format_fixed(seconds * 1e3, 1) + " ms"; }, true};
  const std::string reason = no_quality_reason(rows, claimed);
  const ClaimMetric quality{claimed.name,
                            [&claimed, &reason](const PolicyRow& row) {
                              const auto found = row.quality.find(claimed.metric);
                              return !reason.empty() || found == row.quality.end() ? nullptr : &found->second;
                            },
                            [](double value) { return format_fixed(value, 3); }};
  const Leaders fast = leaders_of(judged, ttft), good = leaders_of(judged, quality);
  const bool one = fast.rows.size() == 1 && fast.rows == good.rows;
  const PolicyRow& fastest = *fast.rows.front();
  std::string text = "Of " + std::to_string(judged.size()) + " compared, ";
  if (one)
    text += fastest.policy + " is fastest and has the best " + claimed.name + " (" + metrics_of(fastest, claimed) + ")";
  else if (fast.tied())
    text += tie_text(fast, judged.size(), "lowest mean TTFT");
  else
    text += fastest.policy + " is fastest (" + metrics_of(fastest, claimed) + ")";
  if (!one && good.tied())
    text += " and " + tie_text(good, judged.size(), "best " + claimed.name);
  else if (!one && !good.rows.empty())
    text += " and " + good.rows.front()->policy + " has the best " + claimed.name + " (" +
            metrics_of(*good.rows.front(), claimed) + ")";
  text += judged_text(ttft, fast, quality, good) + ".";
  return reason.empty() ? text : text + " Quality is not compared: " + reason + ".";
}

/// " Not complete: lru (stopped)."; empty where every run is.
std::string not_complete(const std::vector<PolicyRow>& rows, const std::vector<PolicyRun>& runs) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!runs[i].unfinished.empty())
      text += (text.empty() ? " Not complete: " : ", ") + rows[i].policy + " (" + runs[i].unfinished + ")";
  return text.empty() ? text : text + ".";
}

std::string claim_of(const std::vector<PolicyRow>& rows, const std::vector<PolicyRun>& runs,
                     const ClaimedQuality& quality) {
  if (std::ranges::none_of(rows, [](const PolicyRow& row) { return row.requests > 0; }))
    return "No request was answered." + not_complete(rows, runs);
  if (rows.size() == 1) return single_claim(rows.front(), quality) + not_complete(rows, runs);
  const JudgedRows judged = judged_rows(rows, runs);
  const std::string text = judged.rows.empty()       ? "No policy can be compared."
                           : judged.rows.size() == 1 ? single_claim(*judged.rows.front(), quality)
                                                     : winners_claim(judged, quality);
  return judged.others.empty() ? text : text + " Not compared: " + judged.others + ".";
}

}  // namespace

std::string chosen_quality_metric(const RunReport& report) {
  if (std::string asked = text_field(report.settings, "quality_metric"); !asked.empty()) return asked;
  for (const PolicyRow& row : report.rows)
    if (!row.quality.empty()) return row.quality.begin()->first;
  return {};
}

std::vector<std::string> model_notes(const Json& environment) {
  std::vector<std::string> notes;
  if (!environment.is_object() || !environment.contains("model_note")) return notes;
  const Json& noted = environment.at("model_note");
  for (const Json& one : noted.is_array() ? noted : Json::array({noted}))
    if (one.is_string() && !one.get_ref<const std::string&>().empty() &&
        std::ranges::find(notes, one.get_ref<const std::string&>()) == notes.end())
      notes.push_back(one.get<std::string>());
  return notes;
}

RunReport build_report(const Json& settings, const Json& environment, const std::vector<PolicyRun>& runs) {
  RunReport report;
  report.settings = settings;
  report.environment = environment;
  const std::string metric = text_field(settings, "quality_metric");
  for (const PolicyRun& run : runs) report.rows.push_back(row_of(run, metric));
  const std::string workload = text_field(environment, "workload");
  const std::string model = text_field(environment, "model");
  report.title = "KVantage run" + (workload.empty() ? "" : ": " + workload) + (model.empty() ? "" : " on " + model);
  std::vector<const PolicyRun*> all;
  all.reserve(runs.size());
  for (const PolicyRun& run : runs) all.push_back(&run);
  report.basis = answer_basis(all);
  const std::string chosen = chosen_quality_metric(report);
  report.claim = claim_of(report.rows, runs, {chosen, quality_name(chosen, report.basis)});
  report.notes = model_notes(environment);
  std::ranges::move(quality_notes(report, all, chosen), std::back_inserter(report.notes));
  return report;
}

}  // namespace kvantage::inline report
