#include "core/report/table.h"

#include <algorithm>
#include <functional>
#include <set>

#include "core/base/units.h"
#include "core/policy/exact_search.h"
#include "core/ports/reason_text.h"
#include "core/report/answer_basis.h"
#include "core/report/report_differences.h"

namespace kvantage::inline report {
namespace {

const std::string absent = "-";

Cell name_cell(const std::string& text) { return {text, Provenance::measured, false, true}; }

Cell plain_cell(const std::string& text) { return {text, Provenance::measured, false, false}; }

Cell metric_cell(const std::string& text, Provenance provenance) {
  return {text + mark_of(provenance), provenance, true, false};
}

Cell milliseconds(double seconds, Provenance provenance) {
  return metric_cell(format_fixed(seconds * 1e3, 1), provenance);
}

std::string interval_text(const Interval& interval, double factor, int digits) {
  std::string text = "[";
  text += format_fixed(interval.low * factor, digits) + ", " + format_fixed(interval.high * factor, digits);
  return text += "]";
}

// A mean, or nothing without samples.
Cell milliseconds(const Distribution& of, double Distribution::*metric) {
  return of.n > 0 ? milliseconds(of.*metric, of.provenance) : plain_cell(absent);
}

Cell interval_cell(const std::optional<Interval>& interval, double factor, int digits, Provenance provenance) {
  return interval ? metric_cell(interval_text(*interval, factor, digits), provenance) : plain_cell(absent);
}

Cell count_cell(std::size_t count) { return {std::to_string(count), Provenance::measured, true, false}; }

Table one_row_per_policy(const RunReport& report, std::string title, std::string note, std::vector<std::string> columns,
                         const std::function<void(const PolicyRow&, std::vector<Cell>&)>& cells) {
  Table table{std::move(title), std::move(note), std::move(columns), {}};
  table.columns.insert(table.columns.begin(), "policy");
  for (const PolicyRow& row : report.rows) {
    std::vector<Cell>& line = table.rows.emplace_back();
    line.push_back(name_cell(row.policy));
    cells(row, line);
  }
  return table;
}

Table ttft_table(const RunReport& report) {
  return one_row_per_policy(report, "Time to first token, ms",
                            "service: from the start of serving; with queue: from arrival; bootstrap intervals over "
                            "contexts follow their metric",
                            {"requests", "service mean", "95 % interval", "p50", "p95", "95 % interval",
                             "with queue mean", "p95", "95 % interval"},
                            [](const PolicyRow& row, std::vector<Cell>& line) {
                              const Distribution& service = row.ttft_service_seconds;
                              const Distribution& queued = row.ttft_seconds;
                              line.push_back(count_cell(row.requests));
                              line.push_back(milliseconds(service, &Distribution::mean));
                              line.push_back(interval_cell(service.interval, 1e3, 1, service.provenance));
                              line.push_back(milliseconds(service, &Distribution::p50));
                              line.push_back(milliseconds(service, &Distribution::p95));
                              line.push_back(interval_cell(service.p95_interval, 1e3, 1, service.provenance));
                              line.push_back(milliseconds(queued, &Distribution::mean));
                              line.push_back(milliseconds(queued, &Distribution::p95));
                              line.push_back(interval_cell(queued.p95_interval, 1e3, 1, queued.provenance));
                            });
}

Table split_table(const RunReport& report) {
  return one_row_per_policy(
      report, "TTFT breakdown, mean ms", "the parts add up to the service mean",
      {"lookup", "load", "unpack", "context prefill", "question prefill", "other", "sum"},
      [](const PolicyRow& row, std::vector<Cell>& line) {
        const TtftSplit& split = row.split;
        for (const MetricValue* part :
             {&split.lookup, &split.load, &split.decode, &split.context_prefill, &split.question_prefill, &split.other})
          line.push_back(milliseconds(part->value, part->provenance));
        line.push_back(milliseconds(row.ttft_service_seconds, &Distribution::mean));
      });
}

// One table per metric, the one used in the utility first.
std::vector<Table> quality_tables(const RunReport& report) {
  std::vector<std::string> metrics;
  const auto note_metric = [&](const std::string& metric) {
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  };
  const std::string chosen = chosen_quality_metric(report);
  for (const PolicyRow& row : report.rows)
    if (row.quality.contains(chosen)) note_metric(chosen);
  for (const PolicyRow& row : report.rows)
    for (const auto& [metric, distribution] : row.quality) note_metric(metric);
  std::vector<Table> tables;
  tables.reserve(metrics.size());
  for (const std::string& metric : metrics)
    tables.push_back(one_row_per_policy(
        report, (quality_name(metric, report.basis) == metric ? "Quality: " : "Agreement with uncompressed: ") + metric,
        "mean over held-out requests; with uncompressed KV; answers to other questions of the "
        "family (chance); bootstrap intervals over contexts",
        {"mean", "95 % interval", "n", "contexts", "uncompressed", "95 % interval", "n", "chance", "95 % interval",
         "n"},
        [&](const PolicyRow& row, std::vector<Cell>& line) {
          const auto add = [&](const std::map<std::string, Distribution>& from, bool contexts) {
            const auto found = from.find(metric);
            if (found == from.end()) {
              line.insert(line.end(), contexts ? 4 : 3, plain_cell(absent));
              return;
            }
            const Distribution& quality = found->second;
            line.push_back(metric_cell(format_fixed(quality.mean, 3), quality.provenance));
            line.push_back(interval_cell(quality.interval, 1, 3, quality.provenance));
            line.push_back(count_cell(quality.n));
            if (contexts) line.push_back(count_cell(quality.contexts));
          };
          add(row.quality, true);
          add(row.quality_uncompressed, false);
          add(row.quality_chance, false);
        }));
  return tables;
}

// Names over all rows, in order of first appearance; "prefill" stays last.
std::vector<std::string> source_names(const RunReport& report) {
  std::vector<std::string> names;
  for (const PolicyRow& row : report.rows)
    for (const SourceShare& share : row.sources)
      if (share.source != "prefill" && std::ranges::find(names, share.source) == names.end())
        names.push_back(share.source);
  names.push_back("prefill");
  return names;
}

Table hit_table(const RunReport& report) {
  const std::vector<std::string> names = source_names(report);
  std::vector<std::string> columns;
  for (const std::string& name : names)
    columns.insert(columns.end(), {name + " requests", "95 % interval", name + " tokens", name + " bytes"});
  return one_row_per_policy(
      report, "Hit rates, % of all requests, context tokens and KV bytes",
      "prefill: computed, not loaded; bootstrap intervals of the share of requests over contexts", columns,
      [&](const PolicyRow& row, std::vector<Cell>& line) {
        for (const std::string& name : names) {
          const auto found = std::ranges::find(row.sources, name, &SourceShare::source);
          if (found == row.sources.end()) {
            line.insert(line.end(), 4, plain_cell(absent));
            continue;
          }
          line.push_back(metric_cell(format_fixed(found->request_rate * 100, 1), row.provenance));
          line.push_back(interval_cell(found->request_interval, 100, 1, row.provenance));
          line.push_back(metric_cell(format_fixed(found->token_rate * 100, 1), row.provenance));
          line.push_back(found->byte_rate ? metric_cell(format_fixed(*found->byte_rate * 100, 1), row.provenance)
                                          : plain_cell(absent));
        }
      });
}

Table bytes_table(const RunReport& report) {
  std::vector<std::string> names;
  for (const PolicyRow& row : report.rows)
    for (const TierUsage& tier : row.tiers)
      if (std::ranges::find(names, tier.name) == names.end()) names.push_back(tier.name);
  if (names.empty()) return {};
  std::vector<std::string> columns;
  for (const std::string& name : names)
    columns.insert(columns.end(), {name + " used", name + " peak", name + " budget"});
  return one_row_per_policy(
      report, "Bytes per tier", "at the end of the run, headers included", columns,
      [&](const PolicyRow& row, std::vector<Cell>& line) {
        for (const std::string& name : names) {
          const auto found = std::ranges::find(row.tiers, name, &TierUsage::name);
          if (found == row.tiers.end()) {
            line.insert(line.end(), 3, plain_cell(absent));
            continue;
          }
          line.push_back(metric_cell(format_bytes(found->used_bytes), row.provenance));
          line.push_back(found->peak_bytes == 0 ? plain_cell(absent)
                                                : metric_cell(format_bytes(found->peak_bytes), row.provenance));
          line.push_back(plain_cell(found->budget_bytes == 0 ? "unlimited" : format_bytes(found->budget_bytes)));
        }
      });
}

std::string counts_text(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [reason, count] : counts)
    text.append(text.empty() ? "" : ", ").append(reason_text(reason)).append(" ").append(std::to_string(count));
  return text.empty() ? "none" : text;
}

Table counts_table(const RunReport& report) {
  std::vector<std::string> names, columns;
  for (const PolicyRow& row : report.rows)
    for (const TierUsage& tier : row.tiers)
      if (tier.counts && std::ranges::find(names, tier.name) == names.end()) names.push_back(tier.name);
  if (names.empty()) return {};
  for (const std::string& name : names)
    columns.insert(columns.end(), {name + " reads", "failed reads", "failed writes", "fit off by % median", "p95"});
  return one_row_per_policy(report, "Reads of the tiers and their fits",
                            "warm-up included; requests whose context no tier holds read nothing; fits are compared "
                            "with the device time of the newest loads",
                            columns, [&](const PolicyRow& row, std::vector<Cell>& line) {
                              for (const std::string& name : names) {
                                const auto found = std::ranges::find(row.tiers, name, &TierUsage::name);
                                if (found == row.tiers.end() || !found->counts) {
                                  line.insert(line.end(), 5, plain_cell(absent));
                                  continue;
                                }
                                const TierCounts& counts = *found->counts;
                                const Provenance provenance = found->throttled ? Provenance::throttled : row.provenance;
                                const auto off = [&](double fraction) {
                                  return counts.fitted_loads > 0
                                             ? metric_cell(format_fixed(fraction * 100, 1), provenance)
                                             : plain_cell(absent);
                                };
                                line.push_back(count_cell(counts.reads));
                                line.push_back(name_cell(counts_text(failed_reads(counts.misses))));
                                line.push_back(name_cell(counts_text(counts.failed_writes)));
                                line.push_back(off(counts.fit_error_median));
                                line.push_back(off(counts.fit_error_p95));
                              }
                            });
}

Table injected_table(const RunReport& report) {
  std::vector<std::string> names;
  for (const PolicyRow& row : report.rows)
    for (const TierUsage& tier : row.tiers)
      if (tier.counts && !tier.counts->injected_faults.empty() && std::ranges::find(names, tier.name) == names.end())
        names.push_back(tier.name);
  if (names.empty()) return {};
  return one_row_per_policy(
      report, "Injected faults that occurred",
      "by kind, calls of the tier's device, warm-up included; detected ones count as failed reads and writes", names,
      [&](const PolicyRow& row, std::vector<Cell>& line) {
        for (const std::string& name : names) {
          const auto found = std::ranges::find(row.tiers, name, &TierUsage::name);
          const bool known = found != row.tiers.end() && found->counts;
          line.push_back(known ? name_cell(counts_text(found->counts->injected_faults)) : plain_cell(absent));
        }
      });
}

Table throughput_table(const RunReport& report) {
  return one_row_per_policy(
      report, "Throughput, inter-token latency and request time",
      "inter-token and whole-request times in ms; inter-token over all gaps between two tokens",
      {"requests/s", "output tokens/s", "inter-token mean", "p50", "p95", "p99", "request mean", "p95", "warm-up",
       "canceled", "missed requests", "lp gap"},
      [](const PolicyRow& row, std::vector<Cell>& line) {
        const auto rate = [&](const std::optional<MetricValue>& metric) {
          return metric ? metric_cell(format_fixed(metric->value, 2), metric->provenance) : plain_cell(absent);
        };
        line.push_back(rate(row.requests_per_second));
        line.push_back(rate(row.output_tokens_per_second));
        // Runs from before gaps were recorded have only each request's mean.
        const Distribution& gaps =
            row.decoding.token_gap_seconds.n > 0 ? row.decoding.token_gap_seconds : row.decoding.itl_seconds;
        for (const auto metric : {&Distribution::mean, &Distribution::p50, &Distribution::p95, &Distribution::p99})
          line.push_back(milliseconds(gaps, metric));
        line.push_back(milliseconds(row.e2e_seconds, &Distribution::mean));
        line.push_back(milliseconds(row.e2e_seconds, &Distribution::p95));
        line.push_back(count_cell(row.warmup_requests));
        line.push_back(count_cell(row.cancelled));
        line.push_back(name_cell(counts_text(row.misses)));
        line.push_back(row.lp_gap ? metric_cell(gap_text(*row.lp_gap), Provenance::predicted) : plain_cell(absent));
      });
}

Table eviction_table(const RunReport& report) {
  if (std::ranges::none_of(report.rows, [](const PolicyRow& row) { return row.decoding.evicted_answers > 0; }))
    return {};
  return one_row_per_policy(
      report, "Decode-time eviction",
      "answers: decoded with it; KV cache of a request: at its peak and at the last token; the rest are sums over "
      "these answers, entries over all layers and heads",
      {"answers", "peak KV mean", "p95", "last KV mean", "entries evicted", "choosing ms", "blocks freed",
       "compaction passes", "blocks freed by passes", "passes ms"},
      [](const PolicyRow& row, std::vector<Cell>& line) {
        if (row.decoding.evicted_answers == 0) {
          line.insert(line.end(), 10, plain_cell(absent));
          return;
        }
        const Distribution &peak = row.decoding.peak_kv_bytes, &last = row.decoding.held_kv_bytes;
        const auto bytes = [](const Distribution& of, double Distribution::*metric) {
          return of.n > 0 ? metric_cell(format_bytes(static_cast<std::uint64_t>(of.*metric)), of.provenance)
                          : plain_cell(absent);
        };
        const EvictionWork& work = row.decoding.eviction;
        line.push_back(count_cell(row.decoding.evicted_answers));
        line.push_back(bytes(peak, &Distribution::mean));
        line.push_back(bytes(peak, &Distribution::p95));
        line.push_back(bytes(last, &Distribution::mean));
        line.push_back(count_cell(work.evicted_entries));
        line.push_back(milliseconds(work.deciding_seconds, peak.provenance));
        line.push_back(count_cell(work.blocks_freed));
        line.push_back(count_cell(work.compactions.passes));
        line.push_back(count_cell(work.compactions.blocks_freed));
        line.push_back(milliseconds(work.compactions.seconds, peak.provenance));
      });
}

Table engine_table(const RunReport& report) {
  if (std::ranges::none_of(report.rows, [](const PolicyRow& row) { return row.engine.has_value(); })) return {};
  return one_row_per_policy(
      report, "The engine's thread",
      "warm-up included; profiling in % of the time it was busy: serving, placing, profiling",
      {"max running", "requeued", "busy s", "profiling %", "re-profiling %", "drifts", "re-profiled"},
      [](const PolicyRow& row, std::vector<Cell>& line) {
        if (!row.engine) {
          line.insert(line.end(), 7, plain_cell(absent));
          return;
        }
        const EngineCounts& engine = *row.engine;
        line.push_back(count_cell(static_cast<std::size_t>(engine.max_running)));
        line.push_back(count_cell(engine.requeued));
        line.push_back(metric_cell(format_fixed(engine.busy_seconds, 2), row.provenance));
        line.push_back(metric_cell(format_fixed(engine.profiling_fraction * 100, 2), row.provenance));
        line.push_back(metric_cell(format_fixed(engine.reprofiling_fraction * 100, 2), row.provenance));
        line.push_back(count_cell(engine.drifts));
        line.push_back(count_cell(engine.reprofiles));
      });
}

Table faults_table(const RunReport& report) {
  std::set<std::string> tiers;
  for (const PolicyRow& row : report.rows)
    for (const auto& [tier, faults] : row.faults) tiers.insert(tier);
  if (tiers.empty()) return {};
  return one_row_per_policy(
      report, "Faults injected",
      "probability per call of the tier's device; hits and times are those of a tier with these faults",
      {tiers.begin(), tiers.end()}, [&](const PolicyRow& row, std::vector<Cell>& line) {
        for (const std::string& tier : tiers) {
          const auto found = row.faults.find(tier);
          line.push_back(name_cell(found == row.faults.end() ? "none" : found->second));
        }
      });
}

}  // namespace

