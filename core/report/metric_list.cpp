#include "core/report/metric_list.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"

namespace kvantage::inline report {
namespace {

class Listing {
 public:
  void metric(std::string name, std::string part, double value, const char* unit, Provenance provenance) {
    ReportMetric& added = add(std::move(name), std::move(part), unit, provenance);
    added.value = value;
  }
  void count(std::string name, std::string part, std::uint64_t value, const char* unit = "1",
             Provenance provenance = Provenance::measured) {
    metric(std::move(name), std::move(part), static_cast<double>(value), unit, provenance);
    list_.back().whole = true;
  }
  void counts(const std::string& name, const std::string& part, const std::map<std::string, std::uint64_t>& by_reason) {
    for (const auto& [reason, value] : by_reason) {
      std::string place = part + ": ";
      place += reason;
      count(name, std::move(place), value);
    }
  }
  void distribution(std::string name, std::string part, const Distribution& d, const char* unit) {
    ReportMetric& added = add(std::move(name), std::move(part), unit, d.provenance);
    added.sampled = true;
    added.n = d.n;
    added.contexts = d.contexts;
    if (d.n == 0) return;
    added.value = d.mean;
    added.interval = d.interval;
    added.p95_interval = d.p95_interval;
    added.p50 = d.p50;
    added.p95 = d.p95;
    added.p99 = d.p99;
  }
  /// A share of requests: percentiles of 0/1 samples are meaningless.
  void share(std::string name, std::string part, double value, const std::optional<Interval>& interval, std::size_t n,
             std::size_t contexts, Provenance provenance) {
    ReportMetric& added = add(std::move(name), std::move(part), "1", provenance);
    added.sampled = true;
    added.n = n;
    added.contexts = contexts;
    if (n == 0) return;
    added.value = value;
    added.interval = interval;
  }
  std::vector<ReportMetric> take() { return std::move(list_); }

