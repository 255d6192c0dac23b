#include "app/cli/simulate/simulation.h"

#include <algorithm>
#include <charconv>

#include "app/cli/simulate/simulate_tiers.h"
#include "app/cli/simulate/simulated_preset.h"
#include "core/base/did_you_mean.h"
#include "core/base/form_text.h"
#include "core/base/json_fields.h"
#include "core/eviction/trace_caches.h"
#include "core/policy/policy_info.h"
#include "core/trace/lru_cache.h"

namespace kvantage::cli {
namespace {

Expected<std::uint64_t> capacity_of(const std::string& text) {
  std::uint64_t blocks = LruCache::unlimited;
  if (text == "unlimited") return blocks;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), blocks);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return fail(ErrorCode::usage,
                "--capacity-blocks: '" + printable(text) + "' is not a number of blocks; " +
                    (text.find(',') == std::string::npos ? "give a number, or unlimited"
                                                         : "give one number; --mrc has all sizes of LRU in one pass"));
  return blocks;
}

/// The base of percentage budgets: every context of the trace, uncompressed and at its maximum length.
Expected<std::uint64_t> full_kv_bytes(const SimulateArguments& arguments, const SimulatorPreset& preset) {
  KV_ASSIGN(auto trace, open_trace(std::filesystem::path(arguments.trace), arguments.options));
  KV_ASSIGN(const auto tokens, tokens_of_contexts(*trace));
  return static_cast<std::uint64_t>(tokens * preset.bytes_per_token);
}

/// Policies and orders share a namespace here: the nearest of both is meant. Some orders are policies, too.
Status check_policy_name(const std::string& policy) {
  KV_ASSIGN(const auto form, FormText::read(policy, "policy"));
  std::vector<std::string_view> names(cache_orders().begin(), cache_orders().end());
  for (const TraceCacheInfo& info : trace_caches()) names.emplace_back(info.name);
  for (const PolicyInfo& info : policy_infos())
    if (std::ranges::find(names, info.name) == names.end()) names.emplace_back(info.name);
  if (form.name() == "lp_bound" || std::ranges::find(names, form.name()) != names.end()) return {};
  return fail(ErrorCode::usage, "unknown policy '" + printable(policy) + "'; " + did_you_mean(form.name(), names));
}

}  // namespace

bool is_order(const std::string& policy) {
  const auto& orders = cache_orders();
  return std::ranges::find(orders, policy) != orders.end() || find_trace_cache(policy) != nullptr;
}

Expected<Simulation> prepare_simulation(const SimulateArguments& arguments) {
  Simulation made;
  KV_ASSIGN(auto preset, chosen_preset(arguments));
  KV_ASSIGN(made.table.imported, use_imports(arguments, preset));
  if (arguments.capacities.empty() == arguments.tiers.empty())
    return fail(
        ErrorCode::usage,
        arguments.tiers.empty()
            ? "a cache is needed; give --capacity-blocks N for blocks, or --preset NAME --tier dram=BUDGET for bytes "
              "and times (--list-presets)"
            : "--capacity-blocks and --tier exclude each other; keep one");
  made.policies = split_policies(arguments.policies);
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
  made.trace_block = facts.block_tokens;
  made.cache_block = arguments.block_tokens > 0 ? arguments.block_tokens : facts.block_tokens;
  made.planned.block_tokens = made.cache_block;
  made.table.mode = blocks ? "prefix blocks" : "whole contexts";
  if (made.cache_block != TraceFacts{}.block_tokens && (blocks || !made.table.in_bytes))  // else nothing is in blocks
    made.table.mode += (blocks ? " of " : " in blocks of ") + std::to_string(made.cache_block) + " tokens";
  made.table.format = facts.format;
  made.table.estimated_tokens = facts.estimates_tokens;
  made.compact.mode = blocks ? ReuseMode::blocks : ReuseMode::contexts;
  made.compact.weigh_bytes = made.table.in_bytes && !blocks;
  made.compact.capacities = made.table.capacities;
  if (made.table.in_bytes && blocks)
    for (std::uint64_t& capacity : made.compact.capacities)
      if (capacity != LruCache::unlimited)
        capacity = static_cast<std::uint64_t>(static_cast<double>(capacity) / (made.compact.costs.bytes_per_token *
                                                                               static_cast<double>(made.cache_block)));
  if (plans && (!made.table.in_bytes || !made.table.timed))
    return fail(ErrorCode::usage,
                "planning policies need budgets in bytes and tier timings; give --preset and --tier NAME=BUDGET");
  return {};
}

}  // namespace kvantage::cli
