#include <algorithm>

#include "core/base/json_fields.h"
#include "core/report/formats/report_formats.h"
#include "core/report/report_content.h"

namespace kvantage::inline formats {
namespace {

// Makes text valid here, so that dumping the report cannot fail on a model's truncated characters.
Json valid_json(const Json& json) {
  if (json.is_string()) return valid_utf8(json.get_ref<const std::string&>());
  if (json.is_array()) {
    Json copy = Json::array();
    for (const Json& item : json) copy.push_back(valid_json(item));
    return copy;
  }
  if (json.is_object()) {
    Json copy = Json::object();
    for (const auto& [key, item] : json.items()) copy[valid_utf8(key)] = valid_json(item);
    return copy;
  }
  return json;
}

Json figure_json(double value, const char* unit, Provenance provenance) {
  return {{"value", value}, {"unit", unit}, {"provenance", to_string(provenance)}};
}

Json figure_json(const std::optional<MetricValue>& metric, const char* unit) {
  return metric ? figure_json(metric->value, unit, metric->provenance) : Json(nullptr);
}

Json report_interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

Json distribution_json(const Distribution& d, const char* unit) {
  const auto known = [&](double value) { return d.n > 0 ? Json(value) : Json(nullptr); };
  return {{"n", d.n},
          {"contexts", d.contexts},
          {"mean", known(d.mean)},
          {"p50", known(d.p50)},
          {"p95", known(d.p95)},
          {"p99", known(d.p99)},
          {"interval_95", report_interval_json(d.interval)},
          {"p95_interval_95", report_interval_json(d.p95_interval)},
          {"unit", unit},
          {"provenance", to_string(d.provenance)}};
}

Json sources_json(const PolicyRow& row) {
  Json sources = Json::array();
  for (const SourceShare& share : row.sources)
    sources.push_back({{"source", share.source},
                       {"requests", share.requests},
                       {"tokens", share.tokens},
                       {"bytes", share.bytes},
                       {"hit_rate_requests", share.request_rate},
                       {"hit_rate_requests_interval_95", report_interval_json(share.request_interval)},
                       {"hit_rate_tokens", share.token_rate},
                       {"hit_rate_bytes", share.byte_rate ? Json(*share.byte_rate) : Json(nullptr)},
                       {"provenance", to_string(row.provenance)}});
  return sources;
}

Json counts_json(const TierUsage& tier) {
  if (!tier.counts) return nullptr;
  const TierCounts& counts = *tier.counts;
  const bool fitted = counts.fitted_loads > 0;
  return {{"kind", counts.kind},
          {"note", counts.note},
          {"tier_reads", counts.reads},
          {"tier_writes", counts.writes},
          {"tier_misses", counts.misses},
          {"tier_failed_writes", counts.failed_writes},
          {"faults_struck", counts.injected_faults},
          {"fitted_loads", counts.fitted_loads},
          {"fit_error_median", fitted ? Json(counts.fit_error_median) : Json(nullptr)},
          {"fit_error_p95", fitted ? Json(counts.fit_error_p95) : Json(nullptr)}};
}

Json tiers_json(const PolicyRow& row) {
  Json tiers = Json::array();
  for (const TierUsage& tier : row.tiers)
    tiers.push_back({{"tier", tier.name},
                     {"tier_used_bytes", tier.used_bytes},
                     {"tier_peak_bytes", tier.peak_bytes == 0 ? Json(nullptr) : Json(tier.peak_bytes)},
                     {"tier_budget_bytes", tier.budget_bytes == 0 ? Json(nullptr) : Json(tier.budget_bytes)},
                     {"shaped", tier.throttled},
                     {"counts", counts_json(tier)},
                     {"serves_requests", tier.serves_requests},
                     {"provenance", to_string(row.provenance)}});
  return tiers;
}

Json model_device_json(const ModelDeviceGauges& gauges, Provenance provenance) {
  return {{"device", gauges.device},
          {"cache_held_bytes", gauges.cache_held_bytes},
          {"cache_total_bytes", gauges.cache_total_bytes},
          {"uploaded_bytes", gauges.uploaded.bytes},
          {"upload_rate", figure_json(gauges.uploaded.bytes_per_second(), "B/s", provenance)},
          {"upload_rate_peak", figure_json(gauges.uploaded.peak_bytes_per_second, "B/s", provenance)},
          {"upload_hidden", figure_json(gauges.uploaded.hidden_share(), "1", provenance)},
          {"downloaded_bytes", gauges.downloaded.bytes},
          {"download_rate", figure_json(gauges.downloaded.bytes_per_second(), "B/s", provenance)},
          {"download_rate_peak", figure_json(gauges.downloaded.peak_bytes_per_second, "B/s", provenance)}};
}

Json decode_options_json(const DecodingMetrics& decoding) {
  Json options = Json::object();
  for (const auto& [option, metrics] : decoding.by_option)
    for (const auto& [metric, distribution] : metrics) {
      const char* unit = metric.ends_with("_seconds") ? "s" : metric.ends_with("_bytes") ? "B" : "1";
      options[option][metric] = distribution_json(distribution, unit);
    }
  return options;
}

Json eviction_json(const DecodingMetrics& decoding) {
  const EvictionWork& work = decoding.eviction;
  const Provenance timed = decoding.peak_kv_bytes.provenance;
  return {{"evicted_answers", decoding.evicted_answers},
          {"evicted_entries", work.evicted_entries},
          {"deciding_seconds", figure_json(work.deciding_seconds, "s", timed)},
          {"eviction_blocks_freed", work.blocks_freed},
          {"compaction_passes", work.compactions.passes},
          {"compaction_blocks_freed", work.compactions.blocks_freed},
          {"compaction_seconds", figure_json(work.compactions.seconds, "s", timed)}};
}

Json serving_ways_json(const PolicyRow& row) {
  Json ways = Json::object();
  for (const auto& [way, served] : row.split.ways) {
    ways[way] = {{"requests", served.ttft_service_seconds.n},
                 {"seconds", distribution_json(served.ttft_service_seconds, "s")},
                 {"computed_tokens", distribution_json(served.computed_tokens, "1")}};
    if (served.predicted_seconds.n > 0)
      ways[way]["predicted_seconds"] = distribution_json(served.predicted_seconds, "s");
  }
  return ways;
}

Json row_json(const PolicyRow& row) {
  const TtftSplit& split = row.split;
  Json split_json = Json::object();
  for (const auto& [name, part] : {std::pair{"lookup_seconds", split.lookup},
                                   {"load_seconds", split.load},
                                   {"decode_seconds", split.decode},
                                   {"context_prefill_seconds", split.context_prefill},
                                   {"question_prefill_seconds", split.question_prefill},
                                   {"other_seconds", split.other}})
    split_json[name] = figure_json(part.value, "s", part.provenance);
  const auto by_metric = [](const std::map<std::string, Distribution>& quality) {
    Json json = Json::object();
    for (const auto& [metric, distribution] : quality) json[metric] = distribution_json(distribution, "1");
    return json;
  };
  Json engine;
  if (row.engine)
    engine = {
        {"busy_seconds", figure_json(row.engine->busy_seconds, "s", row.provenance)},
        {"profiling_busy_fraction", figure_json(row.engine->profiling_fraction, "1", row.provenance)},
        {"reprofiling_busy_fraction", figure_json(row.engine->reprofiling_fraction, "1", row.provenance)},
        {"longest_profile_step_seconds", figure_json(row.engine->longest_profile_step_seconds, "s", row.provenance)},
        {"longest_prefill_step_seconds", figure_json(row.engine->longest_prefill_step_seconds, "s", row.provenance)},
        {"drifts", row.engine->drifts},
        {"reprofiles", row.engine->reprofiles},
        {"requeued", row.engine->requeued},
        {"most_running", row.engine->max_running}};
  if (row.engine && row.engine->model_device)
    engine["model_device"] = model_device_json(*row.engine->model_device, row.provenance);
  Json json{{"policy", row.policy},
            {"alpha", figure_json(row.alpha, "s", Provenance::measured)},
            {"requests", row.requests},
            {"cancelled", row.cancelled},
            {"warmup_requests", row.warmup_requests},
            {"ttft_service_seconds", distribution_json(row.ttft_service_seconds, "s")},
            {"ttft_seconds", distribution_json(row.ttft_seconds, "s")},
            {"queue_seconds", distribution_json(row.queue_seconds, "s")},
            {"itl_seconds", distribution_json(row.decoding.itl_seconds, "s")},
            {"token_gap_seconds", distribution_json(row.decoding.token_gap_seconds, "s")},
            {"e2e_seconds", distribution_json(row.e2e_seconds, "s")},
            {"peak_kv_bytes", distribution_json(row.decoding.peak_kv_bytes, "B")},
            {"held_kv_bytes", distribution_json(row.decoding.held_kv_bytes, "B")},
            {"engine", engine},
            {"lp_gap", row.lp_gap ? figure_json(*row.lp_gap, "1", Provenance::predicted) : Json(nullptr)},
            {"ttft_split", split_json},
            {"quality", by_metric(row.quality)},
            {"quality_uncompressed", by_metric(row.quality_uncompressed)},
            {"quality_chance", by_metric(row.quality_chance)},
            {"hit_rate",
             {{"value", row.hit_rate.n > 0 ? Json(row.hit_rate.mean) : Json(nullptr)},
              {"interval_95", report_interval_json(row.hit_rate.interval)},
              {"n", row.hit_rate.n},
              {"contexts", row.hit_rate.contexts},
              {"unit", "1"},
              {"provenance", to_string(row.hit_rate.provenance)}}},
            {"sources", sources_json(row)},
            {"serving_ways", serving_ways_json(row)},
            {"misses", row.misses},
            {"faults_injected", row.faults},
            {"tiers", tiers_json(row)},
            {"requests_per_second", figure_json(row.requests_per_second, "1/s")},
            {"output_tokens_per_second", figure_json(row.output_tokens_per_second, "1/s")}};
  if (row.decoding.evicted_answers > 0) json["decode_eviction"] = eviction_json(row.decoding);
  if (!row.decoding.by_option.empty()) json["decode_options"] = decode_options_json(row.decoding);
  if (row.decoding.offload_step_seconds.n > 0)
    json["decode_offload"] = {
        {"offload_step_seconds", distribution_json(row.decoding.offload_step_seconds, "s")},
        {"offload_predicted_seconds", distribution_json(row.decoding.offload_predicted_seconds, "s")},
        {"offload_recomputed_tokens", distribution_json(row.decoding.offload_recomputed_tokens, "1")},
        {"offload_read_bytes", distribution_json(row.decoding.offload_read_bytes, "B")}};
  if (row.decoding.tokens_per_pass.n > 0)
    json["speculation"] = {{"tokens_per_pass", distribution_json(row.decoding.tokens_per_pass, "1")},
                           {"drafted_tokens", distribution_json(row.decoding.drafted_tokens, "1")},
                           {"accepted_tokens", distribution_json(row.decoding.accepted_tokens, "1")}};
  return json;
}

Json series_json(const PlotSeries& series) {
  Json x = Json::array(), y = Json::array(), intervals = Json::array(), x_intervals = Json::array(), n = Json::array();
  for (const PlotPoint& point : series.points) {
    x.push_back(point.x);
    y.push_back(point.y);
    intervals.push_back(report_interval_json(point.interval));
    x_intervals.push_back(report_interval_json(point.x_interval));
    n.push_back(point.n);
  }
  Json json{{"series", series.name}, {"provenance", to_string(series.provenance)}, {"x", x}, {"y", y}};
  const auto any = [&](auto&& has) { return std::ranges::any_of(series.points, has); };
  if (any([](const PlotPoint& point) { return point.interval.has_value(); })) json["interval_95"] = intervals;
  if (any([](const PlotPoint& point) { return point.x_interval.has_value(); })) json["x_interval_95"] = x_intervals;
  if (any([](const PlotPoint& point) { return point.n > 0; })) json["n"] = n;
  if (series.x_provenance) json["x_provenance"] = to_string(*series.x_provenance);
  return json;
}

Json charts_json(const std::vector<ReportPlot>& plots) {
  Json charts = Json::array();
  for (const ReportPlot& plot : plots) {
    Json all = Json::array(), places = Json::array();
    for (const PlotSeries& series : plot.series) all.push_back(series_json(series));
    for (const PlotPlace& place : plot.places) places.push_back({{"name", place.name}, {"total", place.total}});
    charts.push_back({{"chart", plot.name},
                      {"part", plot.part},
                      {"kind", to_string(plot.kind)},
                      {"title", plot.title},
                      {"note", plot.note},
                      {"x", {{"label", plot.x_label}, {"unit", plot.x_unit}}},
                      {"y", {{"label", plot.y_label}, {"unit", plot.y_unit}}},
                      {"series", all}});
    if (!plot.places.empty()) charts.back()["places"] = places;
  }
  return charts;
}

Json differences_json(const ReportDifferences& all) {
  Json settings = Json::array(), metrics = Json::array();
  for (const SettingDifference& one : all.settings)
    settings.push_back({{"run", one.run}, {"setting", one.name}, {"baseline", one.baseline}, {"value", one.value}});
  for (const MetricDifference& one : all.metrics)
    metrics.push_back({{"run", one.run},
                       {"figure", one.metric},
                       {"unit", one.unit},
                       {"baseline", one.baseline},
                       {"value", one.value},
                       {"difference", one.difference},
                       {"interval_95", report_interval_json(one.interval)},
                       {"n", one.n},
                       {"baseline_n", one.baseline_n},
                       {"pairs", one.pairs},
                       {"judgement", one.judgment},
                       {"provenance", to_string(one.provenance)}});
  return {{"baseline", all.baseline}, {"settings", settings}, {"figures", metrics}};
}

}  // namespace

Json to_report_json(const RunReport& report) {
  const ReportContent content = content_of(report);
  Json rows = Json::array();
  for (const PolicyRow& row : report.rows) rows.push_back(row_json(row));
  Json definitions = Json::array();
  for (const MetricDefinition& metric : content.definitions)
    definitions.push_back(
        {{"name", metric.name}, {"unit", metric.unit}, {"formula", metric.formula}, {"meaning", metric.meaning}});
  Json json{{"format", "kvantage-report"},
            {"version", 1},
            {"title", content.title},
            {"claim", content.claim},
            {"settings", report.settings},
            {"environment", report.environment},
            {"rows", rows},
            {"definitions", definitions}};
  if (!content.charts.empty()) json["charts"] = charts_json(content.charts);
  if (report.differences) json["differences"] = differences_json(*report.differences);
  return valid_json(json);
}

}  // namespace kvantage::inline formats
