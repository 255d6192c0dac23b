// The result of a run, as numbers and as a page. Pure: records in, metrics out, the same bytes for the same input.
//
// build_report() turns the finished requests of each policy into one PolicyRow: time to first token with its breakdown,
// quality with n and interval, hit rates, bytes per tier, throughput. to_text(), to_html() and to_report_json() show
// the same content (report_content.h); metric_list.h lists every metric, and each file holds all of them. Every metric
// has a provenance: measured, throttled, simulated or predicted. A sum or mean is as weak as its weakest part;
// throttling (which slows only loads) does not affect prefill, decode or quality. Definitions and units:
// metric_definitions() and docs/metrics.md. Percentiles and intervals: core/base/statistics.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/ports/events.h"
#include "core/report/decoding_metrics.h"
#include "core/report/report_sections.h"
#include "core/report/serving_ways.h"

namespace kvantage::inline report {

/// Counters of a tier during a run, warm-up included, and the error of its fit at the end.
struct TierCounts {
  std::string kind, note;
  std::uint64_t reads = 0, writes = 0;
  std::map<std::string, std::uint64_t> misses, failed_writes;  // by reason
  std::uint64_t fitted_loads = 0;
  double fit_error_median = 0, fit_error_p95 = 0;             // relative to the time on the device
  std::map<std::string, std::uint64_t> injected_faults = {};  // injected, by kind
};

/// Usage of one tier at the end of a policy's run.
struct TierUsage {
  std::string name;
  std::uint64_t used_bytes = 0;
  std::uint64_t budget_bytes = 0;  // 0: unlimited
  std::uint64_t peak_bytes = 0;    // peak; 0: not recorded
  bool throttled = false;
  bool serves_requests = true;         // false for the archive: shown, but without a hit rate
  std::optional<TierCounts> counts{};  // unknown for an unfinished run, or one whose settings changed
};

/// Engine thread activity under a policy.
struct EngineCounts {
  double busy_seconds = 0, profiling_fraction = 0, reprofiling_fraction = 0;  // of the busy time
  std::uint64_t drifts = 0, reprofiles = 0, requeued = 0;
  int max_running = 0;
  double longest_profile_step_seconds = 0, longest_prefill_step_seconds = 0;
  std::optional<ModelDeviceGauges> model_device{};  // that computed the model instead of the CPU
};

/// Results of one policy. `records` in order of completion, without warm-up.
struct PolicyRun {
  std::string policy;
  double alpha = 0;  // seconds per unit of quality
  std::vector<RequestRecord> records;
  std::vector<TierUsage> tiers;                  // fastest first
  std::map<std::string, std::string> faults;     // injected, by tier, text form of core/ports/fault_plan.h
  double wall_seconds = 0;                       // first arrival to last answer; 0: unknown, no throughput
  double kv_bytes_per_token = 0;                 // uncompressed, all layers; 0: unknown, no hit rate by bytes
  std::size_t warmup_requests = 0;               // skipped by the caller
  Provenance provenance = Provenance::measured;  // of tiers' bytes and the wall clock
  std::optional<EngineCounts> engine{};          // unknown for an unfinished run, or one whose settings changed
  std::optional<double> lp_gap{};  // of the final placements, for planning policies; unknown where settings changed
  std::string unfinished{};        // outcome of a run that ended early: "stopped"; empty: it is complete
};

/// Mean share of ttft_service_seconds; the parts sum to its mean. `other`: between the steps of a request.
struct TtftSplit {
  MetricValue lookup, load, decode, context_prefill, question_prefill, other;
  std::map<std::string, ServingWay> ways{};  // TTFT by the way that contexts came to requests
  std::vector<double> service_seconds{};     // TTFT of each answered request, finite, in order of completion
};

/// The contribution of one source (a tier's name, or "prefill"). Rates are of all requests, tokens, bytes; over all
/// sources each sums to 1.
struct SourceShare {
  std::string source;
  std::uint64_t requests = 0, tokens = 0, bytes = 0;
  double request_rate = 0, token_rate = 0;
  std::optional<double> byte_rate;             // needs PolicyRun::kv_bytes_per_token
  std::optional<Interval> request_interval{};  // 95 %, of request_rate, by drawing contexts
};

struct PolicyRow {
  std::string policy;
  double alpha = 0;
  std::size_t requests = 0;  // answered; the fields below are about these
  std::size_t cancelled = 0, warmup_requests = 0;
  Distribution ttft_service_seconds, ttft_seconds, queue_seconds, e2e_seconds;
  DecodingMetrics decoding{};
  std::optional<EngineCounts> engine{};
  std::optional<double> lp_gap{};  // predicted
  TtftSplit split;
  std::map<std::string, Distribution> quality;  // by metric; held-out questions only
  // Scores of the same requests with uncompressed KV, and of the answer to another question of the family.
  std::map<std::string, Distribution> quality_uncompressed, quality_chance;
  Distribution hit_rate{};                      // per request: 1 if a tier served it, 0 if it was computed
  std::vector<SourceShare> sources;             // tiers as in `tiers`, then "prefill"
  std::map<std::string, std::uint64_t> misses;  // by reason
  std::vector<TierUsage> tiers;
  std::map<std::string, std::string> faults;     // injected, by tier
  Provenance provenance = Provenance::measured;  // of bytes and throughput
  std::optional<MetricValue> requests_per_second, output_tokens_per_second;
};

struct RunReport {
  std::string title;
  std::string claim;               // one sentence
  std::vector<std::string> notes;  // of the models that it ran on, of what qualities rest on
  Json settings, environment;
  std::vector<PolicyRow> rows;
  std::optional<ReportDifferences> differences{};  // where a baseline run was chosen (report_differences.h)
  std::vector<ReportPlot> plots{};  // from the journal: over time, by context and by removed fraction (run_plots.h)
  AnswerBasis basis{};
};

/// `settings`: as requested, any JSON object. `environment`: where it ran. The page has fields for these keys: command
/// (the exact line that reproduces it), commit, dirty, version, model, model_note, model_digest, workload,
/// workload_digest, hardware, threads, seed, run_id, started_utc. Others are listed unchanged.
RunReport build_report(const Json& settings, const Json& environment, const std::vector<PolicyRun>& runs);
/// What a ranking of methods must say, of model_note in an environment or in a merged one: each text once.
std::vector<std::string> model_notes(const Json& environment);

struct MetricDefinition {
  std::string name, unit, formula, meaning;
};
/// Definitions of a report's metrics, in order of appearance.
const std::vector<MetricDefinition>& metric_definitions();

}  // namespace kvantage::inline report
