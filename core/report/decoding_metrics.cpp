#include "core/report/decoding_metrics.h"

#include <algorithm>

#include "core/report/report.h"
#include "core/report/request_facts.h"
#include "core/report/samples.h"

namespace kvantage::inline report {
namespace {

/// Of decoding: with decode_offload every token waits for the tier.
Provenance decoded(const RequestRecord& record) {
  const auto& offload = record.decoding.offload;
  return offload && offload->used() ? record.provenance : unthrottled(record.provenance);
}

// What was expected of an option is as the plan saw it, before the answer.
std::map<std::string, std::map<std::string, Distribution>> by_decode_option(
    const std::vector<const RequestRecord*>& records, const std::string& quality_metric) {
  std::map<std::string, std::map<std::string, Samples>> samples;
  for (const RequestRecord* record : records) {
    if (!record->decoding.choice) continue;
    const DecodeChoice& choice = *record->decoding.choice;
    const Provenance provenance = unthrottled(record->provenance);
    std::map<std::string, Samples>& of = samples[choice.option];
    of["peak_kv_bytes"].add(static_cast<double>(record->decoding.peak_bytes), *record, provenance);
    if (record->answer_tokens > 1) of["itl_seconds"].add(record->timing.mean_itl_seconds, *record, provenance);
    const auto quality = record->quality.find(quality_metric);
    if (record->held_out && quality != record->quality.end()) of["quality"].add(quality->second, *record, provenance);
    if (choice.options == 0) continue;
    of["predicted_itl_seconds"].add(choice.predicted_itl_seconds, *record, Provenance::predicted);
    of["predicted_quality"].add(choice.predicted_quality, *record, Provenance::predicted);
  }
  std::map<std::string, std::map<std::string, Distribution>> options;
  for (const auto& [option, metrics] : samples)
    for (const auto& [metric, of] : metrics) options[option][metric] = of.distribution();
  return options;
}

void add_offload(const std::vector<const RequestRecord*>& answered, DecodingMetrics& metrics) {
  Samples seconds, predicted, recomputed, bytes;
  for (const RequestRecord* record : answered) {
    const auto& offload = record->decoding.offload;
    if (!offload || !offload->decoded()) continue;
    seconds.add(offload->per_step(offload->seconds), *record, record->provenance);
    predicted.add(offload->per_step(offload->predicted_seconds), *record, Provenance::predicted);
    recomputed.add(offload->per_step(static_cast<double>(offload->recomputed_tokens)), *record, decoded(*record));
    bytes.add(offload->per_step(static_cast<double>(offload->read_bytes())), *record, decoded(*record));
  }
  metrics.offload_step_seconds = seconds.distribution();
  metrics.offload_predicted_seconds = predicted.distribution();
  metrics.offload_recomputed_tokens = recomputed.distribution();
  metrics.offload_read_bytes = bytes.distribution();
}

void add_speculation(const std::vector<const RequestRecord*>& answered, DecodingMetrics& metrics) {
  Samples per_pass, drafted, accepted;
  for (const RequestRecord* record : answered) {
    const auto& speculation = record->decoding.speculation;
    if (!speculation || !speculation->decoded()) continue;
    const Provenance provenance = unthrottled(record->provenance);
    per_pass.add(speculation->tokens_per_pass(), *record, provenance);
    drafted.add(speculation->drafted, *record, provenance);
    accepted.add(speculation->accepted, *record, provenance);
  }
  metrics.tokens_per_pass = per_pass.distribution();
  metrics.drafted_tokens = drafted.distribution();
  metrics.accepted_tokens = accepted.distribution();
}

}  // namespace

int recomputed_tokens(const RequestRecord& record) {
  if (record.miss_reason == compulsory_miss) return 0;
  const int computed = record.context_tokens - tokens_from_tier(record) + record.compute_or_load.tokens_from_inputs;
  return std::min(computed, record.context_tokens);
}

DecodingMetrics decoding_metrics(const std::vector<const RequestRecord*>& answered, const std::string& quality_metric) {
  Samples itl, gaps, peak, held, recomputed;
  DecodingMetrics metrics;
  for (const RequestRecord* record : answered) {
    const Provenance provenance = unthrottled(record->provenance);
    if (record->decoding.peak_bytes > 0)
      peak.add(static_cast<double>(record->decoding.peak_bytes), *record, provenance);
    if (record->decoding.held_bytes > 0)
      held.add(static_cast<double>(record->decoding.held_bytes), *record, provenance);
    if (record->decoding.used()) {
      ++metrics.evicted_answers;
      metrics.eviction += record->decoding;
    }
    recomputed.add(recomputed_tokens(*record), *record, provenance);
    if (record->answer_tokens > 1) itl.add(record->timing.mean_itl_seconds, *record, decoded(*record));
    for (const double gap : record->timing.token_gaps_seconds) gaps.add(gap, *record, decoded(*record));
  }
  metrics.itl_seconds = itl.distribution();
  metrics.token_gap_seconds = gaps.distribution();
  metrics.peak_kv_bytes = peak.distribution();
  metrics.held_kv_bytes = held.distribution();
  metrics.recomputed_tokens = recomputed.distribution();
  metrics.by_option = by_decode_option(answered, quality_metric);
  add_offload(answered, metrics);
  add_speculation(answered, metrics);
  return metrics;
}

}  // namespace kvantage::inline report
