#include "core/text/vocabulary.h"

namespace kvantage::text {

Expected<Vocabulary> Vocabulary::parse(const Json& json, const std::string& name) {
  constexpr std::int64_t id_limit = 1 << 24;  // no model has so many; a wild id must not take all memory
  if (!json.is_object())
    return fail(ErrorCode::rejected_input, name + ": field 'vocab' must be an object of token: id");
  Vocabulary vocabulary;
  vocabulary.ids_.reserve(json.size());
  for (const auto& [token, value] : json.items()) {
    const std::int64_t id = value.is_number_integer() ? value.get<std::int64_t>() : -1;
    if (id < 0 || id >= id_limit)
      return fail(ErrorCode::rejected_input,
                  name + ": token '" + token + "' has no usable id; ids are integers from 0 to 16777215");
    const auto row = static_cast<std::size_t>(id);
    if (row >= vocabulary.tokens_.size()) vocabulary.tokens_.resize(row + 1);
    vocabulary.tokens_[row] = token;
    vocabulary.ids_.emplace(token, static_cast<std::int32_t>(id));
  }
  return vocabulary;
}

}  // namespace kvantage::text
