#include "app/cli/simulate/simulate_output.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "app/cli/base/help_text.h"
#include "app/cli/report_output.h"
#include "app/cli/trace_counts.h"
#include "core/base/counted.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/policy/exact_search.h"
#include "core/ports/request_record.h"

namespace kvantage::cli {
namespace {

double share_text(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
unsigned long long number(std::uint64_t value) { return value; }
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

OrderedJson simulation_json(const SimulatedTimes& times) {
  return {{"mean", times.mean}, {"p50", times.p50}, {"p95", times.p95}, {"p99", times.p99}};
}

OrderedJson simulation_json(const SimulatedRow& row, const SimulatedTable& table) {
  const SimulatorTotals& t = row.totals;
  OrderedJson tiers = OrderedJson::array();
  for (std::size_t i = 0; i < t.tiers.size(); ++i)
    tiers.push_back({{"tier", table.tiers[i]},
                     {"hit_requests", t.tiers[i].hit_requests},
                     {"hit_tokens", t.tiers[i].hit_tokens},
                     {"read_bytes", t.tiers[i].read_bytes},
                     {"written_bytes", row.planned ? OrderedJson(nullptr) : OrderedJson(t.tiers[i].written_bytes)},
                     {table.in_bytes ? "held_bytes" : "held_blocks", t.tiers[i].held}});
  OrderedJson json{{"policy", row.policy},
                   {"rows_read", row.counts.rows_read},
                   {"emitted", row.counts.emitted},
                   {"dropped", row.counts.dropped},
                   {"requests", t.requests},
                   {"distinct", t.distinct},
                   {"request_hit_rate", share_text(t.hit_requests, t.requests)},
                   {"token_hit_rate", share_text(t.hit_tokens, t.tokens)},
                   {"block_hit_rate", share_text(t.hit_blocks, t.blocks)},
                   {"tiers", tiers}};
  if (row.has_quality) json["mean_quality"] = t.mean_quality;
  if (row.planned) {
    if (!row.has_quality) json["mean_quality"] = nullptr;
    json["actions"] = t.actions;
    json["planned_every_requests"] = row.planned_every;
    json["lp_gap"] = row.lp_gap ? OrderedJson(*row.lp_gap) : OrderedJson(nullptr);
  }
  if (!row.notes.empty()) json["notes"] = row.notes;
  if (table.timed) {
    json["ttft_seconds"] = simulation_json(t.ttft);
    json["service_seconds"] = simulation_json(t.service);
    json["queue_seconds"] = simulation_json(t.queue);
    json["span_seconds"] = t.span_seconds;
    json["busy_share"] = t.busy_share;
    json["unstable"] = row.unstable;
  }
  return json;
}

/// Right-aligned in 12 characters; printf() counts bytes, and µ has two.
std::string aligned_seconds(double seconds) {
  const std::string text = format_seconds(seconds);
  const auto characters =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return std::string(characters < 12 ? static_cast<std::size_t>(12 - characters) : 0, ' ') + text;
}

void print_times(const char* name, const SimulatedTimes& times) {
  std::printf("  %-10s mean %s  p50 %s  p95 %s  p99 %s\n", name, aligned_seconds(times.mean).c_str(),
              aligned_seconds(times.p50).c_str(), aligned_seconds(times.p95).c_str(),
              aligned_seconds(times.p99).c_str());
}

std::string bytes_text(double bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }

}  // namespace

void print(const SimulatedTable& table) {
  std::printf("%s: %s, %s%s\n", printable(table.file).c_str(), table.format.c_str(), table.mode.c_str(),
              table.preset.empty() ? "" : (", simulated with " + table.preset).c_str());
  for (std::size_t i = 0; i < table.tiers.size(); ++i)
    std::printf("%s %s%s", i == 0 ? "tiers:" : ",", table.tiers[i].c_str(),
                (" " + (table.capacities[i] == unlimited ? std::string("unlimited")
                        : table.in_bytes                 ? format_bytes(table.capacities[i])
                                                         : counted(table.capacities[i], "block")))
                    .c_str());
  std::printf("; %s\n", counted(table.servers, "server").c_str());
  if (table.estimated_tokens) std::printf("tokens are estimated from bytes\n");
  if (!table.rows.empty()) print_trace_counts(table.rows.front().counts);
  std::printf("%-28s %10s %10s %10s %10s%s\n", "hit rates", "requests", "tokens", "blocks", "distinct",
              table.planned_quality ? "    quality" : "");
  for (const SimulatedRow& row : table.rows) {
    const SimulatorTotals& t = row.totals;
    std::printf("%-28s %10s %10s %10s %10llu%s\n", row.policy.c_str(),
                format_fixed(share_text(t.hit_requests, t.requests), 4).c_str(),
                format_fixed(share_text(t.hit_tokens, t.tokens), 4).c_str(),
                format_fixed(share_text(t.hit_blocks, t.blocks), 4).c_str(), number(t.distinct),
                !table.planned_quality ? ""
                : row.has_quality      ? ("     " + format_fixed(t.mean_quality, 4)).c_str()
                                       : "          -");
  }
  for (const SimulatedRow& row : table.rows) {
    std::printf("%s\n", row.policy.c_str());
    for (const std::string& note : row.notes) std::printf("  %s\n", note.c_str());
    if (row.lp_gap)
      std::printf("  lp gap     %s at the end: share of the maximum gain that is not achieved (predicted)\n",
                  gap_text(*row.lp_gap).c_str());
    if (row.planned && !row.has_quality) std::printf("  no quality: the preset has no data on compressed caches\n");
    for (std::size_t i = 0; table.timed && i < row.totals.tiers.size(); ++i) {
      const SimulatorTier& tier = row.totals.tiers[i];
      std::printf("  %-10s hits of %s, %s; read %s%s\n", table.tiers[i].c_str(),
                  counted(tier.hit_requests, "request").c_str(), counted(tier.hit_tokens, "token").c_str(),
                  bytes_text(tier.read_bytes).c_str(),
                  row.planned ? "" : (", written " + bytes_text(tier.written_bytes)).c_str());
    }
    if (!table.timed) {
      std::printf("  no times (they need a preset with timings): %llu of %llu requests hit\n",
                  number(row.totals.hit_requests), number(row.totals.requests));
      continue;
    }
    print_times("TTFT", row.totals.ttft);
    print_times("service", row.totals.service);
    print_times("queue", row.totals.queue);
    std::printf("  busy %.1f %% of %s\n", 100 * row.totals.busy_share, format_seconds(row.totals.span_seconds).c_str());
  }
  for (const std::string& note : table.notes) std::printf("%s\n", note.c_str());
  if (!table.source.empty()) std::printf("all metrics are simulated; source: %s\n", table.source.c_str());
}

OrderedJson json_of(const SimulatedTable& table) {
  OrderedJson rows = OrderedJson::array(), tiers = OrderedJson::array(), imported = OrderedJson::array();
  for (const ImportedSource& source : table.imported)
    imported.push_back({{"provenance", to_string(Provenance::imported)},
                        {"file", source.file},
                        {"digest", source.digest},
                        {"date", source.date},
                        {"kind", source.kind},
                        {"scale", source.scale}});
  for (const SimulatedRow& row : table.rows) rows.push_back(simulation_json(row, table));
  for (std::size_t i = 0; i < table.tiers.size(); ++i)
    tiers.push_back({{"tier", table.tiers[i]},
                     {table.in_bytes ? "budget_bytes" : "budget_blocks",
                      table.capacities[i] == unlimited ? OrderedJson(nullptr) : OrderedJson(table.capacities[i])}});
  OrderedJson json{{"file", table.file},
                   {"format", table.format},
                   {"mode", table.mode},
                   {"preset", table.preset.empty() ? OrderedJson(nullptr) : OrderedJson(table.preset)},
                   {"provenance", to_string(Provenance::simulated)},
                   {"source", table.source},
                   {"imported", imported},
                   {"tokens_are_estimated", table.estimated_tokens},
                   {"servers", table.servers},
                   {"tiers", tiers},
                   {"policies", rows}};
  if (!table.notes.empty()) json["notes"] = table.notes;
  return json;
}

namespace {

/// What a preset has not published, and which option brings it.
std::vector<std::pair<std::string, std::string>> missing_of(const SimulatorPreset& preset) {
  std::vector<std::pair<std::string, std::string>> missing;
  if (!preset.prefill) missing.emplace_back("time of computing", "--ttft-table");
  if (preset.tiers.empty()) missing.emplace_back("times of tiers", "--ttft-table, or bandwidth= of --tier");
  if (preset.quality.empty()) missing.emplace_back("quality under compression", "--profiles");
  return missing;
}

}  // namespace

void print_presets(const std::vector<SimulatorPreset>& presets) {
  std::vector<std::vector<std::string>> rows;
  for (const SimulatorPreset& preset : presets) {
    std::string tiers;
    for (const PresetTier& tier : preset.tiers) tiers += (tiers.empty() ? "" : ", ") + tier.name;
    rows.push_back(
        {preset.name, preset.model, format_fixed(preset.bytes_per_token, 0), tiers.empty() ? "none" : tiers});
  }
  std::printf("%s\n",
              list_text({{"preset (simulated)"}, {"model"}, {"bytes/token", true}, {"timed tiers"}}, rows).c_str());
  for (const SimulatorPreset& preset : presets) {
    std::string quality;
    for (const PresetQuality& one : preset.quality) quality += (quality.empty() ? "" : ", ") + one.dataset;
    std::string text = preset.source + "; quality data of: " + (quality.empty() ? "none" : quality);
    for (const auto& [what, remedy] : missing_of(preset)) text += "; missing: " + what + " (" + remedy + ")";
    std::printf("%s: %s\n", preset.name.c_str(), wrapped(text, "    ", output_columns, preset.name.size() + 2).c_str());
  }
}

OrderedJson json_of(const std::vector<SimulatorPreset>& presets) {
  OrderedJson list = OrderedJson::array();
  for (const SimulatorPreset& preset : presets) {
    OrderedJson tiers = OrderedJson::array(), quality = OrderedJson::array();
    for (const PresetTier& tier : preset.tiers)
      tiers.push_back({{"name", tier.name},
                       {"base_seconds", tier.line.base_seconds},
                       {"seconds_per_token", tier.line.seconds_per_token}});
    for (const PresetQuality& one : preset.quality) quality.push_back(one.dataset);
    OrderedJson missing = OrderedJson::array();
    for (const auto& [what, remedy] : missing_of(preset)) missing.push_back({{"what", what}, {"remedy", remedy}});
    list.push_back({{"name", preset.name},
                    {"model", preset.model},
                    {"provenance", to_string(Provenance::simulated)},
                    {"source", preset.source},
                    {"bytes_per_token", preset.bytes_per_token},
                    {"has_times", preset.prefill.has_value()},
                    {"tiers", tiers},
                    {"quality", quality},
                    {"missing", missing}});
  }
  return {{"presets", list}};
}

}  // namespace kvantage::cli
