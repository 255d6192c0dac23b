// Splits ASCII text by the default tokenizer's pattern: " ?\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+". Every piece of a
// generated text is one token, so counting pieces counts tokens.
#pragma once

#include <string_view>
#include <vector>

namespace kvantage::inline text_families {

/// The pattern in the notation of tokenizer.json.
inline constexpr std::string_view piece_pattern = R"( ?\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+)";

/// Pieces of `text` (ASCII), in order; concatenated they give the text.
std::vector<std::string_view> split_pieces(std::string_view text);
/// Number of tokens of a generated text.
std::size_t count_pieces(std::string_view text);

}  // namespace kvantage::inline text_families
