#include "core/fleet/frequency_groups.h"

#include <algorithm>
#include <bit>

namespace kvantage::inline fleet {
namespace {

/// The upper bits of a float: its exponent and four bits of its mantissa.
std::size_t group_bin(float frequency, std::size_t bins) {
  constexpr int shift = 23 - 4;
  constexpr std::uint32_t first = std::bit_cast<std::uint32_t>(0x1p-63F) >> shift;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(std::max(frequency, 0.0F)) >> shift;
  return bits <= first ? 0 : std::min<std::size_t>(bits - first, bins - 1);
}

}  // namespace

void GroupBuilder::add(std::uint32_t of_class, float frequency) {
  FrequencyGroup& group = bins_[of_class * bins_of_class + group_bin(frequency, bins_of_class)];
  if (group.count++ == 0) {
    group.low = group.high = frequency;
  } else {
    group.low = std::min(group.low, frequency);
    group.high = std::max(group.high, frequency);
  }
  group.sum += static_cast<double>(frequency);
}

void GroupBuilder::add(std::span<const std::uint32_t> classes, std::span<const float> frequencies) {
  for (std::size_t i = 0; i < classes.size(); ++i) add(classes[i], frequencies[i]);
}

FrequencyGroups GroupBuilder::take() {
  FrequencyGroups made;
  made.first_.reserve(classes_ + 1);
  made.groups_.reserve(static_cast<std::size_t>(
      std::ranges::count_if(bins_, [](const FrequencyGroup& group) { return group.count > 0; })));
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    if (i % bins_of_class == 0) made.first_.push_back(made.groups_.size());
    if (bins_[i].count == 0) continue;
    made.groups_.push_back(bins_[i]);
    made.contexts_ += bins_[i].count;
    made.frequency_ += bins_[i].sum;
    bins_[i] = {};
  }
  made.first_.push_back(made.groups_.size());
  return made;
}

}  // namespace kvantage::inline fleet
