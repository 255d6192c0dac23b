#include "core/simulator/simulator.h"

#include <cmath>

#include "core/base/random.h"
#include "core/eviction/trace_caches.h"
#include "core/simulator/stored_form.h"

namespace kvantage::inline simulator {
namespace {

/// The id of a block that is a part of another one, or of several.
std::uint64_t block_id(std::uint64_t id, std::uint64_t part) {
  return Random(id ^ ((part + 1) * 0xd1342543de82ef95ULL)).next();
}

}  // namespace

Expected<std::unique_ptr<TraceSimulator>> TraceSimulator::make(const SimulatorSetup& setup) {
  if (setup.costs.timed && setup.costs.tiers.size() != setup.capacities.size())
    return fail(ErrorCode::usage, "the simulator has " + std::to_string(setup.capacities.size()) +
                                      " tiers, but timings for " + std::to_string(setup.costs.tiers.size()) +
                                      "; give each tier its timings");
  if (setup.weigh_bytes && !(setup.costs.bytes_per_token > 0))
    return fail(ErrorCode::usage, "budgets in bytes need the bytes per token; give a preset");
  KV_ASSIGN(auto cache, make_simulated_cache(setup.order, setup.capacities));
  std::unique_ptr<TraceSimulator> made(new TraceSimulator(setup));
  made->cache_ = std::move(cache);
  const TraceCacheInfo* info = find_trace_cache(setup.order);
  made->needs_future_ = info != nullptr && info->needs_future;
  if (info != nullptr && info->blocks_only && setup.mode == ReuseMode::contexts)
    return fail(ErrorCode::usage,
                setup.order + " caches prefix blocks; choose --mode blocks and a trace that has them");
  return made;
}

Status TraceSimulator::use_blocks(std::uint64_t trace_tokens, std::uint64_t cache_tokens) {
  const bool fits =
      trace_tokens > 0 && cache_tokens > 0 && (trace_tokens % cache_tokens == 0 || cache_tokens % trace_tokens == 0);
  if (!fits)
    return fail(ErrorCode::usage, "--block-tokens: " + std::to_string(cache_tokens) +
                                      " is neither a multiple nor a part of the trace's blocks of " +
                                      std::to_string(trace_tokens) + " tokens; give one that is");
  trace_tokens_ = trace_tokens;
  cache_tokens_ = cache_tokens;
  return {};
}

/// The blocks of the cache. A last block that is not full has an id of its own.
std::span<const std::uint64_t> TraceSimulator::cache_blocks(std::span<const std::uint64_t> blocks,
                                                            std::uint64_t input_tokens) {
  if (trace_tokens_ == cache_tokens_) return blocks;
  regrouped_.clear();
  if (cache_tokens_ > trace_tokens_) {
    const std::size_t of_one = cache_tokens_ / trace_tokens_;
    for (std::size_t i = of_one; i <= blocks.size(); i += of_one) regrouped_.push_back(blocks[i - 1]);
    if (const std::size_t rest = blocks.size() % of_one; rest > 0) regrouped_.push_back(block_id(blocks.back(), rest));
    return regrouped_;
  }
  const std::uint64_t parts = trace_tokens_ / cache_tokens_;
  const std::uint64_t all = (input_tokens + cache_tokens_ - 1) / cache_tokens_;
  for (const std::uint64_t block : blocks)
    for (std::uint64_t part = 0; part < parts && regrouped_.size() < all; ++part)
      regrouped_.push_back(block_id(block, part));
  return regrouped_;
}

Status TraceSimulator::expect(const TraceRequest& request) {
  constexpr std::uint64_t most = std::uint64_t{1} << 28;  // 4 bytes each
  if (setup_.mode == ReuseMode::blocks)
    for (const std::uint64_t block : cache_blocks(request.blocks, request.input_tokens)) cache_->expect(block);
  else
    cache_->expect(request.context);
  if (cache_->expected() <= most) return {};
  return fail(ErrorCode::rejected_input,
              "the trace has more than " + std::to_string(most) +
                  " touches, too many to know the future of; read fewer requests with --limit");
}

TraceSimulator::TraceSimulator(const SimulatorSetup& setup) : setup_(setup), times_(setup.servers) {
  totals_.tiers.resize(setup.capacities.size());
}

Status TraceSimulator::check_room(const TraceRequest& request) const {
  constexpr std::size_t max_keys = std::size_t{1} << 23;  // of one tier: a key takes up to 100 bytes in each
  const std::size_t most = max_keys / std::max<std::size_t>(setup_.capacities.size(), 1);
  const std::size_t parts = std::max<std::size_t>(trace_tokens_ / cache_tokens_, 1);
  const std::size_t more = setup_.mode == ReuseMode::blocks ? request.blocks.size() * parts : 1;
  if (cache_->distinct() + more <= most) return {};
  return fail(ErrorCode::rejected_input, "the trace may have more than " + std::to_string(most) + " different " +
                                             (setup_.mode == ReuseMode::blocks ? "blocks" : "contexts") +
                                             "; read fewer requests with --limit");
}

void TraceSimulator::serve(double arrival_seconds, std::uint64_t input_tokens, std::uint64_t context,
                           std::span<const std::uint64_t> trace_blocks, std::uint64_t output_tokens) {
  const auto block_tokens = static_cast<double>(cache_tokens_);
  const std::span<const std::uint64_t> blocks = cache_blocks(trace_blocks, input_tokens);
  const std::size_t tiers = totals_.tiers.size();
  const auto tokens = static_cast<double>(input_tokens);
  const std::uint64_t input_blocks =
      setup_.mode == ReuseMode::blocks ? blocks.size() : (input_tokens + cache_tokens_ - 1) / cache_tokens_;
  Reuse reuse;
  double tokens_per_unit = block_tokens;
  if (setup_.mode == ReuseMode::blocks) {
    cache_->touch_blocks(blocks, reuse);
  } else if (setup_.weigh_bytes) {
    tokens_per_unit = 1 / setup_.costs.bytes_per_token;
    const double bytes = std::max(1.0, std::ceil(tokens * setup_.costs.bytes_per_token));
    std::array<double, max_simulated_tiers> saved{}, whole{};
    const double computed = setup_.costs.service_seconds(tokens, {});
    for (std::size_t tier = 0; setup_.costs.timed && tier < tiers; ++tier) {
      whole[tier] = tokens;
      saved[tier] = std::max(0.0, computed - setup_.costs.service_seconds(tokens, std::span(whole.data(), tiers)));
      whole[tier] = 0;
    }
    cache_->touch_context(context, static_cast<std::uint64_t>(bytes),
                          std::span(saved.data(), setup_.costs.timed ? tiers : 0), reuse);
  } else {
    cache_->touch_context(context, input_blocks, {}, reuse);
  }

  ++totals_.requests;
  totals_.blocks += input_blocks;
  totals_.tokens += input_tokens;
  std::array<double, max_simulated_tiers> held{};
  if (reuse.all > 0) {
    ++totals_.hit_requests;
    double room = tokens;  // the last block is rarely full, and a context may have been cached longer
    for (std::size_t tier = 0; tier < tiers; ++tier) {
      if (reuse.units[tier] == 0) continue;
      held[tier] = std::min(static_cast<double>(reuse.units[tier]) * tokens_per_unit, room);
      room -= held[tier];
      SimulatorTier& counted = totals_.tiers[tier];
      ++counted.hit_requests;
      const auto whole = static_cast<std::uint64_t>(held[tier] + 0.5);
      counted.hit_tokens += whole;
      totals_.hit_tokens += whole;
    }
    totals_.hit_blocks += setup_.mode == ReuseMode::blocks ? reuse.all
                          : setup_.weigh_bytes
                              ? static_cast<std::uint64_t>((tokens - room + block_tokens - 1) / block_tokens)
                              : std::min(reuse.all, input_blocks);
  }
  const bool loads = reuse.all > 0;
  const double lost = loads ? loss_factor(setup_.quality_spread, setup_.seed, context) : 0;
  quality_sum_ +=
      loads ? spread_quality(setup_.uncompressed_quality, setup_.quality, lost) : setup_.uncompressed_quality;
  const double service = setup_.costs.service_seconds(tokens, std::span(held.data(), tiers));
  times_.serve(arrival_seconds, service, setup_.costs.seconds_per_output_token * static_cast<double>(output_tokens),
               setup_.costs.timed);
}

SimulatorTotals TraceSimulator::totals() const {
  SimulatorTotals totals = totals_;
  totals.distinct = cache_->distinct();
  const double bytes_per_unit = setup_.weigh_bytes && setup_.mode == ReuseMode::contexts
                                    ? 1
                                    : static_cast<double>(cache_tokens_) * setup_.costs.bytes_per_token;
  for (std::size_t tier = 0; tier < totals.tiers.size(); ++tier) {
    totals.tiers[tier].held = cache_->held(tier);
    totals.tiers[tier].read_bytes = static_cast<double>(totals.tiers[tier].hit_tokens) * setup_.costs.bytes_per_token;
    totals.tiers[tier].written_bytes = static_cast<double>(cache_->written(tier)) * bytes_per_unit;
  }
  totals.mean_quality =
      totals.requests > 0 ? quality_sum_ / static_cast<double>(totals.requests) : setup_.uncompressed_quality;
  times_.fill(totals);
  return totals;
}

}  // namespace kvantage::inline simulator
