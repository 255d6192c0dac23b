// One figure a line, in the long form that data frames and spreadsheets group and pivot.
#include <charconv>

#include "core/base/json_fields.h"
#include "core/report/markup.h"
#include "core/report/report.h"

namespace kvantage {
namespace {

// Shortest form that reads back to the same bits, with a point whatever the locale says.
std::string number(double value) {
  char text[32];
  const auto [end, code] = std::to_chars(text, text + sizeof text, value);
  return code == std::errc() ? std::string(text, end) : std::string();
}

// RFC 4180, and nothing that a spreadsheet would take for a formula.
std::string cell(std::string_view text) {
  std::string value = valid_utf8(text);
  if (!value.empty() && std::string_view("=+-@\t\r").find(value.front()) != std::string_view::npos) value.insert(0, 1, '\'');
  if (value.find_first_of(",\"\r\n") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char letter : value) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

class Lines {
 public:
  explicit Lines(const PolicyRow& row) : policy_(cell(row.policy)) {}

  void figure(std::string_view name, std::string_view part, double value, std::string_view unit, Provenance provenance) {
    text_ += joined({policy_, ",", name, ",", cell(part), ",", number(value), ",", unit, ",", to_string(provenance), ",,,,,,,\n"});
  }
  void count(std::string_view name, std::string_view part, std::uint64_t value, std::string_view unit, Provenance provenance) {
    text_ += joined({policy_, ",", name, ",", cell(part), ",", std::to_string(value), ",", unit, ",", to_string(provenance), ",,,,,,,\n"});
  }
  void distribution(std::string_view name, std::string_view part, const Distribution& d, std::string_view unit) {
    text_ += joined({policy_, ",", name, ",", cell(part), ",", number(d.mean), ",", unit, ",", to_string(d.provenance), ",",
                     std::to_string(d.n), ",", std::to_string(d.contexts), ",", d.interval ? number(d.interval->low) : "", ",",
                     d.interval ? number(d.interval->high) : "", ",", number(d.p50), ",", number(d.p95), ",", number(d.p99), "\n"});
  }
  std::string take() { return std::move(text_); }

 private:
  std::string policy_, text_;
};

std::string lines_of(const PolicyRow& row) {
  Lines lines(row);
  lines.count("requests", "", row.requests, "1", Provenance::measured);
  lines.count("cancelled", "", row.cancelled, "1", Provenance::measured);
  lines.count("warmup_requests", "", row.warmup_requests, "1", Provenance::measured);
  lines.figure("alpha", "", row.alpha, "s", Provenance::measured);
  lines.distribution("ttft_service_seconds", "", row.ttft_service_seconds, "s");
  lines.distribution("ttft_seconds", "", row.ttft_seconds, "s");
  lines.distribution("queue_seconds", "", row.queue_seconds, "s");
  lines.distribution("itl_seconds", "", row.itl_seconds, "s");
  lines.distribution("token_gap_seconds", "", row.token_gap_seconds, "s");
  lines.distribution("e2e_seconds", "", row.e2e_seconds, "s");
  const TtftSplit& split = row.split;
  for (const auto& [name, part] :
       {std::pair{"lookup", split.lookup}, {"load", split.load}, {"decode", split.decode},
        {"context_prefill", split.context_prefill}, {"question_prefill", split.question_prefill}, {"other", split.other}})
    lines.figure("ttft_split", name, part.value, "s", part.provenance);
  for (const auto& [metric, quality] : row.quality) lines.distribution("quality", metric, quality, "1");
  for (const auto& [metric, quality] : row.quality_uncompressed) lines.distribution("quality_uncompressed", metric, quality, "1");
  for (const auto& [metric, quality] : row.quality_chance) lines.distribution("quality_chance", metric, quality, "1");
  for (const SourceShare& share : row.sources) {
    lines.figure("hit_rate_requests", share.source, share.request_rate, "1", row.provenance);
    lines.figure("hit_rate_tokens", share.source, share.token_rate, "1", row.provenance);
    if (share.byte_rate) lines.figure("hit_rate_bytes", share.source, *share.byte_rate, "1", row.provenance);
  }
  for (const auto& [reason, misses] : row.misses) lines.count("misses", reason, misses, "1", Provenance::measured);
  for (const TierUsage& tier : row.tiers) {
    lines.count("tier_used_bytes", tier.name, tier.used_bytes, "B", row.provenance);
    if (tier.peak_bytes > 0) lines.count("tier_peak_bytes", tier.name, tier.peak_bytes, "B", row.provenance);
    if (tier.budget_bytes > 0) lines.count("tier_budget_bytes", tier.name, tier.budget_bytes, "B", row.provenance);
    if (!tier.counts) continue;
    lines.count("tier_reads", tier.name, tier.counts->reads, "1", Provenance::measured);
    lines.count("tier_writes", tier.name, tier.counts->writes, "1", Provenance::measured);
    if (tier.counts->fitted_loads == 0) continue;
    lines.figure("fit_error_median", tier.name, tier.counts->fit_error_median, "1", Provenance::measured);
    lines.figure("fit_error_p95", tier.name, tier.counts->fit_error_p95, "1", Provenance::measured);
  }
  if (row.engine) {
    lines.figure("busy_seconds", "", row.engine->busy_seconds, "s", row.provenance);
    lines.figure("profiling_busy_fraction", "", row.engine->profiling_fraction, "1", row.provenance);
    lines.figure("reprofiling_busy_fraction", "", row.engine->reprofiling_fraction, "1", row.provenance);
    lines.count("drifts", "", row.engine->drifts, "1", Provenance::measured);
    lines.count("reprofiles", "", row.engine->reprofiles, "1", Provenance::measured);
    lines.count("requeued", "", row.engine->requeued, "1", Provenance::measured);
  }
  if (row.requests_per_second)
    lines.figure("requests_per_second", "", row.requests_per_second->value, "1/s", row.requests_per_second->provenance);
  if (row.output_tokens_per_second)
    lines.figure("output_tokens_per_second", "", row.output_tokens_per_second->value, "1/s", row.output_tokens_per_second->provenance);
  return lines.take();
}

}  // namespace

std::string to_csv(const RunReport& report) {
  std::string text = "policy,figure,part,value,unit,provenance,n,contexts,low_95,high_95,p50,p95,p99\n";
  for (const PolicyRow& row : report.rows) text += lines_of(row);
  return text;
}

}  // namespace kvantage
