// kvantage-cli simulate: runs a trace through caches of given sizes on a virtual clock, under one or several policies.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/cli/simulate_output.h"
#include "app/cli/simulate_tiers.h"
#include "app/wiring/resources.h"
#include "core/base/did_you_mean.h"
#include "core/base/json_fields.h"
#include "core/base/random.h"
#include "core/engine/settings_check.h"
#include "core/policy/policies.h"
#include "core/policy/policy_info.h"
#include "core/policy/utility.h"
#include "core/ports/recorded_snapshot.h"
#include "core/report/recorded_run.h"
#include "core/report/report_bounds.h"
#include "core/simulator/fitted_preset.h"
#include "core/simulator/planned_simulation.h"
#include "core/trace/lru_cache.h"

namespace kvantage::cli {
namespace {

struct SimulateArguments {
  std::string trace, policies = "lru", capacities, mode = "auto", preset, dataset, run;
  std::filesystem::path database;
  std::vector<std::string> tiers;
  TraceOptions options;
  double rate = 0, alpha = 1, quality_spread = 0, output_token_seconds = 0;
  std::uint64_t seed = 1;
  unsigned servers = 1;
  bool json = false, quiet = false, list = false;
};

Expected<std::vector<SimulatorPreset>> all_presets() {
  return read_presets(home_directory() / "resources" / "presets");
}

/// The final fits and quality curves of a recorded run.
Expected<SimulatorPreset> preset_of_run(const SimulateArguments& arguments) {
  KV_ASSIGN(const auto stores, open_stores(arguments.database, StoreAccess::read_only, machine_clock()));
  KV_ASSIGN(const auto all, stores->runs().runs());
  const auto selected = select_runs(all, arguments.run);
  if (!selected) return fail(selected.error().code, arguments.database.string() + ": " + selected.error().message);
  const std::string id = selected->back().run_id;
  KV_ASSIGN(auto events, stores->runs().events(id, {"snapshot.taken", "costs.fitted"}));
  const std::vector<RecordedRun> recorded{{selected->back(), std::move(events)}};
  if (const Status bounded = check_report_bounds(recorded); !bounded)
    return fail(bounded.error().code, arguments.database.string() + ": " + bounded.error().message);
  std::optional<Snapshot> snapshot;
  for (const Event& event : recorded.front().events) {
    if (const auto* taken = std::get_if<events::SnapshotTaken>(&event.payload)) snapshot = snapshot_of(*taken);
    if (const auto* costs = std::get_if<events::CostsFitted>(&event.payload); costs != nullptr && snapshot)
      use_costs(*snapshot, *costs);
  }
  if (!snapshot)
    return fail(ErrorCode::rejected_input,
                arguments.database.string() + ": run " + id + " has no fitted costs; give a newer run with --run");
  return preset_of(*snapshot, id);
}

Expected<std::optional<SimulatorPreset>> chosen_preset(const SimulateArguments& arguments) {
  if (!arguments.database.empty()) {
    if (!arguments.preset.empty())
      return fail(ErrorCode::usage, "--preset and --db exclude each other; give one of them");
    KV_ASSIGN(auto preset, preset_of_run(arguments));
    return std::optional(std::move(preset));
  }
  if (arguments.preset.empty()) return std::optional<SimulatorPreset>();
  KV_ASSIGN(const auto presets, all_presets());
  KV_ASSIGN(auto preset, find_preset(presets, arguments.preset));
  return std::optional(std::move(preset));
}

Expected<std::uint64_t> capacity_of(const std::string& text) {
  std::uint64_t blocks = LruCache::unlimited;
  if (text == "unlimited") return blocks;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), blocks);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return fail(ErrorCode::usage,
                "--capacity-blocks: '" + printable(text) + "' is not a number of blocks; give a number, or unlimited");
  return blocks;
}

struct Simulation {
  SimulatorSetup compact;
  PlannedSetup planned;
  SimulatedTable table;
  std::vector<std::string> policies;
};

bool is_order(const std::string& policy) {
  const auto& orders = cache_orders();
  return std::ranges::find(orders, policy) != orders.end();
}

