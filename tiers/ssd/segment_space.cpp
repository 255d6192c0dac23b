#include "tiers/ssd/segment_space.h"

#include <algorithm>
#include <iterator>

#include "tiers/mapped_memory.h"

namespace kvantage::inline ssd {

void SegmentSpace::add_piece(std::uint32_t number, Segment& segment, std::uint64_t offset, std::uint64_t bytes) {
  segment.free.emplace(offset, bytes);
  segment.free_bytes += bytes;
  free_bytes_ += bytes;
  pieces_.emplace(bytes, number, offset);
}

void SegmentSpace::take_piece(std::uint32_t number, Segment& segment,
                              std::map<std::uint64_t, std::uint64_t>::iterator piece) {
  pieces_.erase({piece->second, number, piece->first});
  segment.free_bytes -= piece->second;
  free_bytes_ -= piece->second;
  segment.free.erase(piece);
}

bool SegmentSpace::occupy(const SegmentExtent& extent) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 62;
  if (extent.bytes == 0 || extent.bytes % page_bytes != 0 || extent.offset % page_bytes != 0 ||
      extent.bytes > longest || extent.offset > longest || extent.segment == 0)
    return false;
  const auto found = segments_.find(extent.segment);
  const std::uint64_t length = found == segments_.end() ? 0 : found->second.length;
  if (extent.offset < length) return false;
  Segment& segment = segments_[extent.segment];
  if (extent.offset > length) add_piece(extent.segment, segment, length, extent.offset - length);
  segment.length = extent.end();
  skip_numbers_below(extent.segment + 1);
  return true;
}

void SegmentSpace::skip_numbers_below(std::uint32_t number) { next_number_ = std::max(next_number_, number); }

SegmentExtent SegmentSpace::allocate(std::uint64_t bytes) {
  const auto fit = pieces_.lower_bound({bytes, 0, 0});
  if (fit == pieces_.end()) return append(bytes, 1);
  const auto [piece_bytes, number, offset] = *fit;
  Segment& segment = segments_.at(number);
  take_piece(number, segment, segment.free.find(offset));
  if (piece_bytes > bytes) add_piece(number, segment, offset + bytes, piece_bytes - bytes);
  return {number, offset, bytes};
}

SegmentExtent SegmentSpace::append(std::uint64_t bytes, std::uint32_t first) {
  for (auto at = segments_.lower_bound(first); at != segments_.end(); ++at) {
    auto& [number, segment] = *at;
    if (segment.length + bytes > segment_bytes_) continue;
    const SegmentExtent extent{number, segment.length, bytes};
    segment.length += bytes;
    return extent;
  }
  const std::uint32_t number = next_number_++;
  segments_[number].length = bytes;
  return {number, 0, bytes};
}

std::uint64_t SegmentSpace::release(const SegmentExtent& extent) {
  Segment& segment = segments_.at(extent.segment);
  std::uint64_t offset = extent.offset, bytes = extent.bytes;
  auto after = segment.free.lower_bound(offset);
  if (after != segment.free.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      take_piece(extent.segment, segment, before);
    }
  }
  after = segment.free.lower_bound(offset);
  if (after != segment.free.end() && after->first == extent.end()) {
    bytes += after->second;
    take_piece(extent.segment, segment, after);
  }
  if (offset + bytes < segment.length) {
    add_piece(extent.segment, segment, offset, bytes);
    return segment.length;
  }
  if (offset == 0) {
    segments_.erase(extent.segment);
    return 0;
  }
  return segment.length = offset;
}

std::uint64_t SegmentSpace::length(std::uint32_t segment) const {
  const auto found = segments_.find(segment);
  return found == segments_.end() ? 0 : found->second.length;
}

std::uint64_t SegmentSpace::length_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [number, segment] : segments_) bytes += segment.length;
  return bytes;
}

std::vector<std::uint32_t> SegmentSpace::loose_segments() const {
  const auto room = [this](const Segment& segment) {
    return segment.free_bytes + (segment.length < segment_bytes_ ? segment_bytes_ - segment.length : 0);
  };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> loose;  // free space, number
  std::size_t with_holes = 0;
  for (const auto& [number, segment] : segments_) {
    with_holes += segment.free_bytes > 0;
    if (room(segment) > segment_bytes_ / 16 || segment.free_bytes > 0) loose.emplace_back(room(segment), number);
  }
  // A single short segment is the growing one: rewriting it gains nothing.
  if (with_holes == 0 && loose.size() < 2) return {};
  std::sort(loose.rbegin(), loose.rend());
  std::vector<std::uint32_t> numbers;
  for (const auto& [bytes, number] : loose) numbers.push_back(number);
  return numbers;
}

}  // namespace kvantage::inline ssd
