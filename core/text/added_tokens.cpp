#include "core/text/added_tokens.h"

#include <algorithm>

#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

bool word_ends(std::string_view text) {
  std::size_t at = text.size();
  return is_word(previous_character(text, at));
}

bool word_begins(std::string_view text) {
  std::size_t at = 0;
  return is_word(next_character(text, at));
}

std::size_t begin_of_space_before(std::string_view text, std::size_t position) {
  for (std::size_t at = position; position > 0; position = at)
    if (!is_white_space(previous_character(text, at))) break;
  return position;
}

std::size_t end_of_space_after(std::string_view text, std::size_t position) {
  for (std::size_t at = position; position < text.size(); position = at)
    if (!is_white_space(next_character(text, at))) break;
  return position;
}

}  // namespace

Expected<AddedTokens> AddedTokens::parse(const Json& json, const TokenModel& model, const Normalizer* normalizer,
                                         const std::string& name) {
  AddedTokens added;
  if (json.is_null()) return added;
  if (!json.is_array()) return fail(ErrorCode::rejected_input, name + ": field 'added_tokens' must be a list");
  std::vector<Token> in_order;
  std::int32_t largest_id = -1;
  for (const Json& entry : json) {
    const std::string where = name + ": added_tokens";
    KV_ASSIGN(auto content, json_field<std::string>(entry, "content", where));
    Token token;
    token.content = std::move(content);
    const std::pair<const char*, bool*> flags[] = {{"single_word", &token.single_word},
                                                   {"lstrip", &token.lstrip},
                                                   {"rstrip", &token.rstrip},
                                                   {"special", &token.special}};
    for (const auto& [key, value] : flags) {
      KV_ASSIGN(auto flag, json_field_or<bool>(entry, key, where, false));
      *value = flag;
    }
    KV_ASSIGN(auto is_normalized, json_field_or<bool>(entry, "normalized", where, !token.special));
    token.normalized = is_normalized;
    if (token.content.empty()) continue;
    if (token.special) added.special_.insert(token.content);
    // The vocabulary's id, or the next free one, as in `tokenizers`, whatever number the file gives.
    std::optional<std::int32_t> id = added.id(token.content);
    if (!id) id = model.id(token.content);
    if (!id) id = std::max(largest_id + 1, static_cast<std::int32_t>(model.token_count()));
    const bool known = added.ids_.contains(token.content);
    added.ids_[token.content] = *id;
    largest_id = std::max(largest_id, *id);
    added.id_bound_ = std::max(added.id_bound_, *id + 1);
    if (!known) in_order.push_back(token);
    added.tokens_[*id] = std::move(token);
  }
  // For equal spellings, special tokens come before others.
  std::stable_partition(in_order.begin(), in_order.end(),
                        [&](const Token& token) { return added.is_special(token.content); });
  for (const Token& token : in_order) {
    Sought sought{token.content, added.ids_.at(token.content)};
    if (token.normalized && normalizer != nullptr) normalizer->apply(sought.spelling, false);
    if (sought.spelling.empty()) continue;
    Index& index = token.normalized ? added.normalized_ : added.as_given_;
    index[static_cast<unsigned char>(sought.spelling.front())].push_back(std::move(sought));
  }
  for (Index* index : {&added.as_given_, &added.normalized_})
    for (auto& bucket : *index)
      std::stable_sort(bucket.begin(), bucket.end(),
                       [](const Sought& a, const Sought& b) { return a.spelling.size() > b.spelling.size(); });
  return added;
}

std::optional<std::int32_t> AddedTokens::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::string_view AddedTokens::token(std::int32_t id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? std::string_view() : std::string_view(found->second.content);
}

std::vector<AddedTokens::Section> AddedTokens::find(std::string_view text, const Index& index) const {
  std::vector<Section> sections;
  std::size_t done = 0;  // the text before it is already in a section
  for (std::size_t at = 0; at < text.size();) {
    const Sought* match = nullptr;
    for (const Sought& sought : index[static_cast<unsigned char>(text[at])]) {
      if (text.compare(at, sought.spelling.size(), sought.spelling) != 0) continue;
      match = &sought;
      break;
    }
    if (match == nullptr) {
      ++at;
      continue;
    }
    std::size_t begin = at;
    std::size_t end = at + match->spelling.size();
    at = end;
    const Token& token = tokens_.at(match->id);
    if (token.single_word &&
        ((begin > 0 && word_ends(text.substr(0, begin))) || (end < text.size() && word_begins(text.substr(end)))))
      continue;
    if (token.lstrip) begin = std::max(begin_of_space_before(text, begin), done);
    if (token.rstrip) end = end_of_space_after(text, end);
    if (done < begin) sections.push_back({{done, begin}, std::nullopt});
    sections.push_back({{begin, end}, match->id});
    done = end;
  }
  if (done < text.size()) sections.push_back({{done, text.size()}, std::nullopt});
  return sections;
}

}  // namespace kvantage::inline text
