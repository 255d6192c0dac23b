// Which parts of the segment files are taken: pure bookkeeping, nothing here touches a disk. Room goes to the smallest
// free piece that is large enough, else behind the last extent of a segment, else to a new segment; what is free at the
// end of a segment is not kept, so files end with their last entry.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace kvantage {

/// Part of a segment file; offset and length in bytes, multiples of 4 KiB.
struct SegmentExtent {
  std::uint32_t segment = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;

  std::uint64_t end() const { return offset + bytes; }
  bool operator==(const SegmentExtent&) const = default;
};

class SegmentSpace {
 public:
  static constexpr std::uint64_t default_segment_bytes = std::uint64_t{64} << 20;

  /// Segments grow to `segment_bytes`; an extent that is longer has one of its own.
  explicit SegmentSpace(std::uint64_t segment_bytes = default_segment_bytes) : segment_bytes_(segment_bytes) {}

  /// An extent that is taken already. Those of a segment in order of their offsets; false, and nothing changes, when it
  /// overlaps the one before or is no whole number of pages.
  bool occupy(const SegmentExtent& extent);
  /// Numbers below this are not given to new segments any more: files of that name may exist.
  void skip_numbers_below(std::uint32_t number);
  SegmentExtent allocate(std::uint64_t bytes);
  /// Behind everything else in a segment numbered `first` or higher, never in a hole.
  SegmentExtent append(std::uint64_t bytes, std::uint32_t first);
  /// The new length of the segment; 0: it is empty and gone.
  std::uint64_t release(const SegmentExtent& extent);

  /// The number that the next new segment gets.
  std::uint32_t next_number() const { return next_number_; }
  std::uint64_t segment_bytes() const { return segment_bytes_; }
  /// Length of a segment; 0 when there is none of that number.
  std::uint64_t length(std::uint32_t segment) const;
  /// Of all segments together: files are length_bytes long, free_bytes of that are holes.
  std::uint64_t length_bytes() const;
  std::uint64_t free_bytes() const { return free_bytes_; }
  /// Segments worth rewriting, those with most to gain first: with holes, or short beside another short one.
  std::vector<std::uint32_t> loose_segments() const;

 private:
  struct Segment {
    std::uint64_t length = 0;
    std::uint64_t free_bytes = 0;
    std::map<std::uint64_t, std::uint64_t> free;  // offset to bytes; neighbours are merged
  };
  using Pieces = std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>>;  // bytes, segment, offset

  void add_piece(std::uint32_t number, Segment& segment, std::uint64_t offset, std::uint64_t bytes);
  void take_piece(std::uint32_t number, Segment& segment, std::map<std::uint64_t, std::uint64_t>::iterator piece);

  std::uint64_t segment_bytes_;
  std::uint32_t next_number_ = 1;
  std::uint64_t free_bytes_ = 0;
  std::map<std::uint32_t, Segment> segments_;
  Pieces pieces_;
};

}  // namespace kvantage