 private:
  ReportMetric& add(std::string name, std::string part, const char* unit, Provenance provenance) {
    ReportMetric added;
    added.name = std::move(name);
    added.part = std::move(part);
    added.unit = unit;
    added.provenance = provenance;
    return list_.emplace_back(std::move(added));
  }
  std::vector<ReportMetric> list_;
};

void add_sources(Listing& list, const PolicyRow& row) {
  const Distribution& all = row.hit_rate;
  list.share("hit_rate", "", all.mean, all.interval, all.n, all.contexts, all.provenance);
  for (const SourceShare& share : row.sources) {
    list.share("hit_rate_requests", share.source, share.request_rate, share.request_interval, all.n, all.contexts,
               row.provenance);
    list.metric("hit_rate_tokens", share.source, share.token_rate, "1", row.provenance);
    if (share.byte_rate) list.metric("hit_rate_bytes", share.source, *share.byte_rate, "1", row.provenance);
    list.count("source_requests", share.source, share.requests);
    list.count("source_tokens", share.source, share.tokens);
    list.count("source_bytes", share.source, share.bytes, "B", row.provenance);
  }
}

void add_decode_options(Listing& list, const DecodingMetrics& decoding) {
  for (const auto& [option, metrics] : decoding.by_option)
    for (const auto& [metric, distribution] : metrics) {
      const char* unit = metric.ends_with("_seconds") ? "s" : metric.ends_with("_bytes") ? "B" : "1";
      list.distribution("decode_option_" + metric, option, distribution, unit);
    }
}

void add_eviction(Listing& list, const DecodingMetrics& decoding) {
  if (decoding.evicted_answers == 0) return;
  const EvictionWork& work = decoding.eviction;
  const Provenance timed = decoding.peak_kv_bytes.provenance;
  list.count("evicted_answers", "", decoding.evicted_answers);
  list.count("evicted_entries", "", work.evicted_entries);
  list.metric("deciding_seconds", "", work.deciding_seconds, "s", timed);
  list.count("eviction_blocks_freed", "", work.blocks_freed);
  list.count("compaction_passes", "", work.compactions.passes);
  list.count("compaction_blocks_freed", "", work.compactions.blocks_freed);
  list.metric("compaction_seconds", "", work.compactions.seconds, "s", timed);
}

void add_serving_ways(Listing& list, const PolicyRow& row) {
  for (const auto& [way, served] : row.split.ways) {
    list.count("way_requests", way, served.ttft_service_seconds.n);
    list.distribution("way_seconds", way, served.ttft_service_seconds, "s");
    if (served.predicted_seconds.n > 0) list.distribution("way_predicted_seconds", way, served.predicted_seconds, "s");
    list.distribution("way_computed_tokens", way, served.computed_tokens, "1");
  }
}

void add_tier(Listing& list, const TierUsage& tier, Provenance provenance) {
  list.count("tier_used_bytes", tier.name, tier.used_bytes, "B", provenance);
  if (tier.peak_bytes > 0) list.count("tier_peak_bytes", tier.name, tier.peak_bytes, "B", provenance);
  if (tier.budget_bytes > 0) list.count("tier_budget_bytes", tier.name, tier.budget_bytes, "B", provenance);
  if (!tier.counts) return;
  const TierCounts& counts = *tier.counts;
  list.count("tier_reads", tier.name, counts.reads);
  list.count("tier_writes", tier.name, counts.writes);
  list.counts("tier_misses", tier.name, counts.misses);
  list.counts("tier_failed_writes", tier.name, counts.failed_writes);
  list.counts("faults_struck", tier.name, counts.injected_faults);
  list.count("fitted_loads", tier.name, counts.fitted_loads);
  if (counts.fitted_loads == 0) return;
  const Provenance timed = tier.throttled ? Provenance::throttled : provenance;
  list.metric("fit_error_median", tier.name, counts.fit_error_median, "1", timed);
  list.metric("fit_error_p95", tier.name, counts.fit_error_p95, "1", timed);
}

void add_model_device(Listing& list, const ModelDeviceGauges& gauges, Provenance provenance) {
  list.count("cache_held_bytes", gauges.device, gauges.cache_held_bytes, "B", provenance);
  list.count("cache_total_bytes", gauges.device, gauges.cache_total_bytes, "B", provenance);
  list.count("uploaded_bytes", gauges.device, gauges.uploaded.bytes, "B", provenance);
  list.metric("upload_rate", gauges.device, gauges.uploaded.bytes_per_second(), "B/s", provenance);
  list.metric("upload_rate_peak", gauges.device, gauges.uploaded.peak_bytes_per_second, "B/s", provenance);
  list.metric("upload_hidden", gauges.device, gauges.uploaded.hidden_share(), "1", provenance);
  list.count("downloaded_bytes", gauges.device, gauges.downloaded.bytes, "B", provenance);
  list.metric("download_rate", gauges.device, gauges.downloaded.bytes_per_second(), "B/s", provenance);
  list.metric("download_rate_peak", gauges.device, gauges.downloaded.peak_bytes_per_second, "B/s", provenance);
}

void add_engine(Listing& list, const EngineCounts& engine, Provenance provenance) {
  list.metric("busy_seconds", "", engine.busy_seconds, "s", provenance);
  list.metric("profiling_busy_fraction", "", engine.profiling_fraction, "1", provenance);
  list.metric("reprofiling_busy_fraction", "", engine.reprofiling_fraction, "1", provenance);
  list.metric("longest_profile_step_seconds", "", engine.longest_profile_step_seconds, "s", provenance);
  list.metric("longest_prefill_step_seconds", "", engine.longest_prefill_step_seconds, "s", provenance);
  list.count("drifts", "", engine.drifts);
  list.count("reprofiles", "", engine.reprofiles);
  list.count("requeued", "", engine.requeued);
  list.count("most_running", "", static_cast<std::uint64_t>(std::max(0, engine.max_running)));
  if (engine.model_device) add_model_device(list, *engine.model_device, provenance);
}

std::string or_absent(const std::optional<double>& value, bool whole = false) {
  return value ? metric_text(*value, whole) : "-";
}

Cell word(const std::string& text) { return {text.empty() ? "-" : text, Provenance::measured, false, true}; }

}  // namespace

std::vector<ReportMetric> metric_list(const PolicyRow& row) {
  Listing list;
  list.count("requests", "", row.requests);
  list.count("cancelled", "", row.cancelled);
  list.count("warmup_requests", "", row.warmup_requests);
  list.metric("alpha", "", row.alpha, "s", Provenance::measured);
  list.distribution("ttft_service_seconds", "", row.ttft_service_seconds, "s");
  list.distribution("ttft_seconds", "", row.ttft_seconds, "s");
  list.distribution("queue_seconds", "", row.queue_seconds, "s");
  list.distribution("itl_seconds", "", row.decoding.itl_seconds, "s");
  list.distribution("token_gap_seconds", "", row.decoding.token_gap_seconds, "s");
  list.distribution("e2e_seconds", "", row.e2e_seconds, "s");
  list.distribution("peak_kv_bytes", "", row.decoding.peak_kv_bytes, "B");
  list.distribution("held_kv_bytes", "", row.decoding.held_kv_bytes, "B");
  add_eviction(list, row.decoding);
  add_decode_options(list, row.decoding);
  if (row.decoding.offload_step_seconds.n > 0) {
    list.distribution("offload_step_seconds", "", row.decoding.offload_step_seconds, "s");
    list.distribution("offload_predicted_seconds", "", row.decoding.offload_predicted_seconds, "s");
    list.distribution("offload_recomputed_tokens", "", row.decoding.offload_recomputed_tokens, "1");
    list.distribution("offload_read_bytes", "", row.decoding.offload_read_bytes, "B");
  }
  if (row.decoding.tokens_per_pass.n > 0) {
    list.distribution("tokens_per_pass", "", row.decoding.tokens_per_pass, "1");
    list.distribution("drafted_tokens", "", row.decoding.drafted_tokens, "1");
    list.distribution("accepted_tokens", "", row.decoding.accepted_tokens, "1");
  }
  add_serving_ways(list, row);
  const TtftSplit& split = row.split;
  for (const auto& [name, part] : {std::pair{"lookup", split.lookup},
                                   {"load", split.load},
                                   {"decode", split.decode},
                                   {"context_prefill", split.context_prefill},
                                   {"question_prefill", split.question_prefill},
                                   {"other", split.other}})
    list.metric("ttft_split", name, part.value, "s", part.provenance);
  for (const auto& [metric, quality] : row.quality) list.distribution("quality", metric, quality, "1");
  for (const auto& [metric, quality] : row.quality_uncompressed)
    list.distribution("quality_uncompressed", metric, quality, "1");
  for (const auto& [metric, quality] : row.quality_chance) list.distribution("quality_chance", metric, quality, "1");
  add_sources(list, row);
  for (const auto& [reason, misses] : row.misses) list.count("misses", reason, misses);
  for (const TierUsage& tier : row.tiers) add_tier(list, tier, row.provenance);
  if (row.engine) add_engine(list, *row.engine, row.provenance);
  if (row.lp_gap) list.metric("lp_gap", "", *row.lp_gap, "1", Provenance::predicted);
  if (row.requests_per_second)
    list.metric("requests_per_second", "", row.requests_per_second->value, "1/s", row.requests_per_second->provenance);
  if (row.output_tokens_per_second)
    list.metric("output_tokens_per_second", "", row.output_tokens_per_second->value, "1/s",
                row.output_tokens_per_second->provenance);
  return list.take();
}

std::string part_text(const ReportMetric& metric) {
  return metric.name == "ttft_split" ? ttft_part_text(metric.part) : metric.part;
}

std::string metric_text(double value, bool whole) {
  if (whole) return format_fixed(value, 0);
  if (value == 0 || !std::isfinite(value)) return format_fixed(value, 1);
  constexpr int counting = 6, most = 15;
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return format_fixed(value, std::clamp(counting - before_point, 0, most));
}

std::string metric_text(const std::optional<Interval>& interval) {
  return interval ? "[" + metric_text(interval->low, false) + ", " + metric_text(interval->high, false) + "]" : "-";
}

std::vector<Table> metric_tables(const RunReport& report) {
  std::vector<Table> tables;
  for (const PolicyRow& row : report.rows) {
    Table table{
        "Every metric: " + row.policy,
        "value: the mean of n requests where n is given, or of n gaps between tokens; intervals of mean and p95 by "
        "bootstrap over contexts; six significant digits",
        {"figure", "part", "value", "unit", "95 % interval", "n", "contexts", "p50", "p95", "p95 interval", "p99"},
        {}};
    for (const ReportMetric& metric : metric_list(row)) {
      const auto cell = [&](const std::string& text) { return Cell{text, metric.provenance, text != "-", false}; };
      const auto counted = [&](std::size_t number) {
        return Cell{metric.sampled ? std::to_string(number) : "-", Provenance::measured, metric.sampled, false};
      };
      const std::string value = or_absent(metric.value, metric.whole);
      table.rows.push_back({word(metric.name), word(part_text(metric)),
                            cell(value == "-" ? value : value + mark_of(metric.provenance)), word(metric.unit),
                            cell(metric_text(metric.interval)), counted(metric.n), counted(metric.contexts),
                            cell(or_absent(metric.p50)), cell(or_absent(metric.p95)),
                            cell(metric_text(metric.p95_interval)), cell(or_absent(metric.p99))});
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace kvantage::inline report
