#include "core/trace/json_rows.h"

#include <algorithm>
#include <charconv>

#include "core/base/digest.h"
#include "core/trace/civil_time.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {

Status read_block_ids(const Json& row, const char* key, const std::string& where, std::vector<std::uint64_t>& blocks) {
  const std::string field = std::string("field '") + key + "'";
  const auto ids = row.find(key);
  if (ids == row.end()) return fail(ErrorCode::rejected_input, where + ": " + field + " is missing; add it");
  if (!ids->is_array())
    return fail(ErrorCode::rejected_input, where + ": " + field + " is not a list; give the ids of the blocks");
  blocks.reserve(ids->size());
  for (const Json& id : *ids) {
    if (!id.is_number_unsigned())
      return fail(ErrorCode::rejected_input,
                  where + ": " + field + " holds a value that is not a whole number from 0 on; correct it");
    blocks.push_back(id.get<std::uint64_t>());
  }
  return {};
}

std::uint64_t block_id_of(std::string_view word) {
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  // "0012" is another word than "12".
  const bool is_number =
      error == std::errc() && end == word.data() + word.size() && (word.size() == 1 || word[0] != '0');
  return is_number ? id : digest_of(word).low;
}

void add_block_words(std::string_view text, std::vector<std::uint64_t>& blocks) {
  constexpr std::string_view between = " \t\r\n,;|[]{}", quotes = "'\"()";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find_first_not_of(between, at), text.size());
    at = std::min(text.find_first_of(between, begin), text.size());
    std::string_view word = text.substr(begin, at - begin);
    word.remove_prefix(std::min(word.find_first_not_of(quotes), word.size()));
    word = word.substr(0, word.find_last_not_of(quotes) + 1);
    if (!word.empty()) blocks.push_back(block_id_of(word));
  }
}

std::string_view unusable_blocks(std::uint64_t input_tokens, std::uint64_t blocks, std::uint64_t block_tokens) {
  if (input_tokens == 0) return drop_reason::no_input;
  const std::uint64_t full = input_tokens / block_tokens;
  return blocks == 0 || blocks == full || blocks == full + 1 ? std::string_view()
                                                             : drop_reason::blocks_of_another_length;
}

Expected<std::int64_t> time_field(const Json& row, const char* key, const std::string& where, std::int64_t nanoseconds,
                                  const char* unit) {
  KV_ASSIGN(const auto value, json_value(row, key, where));
  if (!value->is_number())
    return fail(ErrorCode::rejected_input, where + ": field '" + key + "' has the wrong type (" + value->type_name() +
                                               "); give a time in " + unit);
  const auto time = value->is_number_unsigned() ? whole_time(value->get<std::uint64_t>(), nanoseconds)
                                                : rounded_time(value->get<double>(), nanoseconds);
  if (!time)
    return fail(ErrorCode::rejected_input,
                where + ": field '" + key + "' is out of range; give " + unit + " from 0 on, at most 9 * 10^9 seconds");
  return *time;
}

std::vector<std::uint64_t> blocks_of_token_ids(const Json& ids, std::size_t tokens) {
  std::vector<std::uint64_t> blocks;
  blocks.reserve(ids.size() / tokens + 1);
  std::uint64_t before = 0;
  for (std::size_t begin = 0; begin < ids.size(); begin += tokens) {
    DigestBuilder digest;
    digest.add(before);
    for (std::size_t i = begin; i < std::min(begin + tokens, ids.size()); ++i)
      digest.add(ids[i].is_number_integer() ? static_cast<std::uint64_t>(ids[i].get<std::int64_t>())
                                            : std::uint64_t{0});
    blocks.push_back(before = digest.finish().low);
  }
  return blocks;
}

}  // namespace kvantage::inline trace
