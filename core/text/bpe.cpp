// Byte pair encoding (Sennrich et al. 2016): a piece starts as characters, then the adjacent pair with the lowest rank
// is merged, leftmost first, until none is left. A priority queue of candidate pairs makes that near-linear.
#include <array>
#include <mutex>
#include <queue>

#include "core/text/token_model.h"
#include "core/text/unicode.h"
#include "core/text/vocabulary.h"

namespace kvantage::inline text {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFF;

struct Merge {
  std::uint32_t rank;
  std::int32_t merged_id;
};

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
}

/// Symbols of a word while it is merged: a doubly linked list in a vector.
struct Symbol {
  std::int32_t id;
  std::uint32_t previous;
  std::uint32_t next;
  bool alive = true;
};

struct Candidate {
  std::uint32_t rank;
  std::uint32_t position;
  std::int32_t merged_id;
  bool operator>(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};

class Bpe final : public TokenModel {
 public:
  static Expected<std::unique_ptr<TokenModel>> make(Vocabulary vocabulary, const Json& json, const std::string& where);

  void tokenize(std::string_view piece, std::vector<std::int32_t>& ids) const override;
  std::optional<std::int32_t> id(std::string_view token) const override { return vocabulary_.id(token); }
  std::string_view token(std::int32_t id) const override { return vocabulary_.token(id); }
  std::size_t token_count() const override { return vocabulary_.size(); }
  std::int32_t id_bound() const override { return vocabulary_.id_bound(); }

 private:
  Status read_merges(const Json& json, const std::string& name);
  std::vector<Symbol> symbols_of(std::string_view word) const;
  void merge(std::vector<Symbol>& symbols) const;

  Vocabulary vocabulary_;
  SeededMap<std::uint64_t, Merge> merges_;
  std::array<std::int32_t, 0x3000> id_of_character_{};  // fast path for common characters; -1: none
  std::array<std::int32_t, 256> id_of_byte_{};
  std::optional<std::int32_t> unknown_id_;
  std::string continuing_prefix_;
  std::string end_suffix_;
  bool byte_fallback_ = false;
  bool fuse_unknown_ = false;
  bool ignore_merges_ = false;

