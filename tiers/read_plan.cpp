#include "tiers/read_plan.h"

#include <algorithm>

#include "tiers/mapped_memory.h"

namespace kvantage::inline tiers {
namespace {

/// Whether the pages of an extent can be read directly into its buffer.
bool fits_straight(const ReadExtent& extent, std::span<std::byte> target) {
  return extent.offset % page_bytes == 0 && target.size() >= round_up_to_page(extent.bytes) &&
         reinterpret_cast<std::uintptr_t>(target.data()) % page_bytes == 0;
}

}  // namespace

std::vector<ReadGroup> plan_reads(std::span<const ReadExtent> extents, std::span<const std::span<std::byte>> targets,
                                  const ReadPlanLimits& limits) {
  std::vector<ReadGroup> groups;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::uint64_t begin = round_down_to_page(extents[i].offset);
    const std::uint64_t end = round_up_to_page(extents[i].offset + extents[i].bytes);
    const bool straight = extents[i].bytes % page_bytes == 0 && fits_straight(extents[i], targets[i]);
    const bool large = extents[i].bytes >= limits.large_bytes;
    if (!groups.empty() && !straight && !large && !groups.back().straight) {
      ReadGroup& group = groups.back();
      const std::uint64_t merged_begin = std::min(group.begin, begin);
      const std::uint64_t merged_end = std::max(group.end, end);
      const bool near = begin <= group.end + limits.largest_gap_bytes && group.begin <= end + limits.largest_gap_bytes;
      if (near && extents[group.first].bytes < limits.large_bytes &&
          merged_end - merged_begin <= limits.scratch_bytes) {
        group = {group.first, group.count + 1, merged_begin, merged_end, false};
        continue;
      }
    }
    groups.push_back({i, 1, begin, end, straight});
  }
  for (ReadGroup& group : groups)
    group.straight = group.count == 1 && fits_straight(extents[group.first], targets[group.first]);
  return groups;
}

}  // namespace kvantage::inline tiers
