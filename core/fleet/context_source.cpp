#include "core/fleet/context_source.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/random.h"

namespace kvantage::inline fleet {
namespace {

constexpr std::uint64_t of_class = 1, of_rank = 2, of_change = 3;  // purposes of seeds

/// The sum of rank^-exponent over the ranks from 1 to `ranks`: the first ones one by one, the rest by the integral from
/// half a rank before to half a rank behind (the midpoint rule, off by less than 1e-10 of the sum).
double power_sum(std::uint64_t ranks, double exponent) {
  constexpr std::uint64_t summed = 100'000;
  double sum = 0;
  const std::uint64_t first = std::min(ranks, summed);
  for (std::uint64_t r = 1; r <= first; ++r) sum += std::pow(static_cast<double>(r), -exponent);
  if (ranks == first) return sum;
  const double a = static_cast<double>(first) + 0.5, b = static_cast<double>(ranks) + 0.5;
  if (std::fabs(exponent - 1) < 1e-9) return sum + std::log(b / a);
  return sum + (std::pow(b, 1 - exponent) - std::pow(a, 1 - exponent)) / (1 - exponent);
}

}  // namespace

ContextSource::Plan::Plan(const FleetWorkload& drawn) : workload(drawn), shard_scale(drawn.shards) {
  scale = 1 / power_sum(drawn.contexts, drawn.zipf_exponent);
  double sum = 0;
  for (std::size_t s = 0; s < shard_scale.size(); ++s)
    sum += shard_scale[s] = std::pow(static_cast<double>(s + 1), -drawn.shard_exponent);
  for (double& one : shard_scale) one *= static_cast<double>(shard_scale.size()) / sum;
}

ContextSource::ContextSource(const Plan& plan, std::size_t classes, std::uint32_t shard, std::uint32_t epoch)
    : plan_(plan), classes_(classes), epoch_(epoch) {
  const FleetWorkload& drawn = plan.workload;
  const auto first_of = [&](std::uint64_t s) {
    return static_cast<std::uint64_t>(static_cast<UnsignedWide>(drawn.contexts) * s / drawn.shards);
  };
  at_ = first_of(shard);
  end_ = first_of(std::uint64_t{shard} + 1);
  const int bits = std::max(2, static_cast<int>(std::bit_width(drawn.contexts - 1)));
  mask_ = (std::uint64_t{1} << bits) - 1;
  half_ = bits / 2;
  scale_ = plan.scale * plan.shard_scale[shard];
}

/// A permutation of the power of two above, walked until it is in range (Black and Rogaway 2002): each step multiplies
/// by an odd number, adds a key or folds upper bits down, all of which can be undone.
std::uint64_t ContextSource::rank_of(std::uint64_t context) const {
  const FleetWorkload& drawn = plan_.workload;
  std::uint64_t key = derive_seed(drawn.seed, of_rank);
  for (std::uint64_t epoch = drawn.drift > 0 ? epoch_ : 0; epoch > 0; --epoch) {  // the last epoch in which it changed
    const std::uint64_t change = derive_seed(drawn.seed ^ epoch, of_change);
    const double draw = static_cast<double>(mixed_bits(change + context * splitmix_step) >> 11) * 0x1.0p-53;
    if (draw >= drawn.drift) continue;
    key = mixed_bits(key + epoch);
    break;
  }
  const std::uint64_t other = mixed_bits(key ^ 0x94d049bb133111ebULL);
  std::uint64_t x = context;
  do {
    for (const std::uint64_t round : {key, other}) {
      x = (x + round) & mask_;
      x = (x * 0xd1342543de82ef95ULL) & mask_;
      x ^= x >> half_;
      x = (x * (round | 1)) & mask_;
      x ^= x >> half_;
    }
  } while (x >= drawn.contexts);
  return x;
}

void ContextSource::next(std::size_t most, ContextChunk& chunk) {
  const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(most, size()));
  chunk.classes.resize(count);
  chunk.frequencies.resize(count);
  const std::uint64_t class_seed = derive_seed(plan_.workload.seed, of_class);
  const double exponent = -plan_.workload.zipf_exponent;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t context = at_ + i;
    const std::uint64_t draw = mixed_bits(class_seed + context * splitmix_step);
    chunk.classes[i] = static_cast<std::uint32_t>((static_cast<UnsignedWide>(draw) * classes_) >> 64);
    const double rank = static_cast<double>(rank_of(context) + 1);
    chunk.frequencies[i] = static_cast<float>(scale_ * std::exp2(exponent * std::log2(rank)));
  }
  at_ += count;
}

}  // namespace kvantage::inline fleet
