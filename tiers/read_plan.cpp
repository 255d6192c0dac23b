#include "tiers/read_plan.h"

#include <algorithm>

#include "tiers/mapped_memory.h"

namespace kvantage {

std::vector<ReadGroup> plan_reads(std::span<const ReadExtent> extents, std::span<const std::span<std::byte>> targets,
                                  const ReadPlanLimits& limits) {
  std::vector<ReadGroup> groups;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::uint64_t begin = round_down_to_page(extents[i].offset);
    const std::uint64_t end = round_up_to_page(extents[i].offset + extents[i].bytes);
    const bool large = extents[i].bytes >= limits.straight_bytes;
    if (!groups.empty() && !large) {
      ReadGroup& group = groups.back();
      const std::uint64_t merged_begin = std::min(group.begin, begin);
      const std::uint64_t merged_end = std::max(group.end, end);
      const bool near = begin <= group.end + limits.largest_gap_bytes && group.begin <= end + limits.largest_gap_bytes;
      if (near && extents[group.first].bytes < limits.straight_bytes &&
          merged_end - merged_begin <= limits.scratch_bytes) {
        group = {group.first, group.count + 1, merged_begin, merged_end, false};
        continue;
      }
    }
    groups.push_back({i, 1, begin, end, false});
  }
  for (ReadGroup& group : groups) {
    const std::span<std::byte> target = targets[group.first];
    group.straight = group.count == 1 && extents[group.first].offset == group.begin &&
                     target.size() >= group.end - group.begin &&
                     reinterpret_cast<std::uintptr_t>(target.data()) % page_bytes == 0;
  }
  return groups;
}

}  // namespace kvantage