/// The base of percentage budgets: every context of the trace, uncompressed and at its maximum length.
Expected<std::uint64_t> full_kv_bytes(const SimulateArguments& arguments, const SimulatorPreset& preset) {
  KV_ASSIGN(auto trace, open_trace(std::filesystem::path(arguments.trace), arguments.options));
  KV_ASSIGN(const auto tokens, tokens_of_contexts(*trace));
  return static_cast<std::uint64_t>(tokens * preset.bytes_per_token);
}

/// Policies and orders share a namespace here: the nearest of both is meant.
Status check_policy_name(const std::string& policy) {
  KV_ASSIGN(const auto form, FormText::read(policy, "policy"));
  std::vector<std::string_view> names(cache_orders().begin(), cache_orders().end());
  for (const PolicyInfo& info : policy_infos()) names.emplace_back(info.name);
  if (form.name() == "lp_bound" || std::ranges::find(names, form.name()) != names.end()) return {};
  return fail(ErrorCode::usage, "unknown policy '" + printable(policy) + "'; " + did_you_mean(form.name(), names));
}

Expected<Simulation> prepare(const SimulateArguments& arguments) {
  Simulation made;
  KV_ASSIGN(auto preset, chosen_preset(arguments));
  if (arguments.capacities.empty() == arguments.tiers.empty())
    return fail(
        ErrorCode::usage,
        "give --capacity-blocks N or --tier NAME=BUDGET, and not both; --list-presets shows the presets with tiers");
  made.policies = split_list(arguments.policies);
  if (made.policies.empty()) return fail(ErrorCode::usage, "--policy: names no policy; try --policy lru");
  for (const std::string& policy : made.policies) KV_TRY(check_policy_name(policy));
  if (!arguments.dataset.empty()) {  // checked even if no policy uses its quality
    if (!preset)
      return fail(ErrorCode::usage,
                  "--dataset: quality curves need a preset or a recorded run; add --preset or --db, or leave it out");
    if (const auto known = preset->quality_of(arguments.dataset); !known)
      return fail(known.error().code, "--dataset: " + known.error().message);
  }
  SimulatorSetup& compact = made.compact;
  SimulatedTable& table = made.table;
  if (preset) {
    made.planned.preset = *preset;
    compact.costs.bytes_per_token = preset->bytes_per_token;
    table.preset = preset->name;
    table.source = preset->source;
  }
  if (!arguments.tiers.empty()) {
    if (!preset) return fail(ErrorCode::usage, "--tier: bytes per token are unknown without a model; give a --preset");
    KV_ASSIGN(auto tiers, simulated_tiers(arguments.tiers, *preset, [&] { return full_kv_bytes(arguments, *preset); }));
    made.planned.tiers = std::move(tiers);
    for (const PlannedTier& tier : made.planned.tiers) {
      table.tiers.push_back(tier.name);
      table.capacities.push_back(tier.budget_bytes);
      compact.costs.tiers.push_back(tier.line);
    }
    table.in_bytes = true;
  } else {
    KV_ASSIGN(const auto blocks, capacity_of(arguments.capacities));
    table.tiers = {"cache"};
    table.capacities = {blocks};
    if (preset && !preset->tiers.empty()) compact.costs.tiers = {preset->tiers.front().line};
  }
  compact.costs.timed = preset && preset->prefill && compact.costs.tiers.size() == table.tiers.size();
  if (compact.costs.timed) {
    compact.costs.prefill = *preset->prefill;
    compact.costs.question = preset->question;
  }
  compact.servers = table.servers = made.planned.servers = arguments.servers;
  compact.costs.seconds_per_output_token = made.planned.seconds_per_output_token = arguments.output_token_seconds;
  made.planned.alpha = arguments.alpha;
  made.planned.dataset = arguments.dataset;
  made.planned.quality_spread = arguments.quality_spread;
  made.planned.seed = arguments.seed;
  table.timed = compact.costs.timed;
  table.file = valid_utf8(arguments.trace);
  return made;
}

