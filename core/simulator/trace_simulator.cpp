#include "core/simulator/simulator.h"

#include <cmath>

#include "core/simulator/stored_form.h"

namespace kvantage::inline simulator {
namespace {

constexpr double block_tokens = static_cast<double>(trace_block_tokens);

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
  return made;
}

TraceSimulator::TraceSimulator(const SimulatorSetup& setup) : setup_(setup), times_(setup.servers) {
  totals_.tiers.resize(setup.capacities.size());
}

Status TraceSimulator::check_room(const TraceRequest& request) const {
  constexpr std::size_t max_keys = std::size_t{1} << 23;  // of one tier: a key takes up to 100 bytes in each
  const std::size_t most = max_keys / std::max<std::size_t>(setup_.capacities.size(), 1);
  const std::size_t more = setup_.mode == ReuseMode::blocks ? request.blocks.size() : 1;
  if (cache_->distinct() + more <= most) return {};
  return fail(ErrorCode::rejected_input, "the trace may have more than " + std::to_string(most) + " different " +
                                             (setup_.mode == ReuseMode::blocks ? "blocks" : "contexts") +
                                             "; read fewer requests with --limit");
}

void TraceSimulator::serve(double arrival_seconds, std::uint64_t input_tokens, std::uint64_t context,
                           std::span<const std::uint64_t> blocks, std::uint64_t output_tokens) {
  const std::size_t tiers = totals_.tiers.size();
  const auto tokens = static_cast<double>(input_tokens);
  const std::uint64_t input_blocks =
      setup_.mode == ReuseMode::blocks ? blocks.size() : (input_tokens + trace_block_tokens - 1) / trace_block_tokens;
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
  const double bytes_per_unit =
      setup_.weigh_bytes && setup_.mode == ReuseMode::contexts ? 1 : block_tokens * setup_.costs.bytes_per_token;
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
