#include "core/report/run_metrics.h"

#include <algorithm>
#include <cmath>

#include "core/report/answer_basis.h"
#include "core/report/request_facts.h"

namespace kvantage::inline report {
namespace {

constexpr int figures_version = 2;  // 1: without what qualities rest on

void add_to(RunMetrics::Mean& mean, double value) {
  if (!std::isfinite(value)) return;
  mean.sum += value;
  ++mean.n;
}

Json json_of(const RunMetrics::Mean& mean) { return {{"sum", mean.sum}, {"n", mean.n}}; }

std::optional<RunMetrics::Mean> mean_from(const Json& json) {
  if (!json.is_object() || !json.value("sum", Json()).is_number() || !json.value("n", Json()).is_number_unsigned())
    return std::nullopt;
  return RunMetrics::Mean{json.at("sum").get<double>(), json.at("n").get<std::uint64_t>()};
}

}  // namespace

RunMetrics::RunMetrics(const Json& settings) : warmup_left_(warmup_requests(settings)) {}

void RunMetrics::add(const RequestRecord& record) {
  if (warmup_left_ > 0) {
    --warmup_left_;
    return;
  }
  if (record.cancelled) return;
  add_to(ttft_service_seconds_, record.timing.ttft_service_seconds);
  add_to(ttft_seconds_, record.timing.ttft_seconds);
  provenance_ = std::max(provenance_, record.provenance);
  if (!record.held_out) return;
  for (const auto& [metric, value] : record.quality) add_to(quality_[metric], value);
  if (record.quality.empty()) return;
  if (lacks_reference_answer(record))
    ++basis_.without_reference;
  else if (!record.gold.empty())
    ++basis_.with_reference;
}

std::string RunMetrics::quality_name(const std::string& metric) const { return report::quality_name(metric, basis_); }

Json RunMetrics::to_json(std::int64_t place) const {
  Json quality = Json::object();
  for (const auto& [metric, mean] : quality_) quality[metric] = json_of(mean);
  return {{"version", figures_version},
          {"place", place},
          {"warmup_left", warmup_left_},
          {"ttft_service_seconds", json_of(ttft_service_seconds_)},
          {"ttft_seconds", json_of(ttft_seconds_)},
          {"quality", quality},
          {"with_reference", basis_.with_reference},
          {"without_reference", basis_.without_reference},
          {"provenance", static_cast<int>(provenance_)}};
}

std::optional<std::pair<RunMetrics, std::int64_t>> RunMetrics::from_json(const Json& json) {
  if (!json.is_object() || json.value("version", Json()) != figures_version) return std::nullopt;
  const auto service = mean_from(json.value("ttft_service_seconds", Json())),
             ttft = mean_from(json.value("ttft_seconds", Json()));
  const Json place = json.value("place", Json()), warmup = json.value("warmup_left", Json()),
             quality = json.value("quality", Json()), provenance = json.value("provenance", Json()),
             with = json.value("with_reference", Json()), without = json.value("without_reference", Json());
  if (!service || !ttft || !place.is_number_integer() || !warmup.is_number_unsigned() || !quality.is_object() ||
      !with.is_number_unsigned() || !without.is_number_unsigned() || !provenance.is_number_integer() ||
      provenance < 0 || provenance > static_cast<int>(Provenance::imported))
    return std::nullopt;
  RunMetrics metrics;
  metrics.warmup_left_ = warmup.get<std::uint64_t>();
  metrics.basis_ = {with.get<std::size_t>(), without.get<std::size_t>()};
  metrics.ttft_service_seconds_ = *service;
  metrics.ttft_seconds_ = *ttft;
  metrics.provenance_ = static_cast<Provenance>(provenance.get<int>());
  for (const auto& [metric, value] : quality.items()) {
    const auto mean = mean_from(value);
    if (!mean) return std::nullopt;
    metrics.quality_[metric] = *mean;
  }
  return std::pair(std::move(metrics), place.get<std::int64_t>());
}

}  // namespace kvantage::inline report
