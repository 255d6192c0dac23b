// Tokens that are matched in the text before any other stage: <|im_start|>, </s> and the like. Those not marked
// `normalized` are matched in the raw text, the others after the normalizer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/text/normalizer.h"
#include "core/text/regex.h"
#include "core/text/token_model.h"
#include "core/text/vocabulary.h"

namespace kvantage::inline text {

class AddedTokens {
 public:
  /// From the field "added_tokens". The normalizer (may be nullptr) is applied to the normalized ones.
  static Expected<AddedTokens> parse(const Json& json, const TokenModel& model, const Normalizer* normalizer,
                                     const std::string& name);

  struct Section {
    TextRange range;
    std::optional<std::int32_t> id;  // set if the section is an added token, including the space that it absorbs
  };
  /// Splits the text into tokens and the text between them, in order. Sections without id are never empty.
  /// rejected_input when spellings have so much in common with the text that the search exceeds the budget.
  Expected<std::vector<Section>> find_as_given(std::string_view text, EncodingBudget& budget) const {
    return find(text, as_given_, budget);
  }
  Expected<std::vector<Section>> find_normalized(std::string_view text, EncodingBudget& budget) const {
    return find(text, normalized_, budget);
  }

  std::optional<std::int32_t> id(std::string_view token) const;
  /// Empty for an id without added token.
  std::string_view token(std::int32_t id) const;
  bool is_special(std::string_view token) const { return special_.find(token) != special_.end(); }
  std::int32_t id_bound() const { return id_bound_; }

 private:
  struct Token {
    std::string content;
    bool single_word = false;  // only if not adjacent to a letter
    bool lstrip = false;       // absorbs the space on its left
    bool rstrip = false;
    bool normalized = true;
    bool special = false;
    bool operator==(const Token&) const = default;
  };
  struct Sought {
    std::string spelling;
    std::int32_t id = 0;
    unsigned char byte_at(std::size_t at) const { return static_cast<unsigned char>(spelling[at]); }
  };
  /// Ascending by spelling, each once: the spellings with a common beginning are one range, which every further byte of
  /// a text narrows. A search costs a few steps per byte of the longest spelling, however many there are.
  struct Index {
    std::vector<Sought> spellings;
    std::array<std::size_t, 257> begins{};  // of those that begin with a byte; the next byte's is their end

    void add(Sought sought) { spellings.push_back(std::move(sought)); }
    /// Of equal spellings the first added remains.
    void sort();
    /// nullptr: no spelling begins the text, which is not empty. Adds the steps that it took.
    const Sought* longest_at(std::string_view text, std::uint64_t& steps) const;
  };

  Status fill_indexes(const std::vector<Token>& in_order, const Normalizer* normalizer);
  Expected<std::vector<Section>> find(std::string_view text, const Index& index, EncodingBudget& budget) const;

  StringMap<std::int32_t> ids_;
  std::unordered_map<std::int32_t, Token> tokens_;
  std::unordered_set<std::string, SeededHash, std::equal_to<>> special_;
  Index as_given_;
  Index normalized_;
  std::int32_t id_bound_ = 0;
  std::string name_;  // in messages
};

}  // namespace kvantage::inline text