  // Short words repeat often; long pieces do not, and would only fill the cache.
  static constexpr std::size_t cached_words = 20000;
  static constexpr std::size_t longest_cached_word = 128;
  mutable std::mutex cache_mutex_;
  mutable StringMap<std::vector<std::int32_t>> cache_;
};

Expected<std::unique_ptr<TokenModel>> Bpe::make(Vocabulary vocabulary, const Json& json, const std::string& where) {
  auto model = std::make_unique<Bpe>();
  model->vocabulary_ = std::move(vocabulary);
  const auto text_field = [&](const char* key) { return json_field_or<std::string>(json, key, where, ""); };
  const auto flag = [&](const char* key) { return json_field_or<bool>(json, key, where, false); };
  auto prefix = text_field("continuing_subword_prefix");
  auto suffix = text_field("end_of_word_suffix");
  auto unknown = text_field("unk_token");
  auto byte_fallback = flag("byte_fallback");
  auto fuse_unknown = flag("fuse_unk");
  auto ignore_merges = flag("ignore_merges");
  auto dropout = json_field_or<double>(json, "dropout", where, 0.0);
  for (const auto* field : {&prefix, &suffix, &unknown}) KV_TRY(*field);
  for (const auto* field : {&byte_fallback, &fuse_unknown, &ignore_merges}) KV_TRY(*field);
  KV_TRY(dropout);
  if (*dropout != 0)
    return fail(ErrorCode::rejected_input,
                where + ": dropout makes ids random; set it to null to use the tokenizer here");
  model->continuing_prefix_ = std::move(*prefix);
  model->end_suffix_ = std::move(*suffix);
  model->byte_fallback_ = *byte_fallback;
  model->fuse_unknown_ = *fuse_unknown;
  model->ignore_merges_ = *ignore_merges;
  if (!unknown->empty()) {
    model->unknown_id_ = model->vocabulary_.id(*unknown);
    if (!model->unknown_id_)
      return fail(ErrorCode::rejected_input,
                  where + ": unk_token '" + printable(*unknown) + "' is not in the vocabulary; add it there");
  }
  for (std::size_t i = 0; i < model->id_of_character_.size(); ++i)
    model->id_of_character_[i] =
        i >= 0xD800 ? -1 : model->vocabulary_.id(utf8_of(static_cast<char32_t>(i))).value_or(-1);
  const auto byte_ids = model->vocabulary_.byte_ids();
  for (std::size_t byte = 0; byte < 256; ++byte) model->id_of_byte_[byte] = byte_ids[byte].value_or(-1);
  KV_TRY(model->read_merges(json, where));
  return std::unique_ptr<TokenModel>(std::move(model));
}

Status Bpe::read_merges(const Json& json, const std::string& name) {
  if (!json.contains("merges") || !json.at("merges").is_array())
    return fail(ErrorCode::rejected_input, name + ": field 'merges' must be a list");
  const auto bad = [&](std::size_t number, const std::string& reason) {
    return fail(ErrorCode::rejected_input,
                name + ": merge " + std::to_string(number) + " " + reason + "; fetch the file again");
  };
  std::uint32_t rank = 0;
  const Json& list = json.at("merges");
  merges_.reserve(list.size());
  for (const Json& entry : list) {
    std::string left;
    std::string right;
    if (entry.is_string()) {  // "a b", the older format
      const auto& line = entry.get_ref<const std::string&>();
      if (line.starts_with("#version")) continue;
      const std::size_t space = line.find(' ');
      if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos)
        return bad(rank, "is not two tokens with a space between");
      left = line.substr(0, space);
      right = line.substr(space + 1);
    } else if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
      left = entry[0].get<std::string>();
      right = entry[1].get<std::string>();
    } else {
      return bad(rank, "is neither \"a b\" nor [\"a\", \"b\"]");
    }
    if (right.size() < continuing_prefix_.size()) return bad(rank, "lacks the continuing_subword_prefix");
    const auto left_id = vocabulary_.id(left);
    const auto right_id = vocabulary_.id(right);
    const auto merged_id = vocabulary_.id(left + right.substr(continuing_prefix_.size()));
    if (!left_id || !right_id || !merged_id)
      return bad(rank,
                 "('" + printable(left) + "', '" + printable(right) + "') names a token that the vocabulary lacks");
    merges_[pair_of(*left_id, *right_id)] = {rank, *merged_id};
    ++rank;
  }
  return {};
}

std::vector<Symbol> Bpe::symbols_of(std::string_view word) const {
  std::vector<Symbol> symbols;
  symbols.reserve(word.size());
  const auto add = [&](std::int32_t id) {
    const auto index = static_cast<std::uint32_t>(symbols.size());
    symbols.push_back({id, index == 0 ? none : index - 1, none});
    if (index > 0) symbols[index - 1].next = index;
  };
  const bool decorated = !continuing_prefix_.empty() || !end_suffix_.empty();
  bool unknown_waits = false;  // an unknown run is added when its end is known
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(word, at);
    std::string_view spelled = word.substr(begin, at - begin);
    std::string with_affixes;
    std::int32_t found = -1;
    if (decorated) {
      if (begin > 0) with_affixes = continuing_prefix_;
      with_affixes += spelled;
      if (at == word.size()) with_affixes += end_suffix_;
      spelled = with_affixes;
      found = vocabulary_.id(spelled).value_or(-1);
    } else if (character < id_of_character_.size()) {
      found = id_of_character_[character];
    } else {
      found = vocabulary_.id(spelled).value_or(-1);
    }
    if (found >= 0) {
      if (unknown_waits) add(*unknown_id_);
      unknown_waits = false;
      add(found);
      continue;
    }
    if (byte_fallback_) {
      bool all = true;
      for (const char byte : spelled) all = all && id_of_byte_[static_cast<unsigned char>(byte)] >= 0;
      if (all) {
        for (const char byte : spelled) add(id_of_byte_[static_cast<unsigned char>(byte)]);
        continue;
      }
    }
    if (!unknown_id_) continue;  // without a token and an unknown token, a character is dropped
    if (unknown_waits && !fuse_unknown_) add(*unknown_id_);
    unknown_waits = true;
  }
  if (unknown_waits) add(*unknown_id_);
  return symbols;
}

