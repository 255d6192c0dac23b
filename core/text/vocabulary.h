// Bidirectional map of tokens and ids.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/seeded_hash.h"

namespace kvantage::inline text {

template <class T>
using StringMap = SeededMap<std::string, T>;

class Vocabulary {
 public:
  /// Of a token's spelling: a text of unknown characters is decoded to as many spellings of the unknown token.
  static constexpr std::size_t max_token_bytes = 1000;

  /// From {"token": id, ...}. rejected_input for an id that is not a small non-negative integer.
  static Expected<Vocabulary> parse(const Json& json, const std::string& name);
  enum class Repeats { refused, last_counts };
  /// From tokens in id order; an empty one is an id without token. rejected_input for a duplicate token, unless the
  /// last one counts, or invalid UTF-8.
  static Expected<Vocabulary> from_list(std::vector<std::string> tokens, const std::string& name,
                                        Repeats repeats = Repeats::refused);
  std::optional<std::int32_t> id(std::string_view token) const {
    const auto found = ids_.find(token);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  std::string_view token(std::int32_t id) const {
    const std::int32_t row = id >= 0 && id < id_bound() ? rows_[static_cast<std::size_t>(id)] : no_row;
    return row == no_row ? std::string_view() : std::string_view(tokens_[static_cast<std::size_t>(row)]);
  }
  /// Of the tokens <0x00> to <0xFF>, to which unknown characters fall back.
  std::array<std::optional<std::int32_t>, 256> byte_ids() const;
  std::size_t size() const { return ids_.size(); }
  std::int32_t id_bound() const { return static_cast<std::int32_t>(rows_.size()); }

 private:
  static constexpr std::int32_t no_row = -1;
  StringMap<std::int32_t> ids_;
  std::vector<std::string> tokens_;
  std::vector<std::int32_t> rows_;  // by id, into tokens_: a single large id needs 4 bytes for each id below it
};

}  // namespace kvantage::inline text
