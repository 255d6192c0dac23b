// What happens to the matches when text is split at a pattern (the "behavior" of tokenizer.json).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/text/pre_tokenizer.h"
#include "core/text/regex.h"

namespace kvantage::inline text {

enum class SplitBehavior {
  removed,               // "a-b" at "-": a, b
  isolated,              // a, -, b
  merged_with_previous,  // a-, b
  merged_with_next,      // a, -b
  contiguous,            // as isolated, with adjacent matches in one piece
};
std::optional<SplitBehavior> split_behavior_of(std::string_view name);

/// Appends the parts of `piece`, split at `matches` (ascending, not overlapping). invert: the text between is the
/// match. rejected_input naming `stage` for more parts than EncodingBudget allows.
Status split_piece(const Piece& piece, const std::vector<TextRange>& matches, SplitBehavior behavior, bool invert,
                   const std::string& stage, std::vector<Piece>& parts);

}  // namespace kvantage::inline text
