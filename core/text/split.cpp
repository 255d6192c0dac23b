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

namespace {

/// What becomes a part, or a beginning of one that is empty.
std::vector<TextRange> kept_ranges(std::vector<Segment> segments, SplitBehavior behavior) {
  std::vector<TextRange> kept;
  kept.reserve(segments.size());
  bool previous_match = false;
  // Neighbors are one range where `joins`.
  const auto keep_joined = [&](auto joins, auto join) {
    for (const Segment& segment : segments) {
      if (!kept.empty() && joins(segment))
        join(kept.back(), segment.range);
      else
        kept.push_back(segment.range);
      previous_match = segment.is_match;
    }
  };
  const auto extend = [](TextRange& last, const TextRange& range) { last.end = range.end; };
  const auto begins_match = [&](const Segment& segment) { return segment.is_match && !previous_match; };
  switch (behavior) {
    case SplitBehavior::removed:
      for (const Segment& segment : segments)
        if (!segment.is_match) kept.push_back(segment.range);
      break;
    case SplitBehavior::isolated:
      for (const Segment& segment : segments) kept.push_back(segment.range);
      break;
    case SplitBehavior::contiguous:
      keep_joined([&](const Segment& segment) { return segment.is_match == previous_match; }, extend);
      break;
    case SplitBehavior::merged_with_previous:
      keep_joined(begins_match, extend);
      break;
    case SplitBehavior::merged_with_next:
      std::ranges::reverse(segments);
      keep_joined(begins_match, [](TextRange& last, const TextRange& range) { last.begin = range.begin; });
      std::ranges::reverse(kept);
      break;
  }
  return kept;
}

}  // namespace

Status split_piece(const Piece& piece, const std::vector<TextRange>& matches, SplitBehavior behavior, bool invert,
                   const std::string& stage, std::vector<Piece>& parts) {
  KV_TRY(EncodingBudget::check_pieces(parts.size() + matches.size(), stage));
  const std::vector<TextRange> kept = kept_ranges(segments_of(piece.text.size(), matches, invert), behavior);
  KV_TRY(EncodingBudget::check_pieces(parts.size() + kept.size(), stage));
  if (parts.empty()) parts.reserve(kept.size());  // a text of many parts is one piece at first
  for (const TextRange& range : kept)
    if (range.end > range.begin)
      parts.push_back({piece.text.substr(range.begin, range.end - range.begin), piece.at_start && range.begin == 0});
  return {};
}

}  // namespace kvantage::inline text
