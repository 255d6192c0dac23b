// SentencePiece's compiled table of character replacements (precompiled_charsmap): a double-array trie from spellings
// to texts, as the normalizer Precompiled of `tokenizers` applies it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/encoding_budget.h"

namespace kvantage::inline text {

class Charsmap {
 public:
  /// From the field's base64. rejected_input for another form.
  static Expected<Charsmap> parse(std::string_view base64, const std::string& name);
  /// Valid UTF-8 text with every known character replaced; a grapheme of at most five bytes is looked up as a whole
  /// first. rejected_input naming `stage` when the text grows beyond the budget.
  Status replace_all(std::string& text, const EncodingBudget& budget, const std::string& stage) const;

 private:
  /// Of the shortest spelling in the table that begins the text.
  std::optional<std::string_view> replacement_of(std::string_view text) const;
  std::vector<std::uint32_t> units_;
  std::string texts_;  // each ends with a zero byte
};

}  // namespace kvantage::inline text
