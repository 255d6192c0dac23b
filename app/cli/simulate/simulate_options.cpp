#include "app/cli/simulate/simulate_options.h"

#include "app/cli/base/json_output.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/trace_counts.h"
#include "core/eviction/simulated_cache.h"
#include "core/eviction/trace_caches.h"

namespace kvantage::cli {
namespace {

/// Caches of blocks, what is done beyond a fit, and the curve.
void add_block_options(CLI::App& command, SimulateArguments& arguments) {
  command.add_option("--capacity-blocks", arguments.capacities,
                     "Capacity of one cache in blocks (of the trace, or of --block-tokens), or unlimited");
  command
      .add_option("--block-tokens", arguments.block_tokens,
                  "Tokens of a block of the cache: a multiple or a part of the trace's; 0: the trace's")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 20))
      ->capture_default_str();
  command
      .add_option("--beyond-fit", arguments.beyond_fit,
                  "Requests of lengths that the times were not fitted to: mark, or refuse")
      ->check(one_of({"mark", "refuse"}))
      ->capture_default_str();
  CLI::Option* curve = command.add_flag("--mrc", arguments.curve,
                                        "Miss ratios of LRU caches of every size, by SHARDS, instead of policies");
  command.add_option("--mrc-keys", arguments.curve_keys, "Keys that --mrc samples at a time; 0: all, exact")
      ->needs(curve)
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 24))
      ->capture_default_str();
  command.add_option("--picture", arguments.picture, "Draw the curve of --mrc into this .svg, .pdf or .png")
      ->needs(curve);
}

}  // namespace

void add_simulate_options(CLI::App& command, SimulateArguments& arguments) {
  command.add_option("TRACE", arguments.trace, "A trace in any of the formats of trace info");
  command
      .add_option("--policy", arguments.policies,
                  cache_order_list() + ", " + trace_cache_list() +
                      "; or planning policies for whole contexts, e.g. evicpress, fixed(snapkv,0.5)")
      ->capture_default_str();
  add_block_options(command, arguments);
  command.add_option(
      "--tier", arguments.tiers,
      "NAME=BUDGET[,bandwidth=BYTES/s][,latency=TIME][,NAME=BUDGET..], fastest first; BUDGET is bytes, a "
      "percentage of the trace's uncompressed KV or unlimited; repeatable; needs --preset or --db");
  command.add_option("--preset", arguments.preset, "Published timings of a large model");
  command.add_flag("--list-presets", arguments.list, "Describe each preset and what it lacks, and exit");
  command.add_option("--profiles", arguments.profiles,
                     "Quality curves of others in place of the preset's: what profiles import reads or writes");
  command.add_option("--ttft-table", arguments.ttft_table,
                     "Times of others in place of the preset's: a table of tokens, seconds and, for loads, tier");
  command.add_option("--db", arguments.database,
                     "Fitted costs and quality curves of a recorded run instead of a preset");
  command.add_option("--run", arguments.run, "Which run of --db (default: the newest)");
  command.add_option("--dataset", arguments.dataset,
                     "Data set of the preset to take quality from (default: the first)");
  command
      .add_option("--quality-spread", arguments.quality_spread,
                  "Spread of the quality loss between contexts: standard deviation of its logarithmic factor")
      ->capture_default_str();
  command
      .add_option("--mode", arguments.mode,
                  "blocks: reuse the longest cached prefix; contexts: reuse whole contexts; auto: blocks where the "
                  "trace names them")
      ->check(one_of({"auto", "blocks", "contexts"}))
      ->capture_default_str();
  std::string formats = "auto";
  for (const TraceFormatName& format : trace_formats()) formats += ", " + std::string(format.name);
  command.add_option("--format", arguments.options.format, "One of " + formats)->capture_default_str();
  command.add_option("--time-scale", arguments.options.time_scale, "Factor for arrival times: 0.5 doubles the rate")
      ->capture_default_str();
  command
      .add_option("--rate", arguments.rate,
                  "Poisson arrivals at this many requests per second instead of the trace's; 0: the trace's")
      ->capture_default_str();
  command
      .add_option("--servers", arguments.servers, "Servers that share the cache, each serving one request at a time")
      ->check(CLI::Range(1U, 100'000U))
      ->capture_default_str();
  command
      .add_option("--output-token-seconds", arguments.output_token_seconds,
                  "Seconds a server is busy per output token after the first; 0: answers overlap other requests")
      ->capture_default_str();
  command.add_option("--alpha", arguments.alpha, "Seconds that one unit of quality is worth, for planning policies")
      ->capture_default_str();
  command.add_option("--limit", arguments.options.limit, "Maximum number of requests; 0: all")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--map", arguments.options.map, trace_map_help);
  command
      .add_option("--bytes-per-token", arguments.options.bytes_per_token,
                  "Bytes per token of traces that hold texts or bytes")
      ->capture_default_str();
  command.add_option("--seed", arguments.seed, "Seed of Poisson arrivals and of the quality spread")
      ->check(whole_number())
      ->capture_default_str();
  add_json_option(command, arguments.json);
  command.add_flag("--quiet", arguments.quiet, "Do not print the speed on stderr");
}

Status check_simulate_options(const SimulateArguments& arguments) {
  if (!(arguments.alpha >= 0 && arguments.alpha <= 1e9))
    return fail(ErrorCode::usage, "--alpha: is out of range; give seconds from 0 to 10^9");
  if (!(arguments.rate >= 0 && arguments.rate <= 1e9))
    return fail(ErrorCode::usage, "--rate: is out of range; give requests per second from 0 to 10^9");
  if (!(arguments.output_token_seconds >= 0 && arguments.output_token_seconds <= 1e6))
    return fail(ErrorCode::usage, "--output-token-seconds: is out of range; give seconds from 0 to 10^6");
  if (!(arguments.quality_spread >= 0 && arguments.quality_spread <= 3))
    return fail(ErrorCode::usage, "--quality-spread: is out of range; give a number from 0 to 3");
  return {};
}

}  // namespace kvantage::cli