Status choose_mode(const SimulateArguments& arguments, const TraceFacts& facts, Simulation& made) {
  bool plans = false;
  for (const std::string& policy : made.policies) plans = plans || !is_order(policy);
  const bool blocks = arguments.mode == "blocks" || (arguments.mode == "auto" && facts.names_blocks && !plans);
  if (blocks && !facts.names_blocks)
    return fail(ErrorCode::usage,
                "--mode blocks: a trace in " + std::string(facts.format) + " has no prefix blocks; choose contexts");
  if (blocks && plans)
    return fail(
        ErrorCode::usage,
        "--mode blocks: planning policies store whole contexts; choose contexts, or an order: " + cache_order_list());
  made.table.mode = blocks ? "prefix blocks" : "whole contexts";
  made.table.format = facts.format;
  made.table.estimated_tokens = facts.estimates_tokens;
  made.compact.mode = blocks ? ReuseMode::blocks : ReuseMode::contexts;
  made.compact.weigh_bytes = made.table.in_bytes && !blocks;
  made.compact.capacities = made.table.capacities;
  if (made.table.in_bytes && blocks)
    for (std::uint64_t& capacity : made.compact.capacities)
      if (capacity != LruCache::unlimited)
        capacity =
            static_cast<std::uint64_t>(static_cast<double>(capacity) /
                                       (made.compact.costs.bytes_per_token * static_cast<double>(trace_block_tokens)));
  if (plans && (!made.table.in_bytes || !made.table.timed))
    return fail(ErrorCode::usage,
                "planning policies need budgets in bytes and tier timings; give --preset and --tier NAME=BUDGET");
  return {};
}

/// Requests of the trace, with Poisson arrivals instead of its own if a rate is given.
template <class Take>
Expected<TraceCounts> replay_trace(const SimulateArguments& arguments, Take take) {
  KV_ASSIGN(auto trace, open_trace(std::filesystem::path(arguments.trace), arguments.options));
  Random gaps(derive_seed(arguments.seed, 1));
  double arrival = 0;
  for (;;) {
    KV_ASSIGN(auto request, trace->next());
    if (!request) return trace->counts();
    if (arguments.rate > 0) request->arrival_seconds = arrival += gaps.exponential(1 / arguments.rate);
    KV_TRY(take(*request));
  }
}

/// An eviction order over arrays: of uncompressed contexts or blocks, or of contexts in one form.
Expected<SimulatedRow> run_order(const SimulateArguments& arguments, const SimulatorSetup& setup, SimulatedRow row) {
  KV_ASSIGN(auto simulator, TraceSimulator::make(setup));
  KV_ASSIGN(auto counts, replay_trace(arguments, [&](const TraceRequest& request) -> Status {
              if (const Status room = simulator->check_room(request); !room)
                return fail(room.error().code, arguments.trace + ": " + room.error().message);
              simulator->request(request);
              return {};
            }));
  row.counts = std::move(counts);
  row.totals = simulator->totals();
  return row;
}

/// Every context in one form, as `fixed(...)` stores it.
Expected<SimulatedRow> run_fixed(const SimulateArguments& arguments, const Simulation& made, const FixedText& fixed,
                                 SimulatedRow row) {
  const PlannedSetup& planned = made.planned;
  const auto form = stored_form(planned.preset, planned.dataset, fixed.method, fixed.removed_fraction);
  if (!form) return fail(form.error().code, "policy '" + row.policy + "': " + form.error().message);
  if (form->between)
    row.notes.emplace_back("its quality and bytes are interpolated linearly between measured fractions");
  SimulatorSetup setup = made.compact;
  setup.order = fixed.eviction;
  const auto& forms = planned.preset.candidates;
  const auto own = std::ranges::find_if(forms, [&](const PresetCandidate& one) {
    return one.method == fixed.method && same_fraction(one.removed_fraction, fixed.removed_fraction);
  });
  setup.costs =
      costs_of(planned.preset, planned.tiers,
               own != forms.end() ? *own : PresetCandidate{fixed.method, fixed.removed_fraction, form->kept_bytes, {}});
  setup.costs.seconds_per_output_token = planned.seconds_per_output_token;
  setup.quality = form->quality;
  setup.uncompressed_quality = form->uncompressed_quality;
  setup.quality_spread = planned.quality_spread;
  setup.seed = planned.seed;
  row.has_quality = !planned.preset.quality.empty();
  return run_order(arguments, setup, std::move(row));
}

