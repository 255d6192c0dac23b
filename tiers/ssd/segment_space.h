// Space allocation in the segment files: pure bookkeeping without disk access. Best fit: the smallest free piece that
// is large enough, else after the last extent of a segment, else a new segment. Free space at the end of a segment is
// not kept, so files end with their last entry.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace kvantage::inline ssd {

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

  /// Segments grow to `segment_bytes`; a longer extent gets its own segment.
  explicit SegmentSpace(std::uint64_t segment_bytes = default_segment_bytes) : segment_bytes_(segment_bytes) {}

  /// Marks an extent as used. Call in offset order per segment; false, without changes, if it overlaps the previous one
  /// or is not whole pages.
  bool occupy(const SegmentExtent& extent);
  /// Lower numbers are not assigned to new segments: files of that name may exist.
  void skip_numbers_below(std::uint32_t number);
  SegmentExtent allocate(std::uint64_t bytes);
  /// At the end of a segment numbered `first` or higher, never in a hole.
  SegmentExtent append(std::uint64_t bytes, std::uint32_t first);
  /// Returns the new length of the segment; 0: it is empty and removed.
  std::uint64_t release(const SegmentExtent& extent);

  /// The number of the next new segment.
  std::uint32_t next_number() const { return next_number_; }
  std::uint64_t segment_bytes() const { return segment_bytes_; }
  /// Length of a segment; 0 for an unknown number.
  std::uint64_t length(std::uint32_t segment) const;
  /// Totals: files are length_bytes long, free_bytes of that are holes.
  std::uint64_t length_bytes() const;
  std::uint64_t free_bytes() const { return free_bytes_; }
  /// Segments worth rewriting, largest gain first: with holes, or short next to another short one.
  std::vector<std::uint32_t> loose_segments() const;

 private:
  struct Segment {
    std::uint64_t length = 0;
    std::uint64_t free_bytes = 0;
    std::map<std::uint64_t, std::uint64_t> free;  // offset to bytes; neighbors are merged
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

}  // namespace kvantage::inline ssd
