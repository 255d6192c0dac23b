// {"String": ...} or {"Regex": ...}: the pattern type of normalizers, pre-tokenizers and decoders.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/text/regex.h"

namespace kvantage::inline text {

class TextPattern {
 public:
  /// From the object `json`; rejected_input otherwise.
  static Expected<TextPattern> parse(const Json& json, const std::string& name);
  /// As Regex::find_all.
  Expected<std::vector<TextRange>> find_all(std::string_view text, EncodingBudget& budget) const;
  /// Every match replaced by `content`, verbatim. rejected_input as find_all, or naming `stage` when the text grows
  /// beyond the budget; the text is then unchanged.
  Status replace_all(std::string& text, std::string_view content, EncodingBudget& budget,
                     const std::string& stage) const;

 private:
  std::string literal_;
  std::optional<Regex> regex_;
};

}  // namespace kvantage::inline text