Expected<SimulatedRow> run_policy(const SimulateArguments& arguments, const Simulation& made,
                                  const std::string& policy) {
  SimulatedRow row{.policy = policy};
  if (is_order(policy)) {
    SimulatorSetup setup = made.compact;
    setup.order = policy;
    return run_order(arguments, setup, std::move(row));
  }
  const auto parsed = make_servable_policy(policy);
  // For an existing method, the preset itself lists its known forms.
  if (const auto fixed = read_fixed(policy);
      fixed && (parsed || make_servable_policy("fixed(" + fixed->method + ",0)")))
    return run_fixed(arguments, made, *fixed, std::move(row));
  if (!parsed) return tl::unexpected(parsed.error());
  row.planned = true;
  row.has_quality = !made.planned.preset.quality.empty();
  KV_ASSIGN(auto first, open_trace(std::filesystem::path(arguments.trace), arguments.options));
  const auto scan = contexts_of(*first, max_contexts_of(**parsed));
  if (!scan) return fail(scan.error().code, "policy '" + policy + "': " + scan.error().message);
  KV_ASSIGN(auto simulation, PlannedSimulation::make(made.planned, *scan, *parsed));
  if (simulation->quality_between())
    row.notes.emplace_back("its quality and bytes are interpolated linearly between measured fractions");
  if (const auto every = simulation->planned_every(); every > 1) {
    row.planned_every = every;
    row.notes.push_back("re-planned every " + std::to_string(every) + " requests for " +
                        std::to_string(scan->contexts.size()) +
                        " contexts; those computed in between are stored at the next plan");
  }
  KV_ASSIGN(auto counts, replay_trace(arguments, [&](const TraceRequest& request) -> Status {
              simulation->request(request);
              return {};
            }));
  row.counts = std::move(counts);
  row.totals = simulation->totals();
  row.lp_gap = simulation->lp_gap();
  return row;
}

Expected<SimulatedTable> simulate(const SimulateArguments& arguments) {
  if (arguments.trace.empty() && !arguments.preset.empty()) KV_TRY(chosen_preset(arguments));
  if (arguments.trace.empty())
    return fail(ErrorCode::usage, "no trace is given; give the file of a trace, or --list-presets");
  if (!(arguments.alpha >= 0 && arguments.alpha <= 1e9))
    return fail(ErrorCode::usage, "--alpha: is out of range; give seconds from 0 to 10^9");
  if (!(arguments.rate >= 0 && arguments.rate <= 1e9))
    return fail(ErrorCode::usage, "--rate: is out of range; give requests per second from 0 to 10^9");
  if (!(arguments.output_token_seconds >= 0 && arguments.output_token_seconds <= 1e6))
    return fail(ErrorCode::usage, "--output-token-seconds: is out of range; give seconds from 0 to 10^6");
  if (!(arguments.quality_spread >= 0 && arguments.quality_spread <= 3))
    return fail(ErrorCode::usage, "--quality-spread: is out of range; give a number from 0 to 3");
  KV_ASSIGN(auto made, prepare(arguments));
  KV_ASSIGN(const auto trace, open_trace(std::filesystem::path(arguments.trace), arguments.options));
  KV_TRY(choose_mode(arguments, trace->facts(), made));
  for (const std::string& policy : made.policies) {
    made.table.planned_quality = made.table.planned_quality || !is_order(policy);
    const auto begin = std::chrono::steady_clock::now();
    KV_ASSIGN(auto row, run_policy(arguments, made, policy));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!arguments.quiet) {
      char rate[32];
      std::snprintf(rate, sizeof rate, "%.3g", static_cast<double>(row.totals.requests) / seconds);
      stderr_progress().say(policy + ": " + rate + " requests per second, including reading the trace");
    }
    made.table.rows.push_back(std::move(row));
  }
  return std::move(made.table);
}