void Bpe::merge(std::vector<Symbol>& symbols) const {
  std::vector<Candidate> storage;
  storage.reserve(symbols.size());
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue(std::greater<>{}, std::move(storage));
  const auto offer = [&](std::uint32_t position) {
    if (position == none || symbols[position].next == none) return;
    const auto found = merges_.find(pair_of(symbols[position].id, symbols[symbols[position].next].id));
    if (found != merges_.end()) queue.push({found->second.rank, position, found->second.merged_id});
  };
  for (std::uint32_t i = 0; i < symbols.size(); ++i) offer(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[best.position];
    if (!left.alive || left.next == none) continue;
    Symbol& right = symbols[left.next];
    // An entry is stale when its symbols have been merged since.
    const auto found = merges_.find(pair_of(left.id, right.id));
    if (found == merges_.end() || found->second.merged_id != best.merged_id) continue;
    left.id = best.merged_id;
    left.next = right.next;
    right.alive = false;
    if (left.next != none) symbols[left.next].previous = best.position;
    offer(left.previous);
    offer(best.position);
  }
}

void Bpe::tokenize(std::string_view piece, std::vector<std::int32_t>& ids) const {
  if (ignore_merges_) {
    if (const auto whole = vocabulary_.id(piece)) {
      ids.push_back(*whole);
      return;
    }
  }
  const bool cacheable = piece.size() <= longest_cached_word;
  if (cacheable) {
    const std::lock_guard lock(cache_mutex_);
    if (const auto hit = cache_.find(piece); hit != cache_.end()) {
      ids.insert(ids.end(), hit->second.begin(), hit->second.end());
      return;
    }
  }
  std::vector<Symbol> symbols = symbols_of(piece);
  merge(symbols);
  const std::size_t before = ids.size();
  for (const Symbol& symbol : symbols)
    if (symbol.alive) ids.push_back(symbol.id);
  if (cacheable) {
    const std::lock_guard lock(cache_mutex_);
    if (cache_.size() >= cached_words) cache_.clear();
    cache_.emplace(piece, std::vector<std::int32_t>(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end()));
  }
}

}  // namespace

Expected<std::unique_ptr<TokenModel>> make_bpe(Vocabulary vocabulary, const Json& settings, const std::string& name) {
  return Bpe::make(std::move(vocabulary), settings, name + ": model BPE");
}

Expected<std::unique_ptr<TokenModel>> make_token_model(const Json& json, const std::string& name) {
  // Early files omit the type; a list of merges then implies BPE.
  const bool untyped_bpe = json.is_object() && !json.contains("type") && json.contains("merges");
  KV_ASSIGN(auto type,
            untyped_bpe ? Expected<std::string>("BPE") : json_field<std::string>(json, "type", name + ": model"));
  if (type == "BPE") {
    if (!json.contains("vocab")) return fail(ErrorCode::rejected_input, name + ": model BPE: field 'vocab' is missing");
    KV_ASSIGN(auto vocabulary, Vocabulary::parse(json.at("vocab"), name + ": model BPE"));
    return make_bpe(std::move(vocabulary), json, name);
  }
  if (type == "Unigram") return make_unigram(json, name);
  if (type == "WordLevel") return make_word_level(json, name);
  return fail(ErrorCode::rejected_input, name + ": tokenizer model type '" + printable(type) +
                                             "' is not supported; known are BPE, Unigram and WordLevel");
}

}  // namespace kvantage::inline text
