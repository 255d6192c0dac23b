// The words of a formula: read before the library sees it, so that messages name what is wrong and where, and so that
// it holds nothing but what is documented.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline formula {

struct FormulaToken {
  enum class Kind : std::uint8_t { number, quantity, function, operation, open, close, comma };
  Kind kind = Kind::number;
  std::string_view text;
  std::size_t at = 0;  // character of the formula, from 0
};

/// A usage error about a formula; `at`: as in FormulaToken.
tl::unexpected<Error> formula_error(std::string_view text, std::size_t at, const std::string& reason);

/// usage error for a character, number or name that no formula has. The tokens view `text`.
Expected<std::vector<FormulaToken>> formula_tokens(std::string_view text);

/// Whether these are a product with the factor `frequency`, which occurs nowhere else.
bool is_scaled_by_frequency(const std::vector<FormulaToken>& tokens);

}  // namespace kvantage::inline formula
