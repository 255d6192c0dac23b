#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/cli/trace_counts.h"
#include "core/base/counted.h"
#include "core/base/json.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/trace/trace_summary.h"

namespace kvantage::cli {
namespace {

struct TraceInfoArguments {
  std::string file, capacities = "1000,5000,10000,30000,50000,unlimited";
  TraceOptions options;
  bool json = false;
};

Expected<std::vector<std::uint64_t>> read_capacities(const std::string& text) {
  std::vector<std::uint64_t> capacities;
  for (const std::string& word : split_list(text)) {
    std::uint64_t blocks = LruCache::unlimited;
    if (word != "unlimited") {
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), blocks);
      if (error != std::errc() || end != word.data() + word.size())
        return fail(ErrorCode::usage, "--capacity-blocks: '" + printable(word) +
                                          "' is not a number of blocks; write 1000,5000,unlimited");
    }
    capacities.push_back(blocks);
  }
  if (capacities.size() > 64) return fail(ErrorCode::usage, "--capacity-blocks: more than 64; give fewer at a time");
  return capacities;
}

OrderedJson trace_json(const TokenSummary& tokens) {
  return {{"total", tokens.total}, {"mean", tokens.mean}, {"least", tokens.min}, {"p50", tokens.p50},
          {"p90", tokens.p90},     {"p99", tokens.p99},   {"most", tokens.max}};
}

// Values missing in the trace are null.
OrderedJson trace_json(const TraceSummary& summary, const std::string& file) {
  const auto told = [](bool is_told, const auto& value) { return is_told ? OrderedJson(value) : OrderedJson(nullptr); };
  const TraceFacts& facts = summary.facts;
  OrderedJson lru = OrderedJson::array();
  for (const CapacityHits& one : summary.lru)
    lru.push_back({{"capacity_blocks", told(one.capacity_blocks != LruCache::unlimited, one.capacity_blocks)},
                   {"prefix_block_hit_rate", told(facts.names_blocks, one.prefix_blocks.hit_rate())},
                   {"context_hit_rate", told(facts.names_contexts, one.contexts.hit_rate())}});
  return {{"file", file},
          {"format", facts.format},
          {"rows_read", summary.counts.rows_read},
          {"emitted", summary.counts.emitted},
          {"dropped", summary.counts.dropped},
          {"span_seconds", summary.span_seconds},
          {"requests_per_second", summary.requests_per_second},
          {"tokens_are_estimated", facts.estimates_tokens},
          {"block_tokens", facts.block_tokens},
          {"input_tokens", trace_json(summary.input)},
          {"output_tokens", trace_json(summary.output)},
          {"blocks", told(facts.names_blocks, summary.blocks)},
          {"distinct_blocks", told(facts.names_blocks, summary.distinct_blocks)},
          {"block_reuse_share", told(facts.names_blocks, summary.block_reuse_share)},
          {"distinct_contexts", told(facts.names_contexts, summary.distinct_contexts)},
          {"context_reuse_share", told(facts.names_contexts, summary.context_reuse_share)},
          {"lru", lru}};
}

unsigned long long trace_number(std::uint64_t value) { return value; }

void print_tokens(const char* name, const TokenSummary& tokens) {
  std::printf("%-14s %10.1f %10.1f %10.1f %10.1f %10llu %14llu\n", name, tokens.mean, tokens.p50, tokens.p90,
              tokens.p99, trace_number(tokens.max), trace_number(tokens.total));
}

void print_lru(const TraceSummary& summary) {
  const auto shown = [](bool is_told, const HitCounts& counts) {
    return is_told ? format_fixed(counts.hit_rate(), 4) : std::string("-");
  };
  std::printf("%-14s %14s %14s\n", "LRU of blocks", "prefix blocks", "whole contexts");
  for (const CapacityHits& one : summary.lru) {
    const std::string capacity =
        one.capacity_blocks == LruCache::unlimited ? "unlimited" : std::to_string(one.capacity_blocks);
    std::printf("%-14s %14s %14s\n", capacity.c_str(), shown(summary.facts.names_blocks, one.prefix_blocks).c_str(),
                shown(summary.facts.names_contexts, one.contexts).c_str());
  }
}

int trace_summary_of(const TraceInfoArguments& arguments) {
  const auto capacities = read_capacities(arguments.capacities);
  if (!capacities) return report_error(capacities.error());
  const auto trace = open_trace(std::filesystem::path(arguments.file), arguments.options);
  if (!trace) return report_error(trace.error());
  auto summary = summarize_trace(**trace, *capacities);
  if (!summary) {
    Error error = std::move(summary).error();
    if (!error.message.starts_with(arguments.file)) error.message = arguments.file + ": " + error.message;
    return report_error(error);
  }
  if (arguments.json) {
    print_json(trace_json(*summary, valid_utf8(arguments.file)));
    return 0;
  }
  const TraceFacts& facts = summary->facts;
  std::printf("%s: %s\n", printable(arguments.file).c_str(), std::string(facts.format).c_str());
  print_trace_counts(summary->counts);
  if (facts.has_times)
    std::printf("%.3f s from the first to the last, %.4g requests per second\n", summary->span_seconds,
                summary->requests_per_second);
  else
    std::printf("the trace has no arrival times\n");
  std::printf("%-14s %10s %10s %10s %10s %10s %14s\n", "tokens", "mean", "p50", "p90", "p99", "most", "total");
  print_tokens("input", summary->input);
  print_tokens("output", summary->output);
  if (facts.estimates_tokens) std::printf("tokens are estimated, %g bytes each\n", arguments.options.bytes_per_token);
  if (facts.names_blocks)
    std::printf("%s of %llu tokens, %llu distinct: %.2f %% seen before\n", counted(summary->blocks, "block").c_str(),
                trace_number(facts.block_tokens), trace_number(summary->distinct_blocks),
                100 * summary->block_reuse_share);
  if (facts.names_contexts) {
    std::printf("%s: %.2f %% of the requests are about one seen before\n",
                counted(summary->distinct_contexts, "context").c_str(), 100 * summary->context_reuse_share);
  } else {
    std::printf("the trace does not say what requests share\n");
  }
  if ((facts.names_blocks || facts.names_contexts) && !summary->lru.empty()) print_lru(*summary);
  return 0;
}

}  // namespace

void add_trace_info(CLI::App& trace, CommandResult& result) {
  auto arguments = std::make_shared<TraceInfoArguments>();
  CLI::App& command =
      *trace.add_subcommand("info", "Show what a trace contains: rows, rate, lengths, reuse, LRU hit rates");
  std::string formats = "auto";
  for (const TraceFormatName& format : trace_formats()) formats += ", " + std::string(format.name);
  command.add_option("FILE", arguments->file, "A trace")->required();
  command.add_option("--format", arguments->options.format, "One of " + formats)->capture_default_str();
  command.add_option("--time-scale", arguments->options.time_scale, "Factor for arrival times: 0.5 doubles the rate")
      ->capture_default_str();
  command.add_option("--limit", arguments->options.limit, "Maximum number of requests; 0: all")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--map", arguments->options.map, trace_map_help);
  command
      .add_option("--capacity-blocks", arguments->capacities,
                  "Capacities of LRU caches, in blocks of the trace (512 tokens where it says nothing else)")
      ->capture_default_str();
  command
      .add_option("--bytes-per-token", arguments->options.bytes_per_token,
                  "Bytes per token of traces that hold texts or bytes")
      ->capture_default_str();
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] { result.exit_code = trace_summary_of(*arguments); });
}

}  // namespace kvantage::cli