const char* mark_of(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return "";
    case Provenance::throttled:
      return "^";
    case Provenance::simulated:
      return "~";
    case Provenance::predicted:
      return "?";
    case Provenance::imported:
      return "@";
  }
  return "";
}

// Nothing in a run is imported: marks_of() names that mark where it is.
std::string mark_legend() {
  return "no mark: measured; ^: throttled (tier limited in bandwidth and latency); ~: simulated; ?: predicted";
}

std::string ttft_part_text(std::string part) {
  if (part == "decode") return "unpack";
  std::ranges::replace(part, '_', ' ');
  return part;
}

std::vector<Table> tables_of(const RunReport& report) {
  std::vector<Table> tables;
  const auto take = [&](Table table) {
    if (!table.columns.empty() && !table.rows.empty()) tables.push_back(std::move(table));
  };
  take(faults_table(report));
  take(ttft_table(report));
  take(split_table(report));
  for (Table& table : quality_tables(report)) take(std::move(table));
  take(hit_table(report));
  take(bytes_table(report));
  take(counts_table(report));
  take(injected_table(report));
  take(throughput_table(report));
  take(eviction_table(report));
  take(engine_table(report));
  for (Table& table : differences_tables(report)) take(std::move(table));
  return tables;
}

}  // namespace kvantage::inline report
