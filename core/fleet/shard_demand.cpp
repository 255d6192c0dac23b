#include "core/fleet/shard_demand.h"

#include <algorithm>
#include <tuple>

namespace kvantage::inline fleet {

void ClassEnvelope::build(const ContextClass& one, const FleetPrices& prices, std::uint32_t store) {
  lines_.clear();
  lines_.push_back({.from = 0, .slope = one.unstored, .intercept = 0});
  for (std::size_t o = 0; o < one.options.size(); ++o) {
    const ClassOption& option = one.options[o];
    const double load = option.tier == store ? prices.loaded * option.bytes : 0;
    lines_.push_back({.from = 0,
                      .slope = option.value - load,
                      .intercept = -prices.held[option.tier] * option.bytes,
                      .option = static_cast<int>(o),
                      .bytes = option.bytes,
                      .tier = option.tier});
  }
  std::ranges::sort(lines_, [](const Piece& a, const Piece& b) {
    return std::tuple(a.slope, a.intercept, a.option) < std::tuple(b.slope, b.intercept, b.option);
  });
  pieces_.clear();
  for (Piece line : lines_) {
    while (!pieces_.empty()) {
      const Piece& top = pieces_.back();
      if (line.slope > top.slope) {
        line.from = (top.intercept - line.intercept) / (line.slope - top.slope);
        if (line.from > top.from) break;
      }
      pieces_.pop_back();
    }
    if (pieces_.empty()) line.from = 0;
    pieces_.push_back(line);
  }
}

ShardDemand demand_at(const FleetShard& shard, const FleetPrices& prices, ClassEnvelope& envelope) {
  using Piece = ClassEnvelope::Piece;
  ShardDemand demand;
  const auto take = [&](const Piece& piece, double count, double frequency) {  // of `count` contexts, their sum
    if (piece.option < 0) return;
    demand.use.held[piece.tier] += count * piece.bytes;
    if (piece.tier == shard.store()) demand.use.loaded += frequency * piece.bytes;
  };
  for (std::size_t c = 0; c < shard.groups.classes(); ++c) {
    const auto groups = shard.groups.of(c);
    if (groups.empty()) continue;
    envelope.build((*shard.classes)[c], prices, shard.store());
    const auto& pieces = envelope.pieces();
    std::size_t at = 0;
    for (const FrequencyGroup& group : groups) {
      const double low = static_cast<double>(group.low), high = static_cast<double>(group.high);
      const double count = group.count;
      at = envelope.piece_of(low, at);
      const std::size_t end = envelope.piece_of(high, at);
      if (at == end) {
        const double net = group.sum * pieces[at].slope + count * pieces[at].intercept;
        demand.net += net;
        demand.net_low += net;
        take(pieces[at], count, group.sum);
        continue;
      }
      const double mean = group.mean();
      const double of_high = count * std::clamp((mean - low) / (high - low), 0.0, 1.0), of_low = count - of_high;
      demand.net += of_low * (low * pieces[at].slope + pieces[at].intercept) +
                    of_high * (high * pieces[end].slope + pieces[end].intercept);
      const Piece& middle = pieces[envelope.piece_of(mean, at)];
      demand.net_low += count * (mean * middle.slope + middle.intercept);
      take(pieces[at], of_low, of_low * low);
      take(pieces[end], of_high, of_high * high);
    }
  }
  return demand;
}

double highest_price(const FleetShard& shard) {
  double highest = 0;
  for (std::size_t c = 0; c < shard.groups.classes(); ++c) {
    const auto groups = shard.groups.of(c);
    if (groups.empty()) continue;
    const ContextClass& one = (*shard.classes)[c];
    for (const ClassOption& option : one.options)
      highest =
          std::max(highest, static_cast<double>(groups.back().high) * (option.value - one.unstored) / option.bytes);
  }
  return highest;
}

}  // namespace kvantage::inline fleet
