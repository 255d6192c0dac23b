// The pieces that the default tokenizer's pattern cuts a text into: " ?\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+",
// for ASCII text. Every piece of a generated text is one token, so counting pieces counts tokens.
#pragma once

#include <string_view>
#include <vector>

namespace kvantage {

/// The pattern in the notation of tokenizer.json.
inline constexpr std::string_view piece_pattern = R"( ?\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+)";

/// Pieces of `text` (ASCII), in order; together they are the text.
std::vector<std::string_view> split_pieces(std::string_view text);
/// Number of tokens of a generated text.
std::size_t count_pieces(std::string_view text);

}  // namespace kvantage
