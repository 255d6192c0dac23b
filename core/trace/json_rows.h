// Fields of JSON rows that several formats have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace kvantage::inline trace {

/// Appends the ids of prefix blocks: a list of whole numbers from 0 on. rejected_input names the place.
Status read_block_ids(const Json& row, const char* key, const std::string& where, std::vector<std::uint64_t>& blocks);

/// The id that a word stands for: a whole number itself, any other word (hexadecimal digits, a name) its digest.
std::uint64_t block_id_of(std::string_view word);
/// Appends the ids of words between blanks, commas, semicolons, bars and brackets: "[1, 2]", "['a1b2', 'c3d4']".
void add_block_words(std::string_view text, std::vector<std::uint64_t>& blocks);

/// One of drop_reason for a request with so many block ids, or empty. No ids, or none of the last, partial block, are
/// fine.
std::string_view unusable_blocks(std::uint64_t input_tokens, std::uint64_t blocks, std::uint64_t block_tokens);

/// A time, as a whole number or with decimals, in nanoseconds. `nanoseconds`: of its unit, `unit` its name for the
/// message. rejected_input for one below 0 or above latest_time.
Expected<std::int64_t> time_field(const Json& row, const char* key, const std::string& where, std::int64_t nanoseconds,
                                  const char* unit);

/// Ids of blocks of `tokens` tokens each, of which each names everything before it, too: equal beginnings of two lists
/// of token ids have equal blocks.
std::vector<std::uint64_t> blocks_of_token_ids(const Json& ids, std::size_t tokens);

}  // namespace kvantage::inline trace