int run_simulation(const SimulateArguments& arguments) {
  if (arguments.list || arguments.preset == "list") {  // as it was spelled before
    const auto presets = all_presets();
    if (!presets) return report_error(presets.error());
    if (arguments.json) {
      print_json(json_of(*presets));
    } else {
      print_presets(*presets);
    }
    return 0;
  }
  const auto table = simulate(arguments);
  if (!table) return report_error(table.error());
  if (arguments.json) {
    print_json(json_of(*table));
  } else {
    print(*table);
  }
  return 0;
}

}  // namespace

void add_simulate(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App& command =
      *parent.add_subcommand("simulate", "Simulate caches on a trace with a virtual clock: hit rates, TTFT, bytes");
  command.add_option("TRACE", arguments->trace, "A trace in any of the formats of trace info");
  command
      .add_option("--policy", arguments->policies,
                  cache_order_list() + "; or planning policies for whole contexts, e.g. evicpress, fixed(snapkv,0.5)")
      ->capture_default_str();
  command.add_option("--capacity-blocks", arguments->capacities,
                     "Capacity of one cache in blocks of 512 tokens, or unlimited");
  command.add_option(
      "--tier", arguments->tiers,
      "NAME=BUDGET[,bandwidth=BYTES/s][,latency=TIME][,NAME=BUDGET..], fastest first; BUDGET is bytes, a "
      "percentage of the trace's uncompressed KV or unlimited; repeatable; needs --preset or --db");
  command.add_option("--preset", arguments->preset, "Published timings of a large model");
  command.add_flag("--list-presets", arguments->list, "Describe each preset and exit");
  command.add_option("--db", arguments->database,
                     "Fitted costs and quality curves of a recorded run instead of a preset");
  command.add_option("--run", arguments->run, "Which run of --db (default: the newest)");
  command.add_option("--dataset", arguments->dataset,
                     "Data set of the preset to take quality from (default: the first)");
  command
      .add_option("--quality-spread", arguments->quality_spread,
                  "Spread of the quality loss between contexts: standard deviation of its logarithmic factor")
      ->capture_default_str();
  command
      .add_option("--mode", arguments->mode,
                  "blocks: reuse the longest cached prefix; contexts: reuse whole contexts; auto: blocks where the "
                  "trace names them")
      ->check(one_of({"auto", "blocks", "contexts"}))
      ->capture_default_str();
  std::string formats = "auto";
  for (const TraceFormatName& format : trace_formats()) formats += ", " + std::string(format.name);
  command.add_option("--format", arguments->options.format, "One of " + formats)->capture_default_str();
  command.add_option("--time-scale", arguments->options.time_scale, "Factor for arrival times: 0.5 doubles the rate")
      ->capture_default_str();
  command
      .add_option("--rate", arguments->rate,
                  "Poisson arrivals at this many requests per second instead of the trace's; 0: the trace's")
      ->capture_default_str();
  command
      .add_option("--servers", arguments->servers, "Servers that share the cache, each serving one request at a time")
      ->check(CLI::Range(1U, 100'000U))
      ->capture_default_str();
  command
      .add_option("--output-token-seconds", arguments->output_token_seconds,
                  "Seconds a server is busy per output token after the first; 0: answers overlap other requests")
      ->capture_default_str();
  command.add_option("--alpha", arguments->alpha, "Seconds that one unit of quality is worth, for planning policies")
      ->capture_default_str();
  command.add_option("--limit", arguments->options.limit, "Maximum number of requests; 0: all")
      ->check(whole_number())
      ->capture_default_str();
  command
      .add_option("--bytes-per-token", arguments->options.bytes_per_token,
                  "Bytes per token of traces that hold texts or bytes")
      ->capture_default_str();
  command.add_option("--seed", arguments->seed, "Seed of Poisson arrivals and of the quality spread")
      ->check(whole_number())
      ->capture_default_str();
  add_json_option(command, arguments->json);
  command.add_flag("--quiet", arguments->quiet, "Do not print the speed on stderr");
  command.callback([arguments, &result] { result.exit_code = run_simulation(*arguments); });
}

}  // namespace kvantage::cli
