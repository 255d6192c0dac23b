#include "core/text/split.h"

#include <algorithm>

namespace kvantage::inline text {
namespace {

struct Segment {
  TextRange range;
  bool is_match = false;
};

/// Matches and the text between them, covering the whole text. Empty matches count: they separate their neighbors.
std::vector<Segment> segments_of(std::size_t size, const std::vector<TextRange>& matches, bool invert) {
  std::vector<Segment> segments;
  segments.reserve(matches.size() * 2 + 1);
  std::size_t done = 0;
  for (const TextRange& match : matches) {
    if (match.begin != done) segments.push_back({{done, match.begin}, invert});
    segments.push_back({match, !invert});
    done = match.end;
  }
  if (done != size) segments.push_back({{done, size}, invert});
  return segments;
}

}  // namespace

std::optional<SplitBehavior> split_behavior_of(std::string_view name) {
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  return std::nullopt;
}

void split_piece(const Piece& piece, const std::vector<TextRange>& matches, SplitBehavior behavior, bool invert,
                 std::vector<Piece>& parts) {
  std::vector<Segment> segments = segments_of(piece.text.size(), matches, invert);
  std::vector<TextRange> kept;
  kept.reserve(segments.size());
  bool previous_match = false;
  switch (behavior) {
    case SplitBehavior::removed:
      for (const Segment& segment : segments)
        if (!segment.is_match) kept.push_back(segment.range);
      break;
    case SplitBehavior::isolated:
      for (const Segment& segment : segments) kept.push_back(segment.range);
      break;
    case SplitBehavior::contiguous:
      for (const Segment& segment : segments) {
        if (segment.is_match == previous_match && !kept.empty())
          kept.back().end = segment.range.end;
        else
          kept.push_back(segment.range);
        previous_match = segment.is_match;
      }
      break;
    case SplitBehavior::merged_with_previous:
      for (const Segment& segment : segments) {
        if (segment.is_match && !previous_match && !kept.empty())
          kept.back().end = segment.range.end;
        else
          kept.push_back(segment.range);
        previous_match = segment.is_match;
      }
      break;
    case SplitBehavior::merged_with_next:
      std::reverse(segments.begin(), segments.end());
      for (const Segment& segment : segments) {
        if (segment.is_match && !previous_match && !kept.empty())
          kept.back().begin = segment.range.begin;
        else
          kept.push_back(segment.range);
        previous_match = segment.is_match;
      }
      std::reverse(kept.begin(), kept.end());
      break;
  }
  for (const TextRange& range : kept)
    if (range.end > range.begin)
      parts.push_back({piece.text.substr(range.begin, range.end - range.begin), piece.at_start && range.begin == 0});
}

}  // namespace kvantage::inline text
