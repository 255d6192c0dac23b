// Regular expressions of tokenizer files (Oniguruma, Ruby syntax), run by PCRE2 with UTF, UCP and JIT. Where the two
// differ in meaning the pattern is rewritten (\s, \w, \h, \uXXXX, \p of new characters) or rejected (set intersection,
// nested sets, {n,m}+): a pattern with another meaning would silently split words differently.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/encoding_budget.h"

namespace kvantage::inline text {

struct TextRange {
  std::size_t begin = 0;  // byte offsets
  std::size_t end = 0;
};

class Regex {
 public:
  /// rejected_input with PCRE2's reason; `name` comes first in the message.
  static Expected<Regex> compile(std::string_view pattern, const std::string& name);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  /// All non-overlapping matches in valid UTF-8 text from left to right. rejected_input names the pattern when the
  /// search needs more steps than the budget has left, or more than 1 GiB of memory.
  Expected<std::vector<TextRange>> find_all(std::string_view text, EncodingBudget& budget) const;

 private:
  struct Compiled;
  explicit Regex(std::unique_ptr<Compiled> compiled);
  tl::unexpected<Error> failure(int code) const;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace kvantage::inline text
