// Third stage of a tokenizer: a piece of text -> token ids, from a fixed vocabulary. Each kind of model is a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage::text {

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  /// Appends the ids of a non-empty piece of valid UTF-8. Safe from several threads.
  virtual void tokenize(std::string_view piece, std::vector<std::int32_t>& ids) const = 0;
  virtual std::optional<std::int32_t> id(std::string_view token) const = 0;
  /// Empty for an id without token.
  virtual std::string_view token(std::int32_t id) const = 0;
  /// How many tokens there are, and one past the largest id.
  virtual std::size_t token_count() const = 0;
  virtual std::int32_t id_bound() const = 0;
};

/// From the field "model". rejected_input names an unknown type or what does not fit.
Expected<std::unique_ptr<TokenModel>> make_token_model(const Json& json, const std::string& name);

}  // namespace kvantage::text
