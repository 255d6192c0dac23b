#include "core/text/added_tokens.h"

#include <algorithm>
#include <bit>
#include <span>

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

/// Not before `least`, so that a text's space is passed over once.
std::size_t begin_of_space_before(std::string_view text, std::size_t position, std::size_t least) {
  for (std::size_t at = position; position > least; position = at)
    if (!is_white_space(previous_character(text, at))) break;
  return std::max(position, least);
}

/// Ends of space in a text, for ascending positions. A position inside the last run has the same end.
class SpaceEnds {
 public:
  explicit SpaceEnds(std::string_view text) : text_(text) {}
  std::size_t after(std::size_t position) {
    if (position < end_) return end_;
    for (std::size_t at = end_ = position; end_ < text_.size(); end_ = at)
      if (!is_white_space(next_character(text_, at))) break;
    return end_;
  }

 private:
  std::string_view text_;
  std::size_t end_ = 0;
};

}  // namespace

Expected<AddedTokens> AddedTokens::parse(const Json& json, const TokenModel& model, const Normalizer* normalizer,
                                         const std::string& name) {
  AddedTokens added;
  added.name_ = name + ": added_tokens";
  if (json.is_null()) return added;
  if (!json.is_array()) return fail(ErrorCode::rejected_input, name + ": field 'added_tokens' must be a list");
  constexpr std::size_t most_tokens = 1'000'000, most_bytes = std::size_t{16} << 20;
  const std::string& where = added.name_;
  std::vector<Token> in_order;
  std::int32_t largest_id = -1;
  std::size_t bytes = 0;
  for (const Json& entry : json) {
    KV_ASSIGN(auto content, json_field<std::string>(entry, "content", where));
    bytes += content.size();
    if (json.size() > most_tokens || bytes > most_bytes)
      return fail(ErrorCode::rejected_input, where + ": has more than " + std::to_string(most_tokens) + " tokens or " +
                                                 std::to_string(most_bytes >> 20) + " MiB of them; correct the file");
    if (content.size() > Vocabulary::max_token_bytes)
      return fail(ErrorCode::rejected_input,
                  where + ": token '" + printable(content) + "' has more than 1000 bytes; correct the file");
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
  KV_TRY(added.fill_indexes(in_order, normalizer));
  return added;
}

Status AddedTokens::fill_indexes(const std::vector<Token>& in_order, const Normalizer* normalizer) {
  std::size_t bytes = 0;
  for (const Token& token : in_order) bytes += token.content.size();
  EncodingBudget budget(bytes);  // of all together: each alone would have the spare bytes and steps
  for (const Token& token : in_order) {
    Sought sought{token.content, ids_.at(token.content)};
    if (token.normalized && normalizer != nullptr) {
      KV_TRY(normalizer->apply(sought.spelling, false, budget));
      KV_TRY(budget.take_bytes(sought.spelling.size(), normalizer->name));
    }
    if (sought.spelling.empty()) continue;
    (token.normalized ? normalized_ : as_given_).add(std::move(sought));
  }
  as_given_.sort();
  normalized_.sort();
  return {};
}

void AddedTokens::Index::sort() {
  std::ranges::stable_sort(spellings, {}, &Sought::spelling);
  const auto rest = std::ranges::unique(spellings, {}, &Sought::spelling);
  spellings.erase(rest.begin(), rest.end());
  begins.fill(0);
  for (const Sought& sought : spellings) ++begins[sought.byte_at(0) + std::size_t{1}];
  for (std::size_t byte = 0; byte < 256; ++byte) begins[byte + 1] += begins[byte];
}

const AddedTokens::Sought* AddedTokens::Index::longest_at(std::string_view text, std::uint64_t& steps) const {
  const auto first = static_cast<unsigned char>(text.front());
  const Sought* longest = nullptr;
  auto range = std::span(spellings).subspan(begins[first], begins[first + std::size_t{1}] - begins[first]);
  for (std::size_t length = 1; !range.empty(); ++length) {  // the range: spellings that share the text's first `length`
    if (range.front().spelling.size() == length) {
      longest = &range.front();
      range = range.subspan(1);
    }
    if (range.size() == 1 && text.starts_with(range.front().spelling)) return &range.front();
    if (range.size() <= 1 || length == text.size()) break;
    steps += std::bit_width(range.size());
    const auto next = std::ranges::equal_range(range, static_cast<unsigned char>(text[length]), {},
                                               [&](const Sought& sought) { return sought.byte_at(length); });
    range = {next.begin(), next.end()};
  }
  return longest;
}

std::optional<std::int32_t> AddedTokens::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::string_view AddedTokens::token(std::int32_t id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? std::string_view() : std::string_view(found->second.content);
}

Expected<std::vector<AddedTokens::Section>> AddedTokens::find(std::string_view text, const Index& index,
                                                              EncodingBudget& budget) const {
  std::vector<Section> sections;
  constexpr std::uint64_t free_steps = 100;  // as of a regular expression
  std::size_t done = 0;                      // the text before it is already in a section
  SpaceEnds space_ends(text);
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t steps = 0;
    const Sought* const match = index.longest_at(text.substr(at), steps);
    if (steps > free_steps) KV_TRY(budget.take_pass(steps, name_));
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
    if (token.lstrip) begin = begin_of_space_before(text, begin, done);
    if (token.rstrip) end = space_ends.after(end);
    if (done < begin) sections.push_back({{done, begin}, std::nullopt});
    sections.push_back({{begin, end}, match->id});
    done = end;
  }
  if (done < text.size()) sections.push_back({{done, text.size()}, std::nullopt});
  return sections;
}

}  // namespace kvantage::inline text
