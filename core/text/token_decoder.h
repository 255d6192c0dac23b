// The reverse direction: token spellings -> text. A decoder transforms a list of strings; concatenated, they are the
// text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/text/encoding_budget.h"

namespace kvantage::inline text {

class TokenDecoder {
 public:
  virtual ~TokenDecoder() = default;
  /// What would exceed the budget stays as it is: a decoder cannot fail.
  virtual void apply(std::vector<std::string>& tokens, EncodingBudget& budget) const = 0;
};

/// From the field "decoder"; nullptr for null (the tokens are then joined with spaces). rejected_input names an unknown
/// type.
Expected<std::unique_ptr<TokenDecoder>> make_token_decoder(const Json& json, const std::string& name, int depth = 0);

}  // namespace kvantage::inline text
