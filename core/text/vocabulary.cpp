#include "core/text/vocabulary.h"

#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

constexpr std::int64_t id_limit = 1 << 24;      // beyond any model; a bogus id must not exhaust memory
constexpr std::size_t token_limit = 2'000'000;  // four times as many as any model has

}  // namespace

Expected<Vocabulary> Vocabulary::parse(const Json& json, const std::string& name) {
  if (!json.is_object())
    return fail(ErrorCode::rejected_input, name + ": field 'vocab' must be an object of token: id");
  if (json.size() > token_limit)
    return fail(ErrorCode::rejected_input, name + ": has " + std::to_string(json.size()) + " tokens, and at most " +
                                               std::to_string(token_limit) + " are read; fetch the file again");
  Vocabulary vocabulary;
  vocabulary.ids_.reserve(json.size());
  for (const auto& [token, value] : json.items()) {
    const std::int64_t id = value.is_number_integer() ? value.get<std::int64_t>() : -1;
    if (token.size() > max_token_bytes)
      return fail(ErrorCode::rejected_input,
                  name + ": token '" + printable(token) + "' has more than 1000 bytes; fetch the file again");
    if (id < 0 || id >= id_limit)
      return fail(ErrorCode::rejected_input,
                  name + ": token '" + printable(token) + "' has no usable id; ids are integers from 0 to 16777215");
    if (id >= vocabulary.id_bound()) vocabulary.rows_.resize(static_cast<std::size_t>(id) + 1, no_row);
    vocabulary.rows_[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(vocabulary.tokens_.size());
    vocabulary.tokens_.push_back(token);
    vocabulary.ids_.emplace(token, static_cast<std::int32_t>(id));
  }
  return vocabulary;
}

Expected<Vocabulary> Vocabulary::from_list(std::vector<std::string> tokens, const std::string& name, Repeats repeats) {
  const auto refuse = [&](std::size_t id, const std::string& reason) {
    return fail(ErrorCode::rejected_input, name + ": token " + std::to_string(id) + " ('" + printable(tokens[id]) +
                                               "') " + reason + "; convert the model again");
  };
  if (tokens.size() > token_limit)
    return fail(ErrorCode::rejected_input, name + ": has " + std::to_string(tokens.size()) + " tokens, and at most " +
                                               std::to_string(token_limit) + " are read; convert the model again");
  Vocabulary vocabulary;
  vocabulary.ids_.reserve(tokens.size());
  vocabulary.rows_.assign(tokens.size(), no_row);
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].empty()) continue;
    if (tokens[id].size() > max_token_bytes) return refuse(id, "has more than 1000 bytes");
    vocabulary.rows_[id] = static_cast<std::int32_t>(id);
    if (mended_utf8(tokens[id]) != tokens[id]) return refuse(id, "is not UTF-8 text");
    const bool is_new = vocabulary.ids_.insert_or_assign(tokens[id], static_cast<std::int32_t>(id)).second;
    if (!is_new && repeats == Repeats::refused) return refuse(id, "appears twice");
  }
  vocabulary.tokens_ = std::move(tokens);
  return vocabulary;
}

std::array<std::optional<std::int32_t>, 256> Vocabulary::byte_ids() const {
  constexpr char digits[] = "0123456789ABCDEF";
  std::array<std::optional<std::int32_t>, 256> ids;
  for (std::size_t byte = 0; byte < 256; ++byte)
    ids[byte] = id(std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">");
  return ids;
}

}  // namespace kvantage::inline text
