#include "core/simulator/miss_ratio_curve.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "core/base/random.h"

namespace kvantage::inline simulator {
namespace {

constexpr std::size_t first_slots = 4096;

/// Distances above 256 keep eight binary digits.
std::uint64_t rounded_distance(double distance) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::min(distance, 9e18)));
  const int digits = static_cast<int>(std::bit_width(whole));
  if (digits <= 8) return whole;
  const std::uint64_t step = std::uint64_t{1} << (digits - 8);
  return (whole + step - 1) / step * step;
}

}  // namespace

MissRatioCurve::MissRatioCurve(std::size_t samples) : samples_(samples), tree_(first_slots + 1, 0) {}

// The same sample on every machine.
std::uint64_t MissRatioCurve::hash_of(std::uint64_t key) { return mixed_bits(key ^ 0x5851f42d4c957f2dULL); }

double MissRatioCurve::rate() const { return (static_cast<double>(threshold_) + 1) * 0x1p-64; }

void MissRatioCurve::add(std::size_t slot, std::int64_t weight) {
  for (std::size_t at = slot + 1; at < tree_.size(); at += at & (~at + 1)) tree_[at] += weight;
}

/// Of the slots behind this one.
std::uint64_t MissRatioCurve::weight_after(std::size_t slot) const {
  std::int64_t up_to = 0;
  for (std::size_t at = slot + 1; at > 0; at -= at & (~at + 1)) up_to += tree_[at];
  return total_weight_ - static_cast<std::uint64_t>(up_to);
}

void MissRatioCurve::compact() {
  std::vector<Tracked*> all;
  all.reserve(tracked_.size());
  for (auto& [key, tracked] : tracked_) all.push_back(&tracked);
  std::ranges::sort(all, {}, [](const Tracked* one) { return one->slot; });
  tree_.assign(std::max(first_slots, 2 * all.size()) + 1, 0);
  for (std::size_t slot = 0; slot < all.size(); ++slot) {
    all[slot]->slot = slot;
    add(slot, static_cast<std::int64_t>(all[slot]->weight));
  }
  next_slot_ = all.size();
}

void MissRatioCurve::touch(std::uint64_t key, std::uint64_t weight) {
  ++touches_;
  const std::uint64_t hash = hash_of(key);
  if (hash > threshold_) return;
  ++sampled_;
  if (next_slot_ + 1 >= tree_.size()) compact();
  const auto [at, is_new] = tracked_.try_emplace(key);
  Tracked& tracked = at->second;
  if (is_new) {
    if (samples_ > 0) order_.emplace(hash, key);
  } else {
    const double distance = static_cast<double>(weight_after(tracked.slot) + tracked.weight) / rate();
    ++distances_[rounded_distance(distance)];
    add(tracked.slot, -static_cast<std::int64_t>(tracked.weight));
    total_weight_ -= tracked.weight;
  }
  tracked = {hash, std::max<std::uint64_t>(weight, 1), next_slot_++};
  add(tracked.slot, static_cast<std::int64_t>(tracked.weight));
  total_weight_ += tracked.weight;
  while (samples_ > 0 && tracked_.size() > samples_) lower_rate();
}

/// The key with the highest hash leaves, and all of that hash with it; counts are those of the lower rate from now on.
void MissRatioCurve::lower_rate() {
  const double before = rate();
  const std::uint64_t highest = order_.rbegin()->first;
  while (!order_.empty() && order_.rbegin()->first == highest) {
    const auto last = std::prev(order_.end());
    const auto at = tracked_.find(last->second);
    add(at->second.slot, -static_cast<std::int64_t>(at->second.weight));
    total_weight_ -= at->second.weight;
    tracked_.erase(at);
    order_.erase(last);
  }
  threshold_ = highest == 0 ? 0 : highest - 1;
  const double scale = rate() / before;
  sampled_ *= scale;
  for (auto& [distance, count] : distances_) count *= scale;
}

double MissRatioCurve::correction() const { return static_cast<double>(touches_) * rate() - sampled_; }

double MissRatioCurve::miss_ratio_at(std::uint64_t capacity) const {
  const double all = sampled_ + correction();
  if (!(all > 0)) return 1;
  double hits = capacity > 0 && !distances_.empty() ? correction() : 0;
  for (const auto& [distance, count] : distances_) {
    if (distance > capacity) break;
    hits += count;
  }
  return std::clamp(1 - hits / all, 0.0, 1.0);
}

std::vector<MissRatio> MissRatioCurve::steps(double least) const {
  std::vector<MissRatio> made;
  const double all = sampled_ + correction();
  if (!(all > 0)) return made;
  double hits = correction(), shown = 1;
  for (auto at = distances_.begin(); at != distances_.end(); ++at) {
    hits += at->second;
    const double miss_ratio = std::clamp(1 - hits / all, 0.0, 1.0);
    if (shown - miss_ratio < least && std::next(at) != distances_.end()) continue;
    made.push_back({at->first, miss_ratio});
    shown = miss_ratio;
  }
  return made;
}

std::uint64_t MissRatioCurve::footprint() const {
  return static_cast<std::uint64_t>(static_cast<double>(total_weight_) / rate());
}

std::vector<MissRatio> MissRatioCurve::curve(std::size_t points) const {
  std::vector<MissRatio> made;
  if (touches_ == 0 || points == 0) return made;
  const std::uint64_t most = std::max<std::uint64_t>(footprint(), 1);
  const std::uint64_t widest = std::max(most, distances_.empty() ? std::uint64_t{1} : distances_.rbegin()->first);
  for (std::size_t i = 0; i < points; ++i) {
    const double share = points > 1 ? static_cast<double>(i) / static_cast<double>(points - 1) : 1;
    const auto capacity = static_cast<std::uint64_t>(
        std::llround(std::pow(static_cast<double>(std::max<std::uint64_t>(widest, 1)), share)));
    if (made.empty() || capacity > made.back().capacity) made.push_back({capacity, miss_ratio_at(capacity)});
  }
  return made;
}

}  // namespace kvantage::inline simulator
