// Unigram (Kudo 2018), as in T5, XLM-R, ALBERT and mT5: of all ways to write a text as pieces of the vocabulary, the
// one with the largest sum of scores, found by Viterbi's algorithm over a trie. Ids equal those of `tokenizers`: ties,
// penalty and the joining of unknown characters are its.
#include <algorithm>
#include <array>
#include <limits>
#include <queue>

#include "core/text/token_model.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

constexpr double unknown_penalty = 10.0;                      // below the worst score
constexpr std::size_t max_trie_nodes = std::size_t{8} << 20;  // about eight times those of the largest vocabularies
constexpr std::size_t max_unigram_pieces = std::size_t{1} << 21;

/// Pieces by their bytes. A node's children are neighbors, ascending by byte.
class PieceTrie {
 public:
  /// From pieces with their ids, ascending by bytes, each once. False when they need too many nodes.
  bool build(const std::vector<std::pair<std::string_view, std::int32_t>>& pieces) {
    struct Range {
      std::size_t begin, end, depth;
    };
    std::queue<Range> ranges;  // of the nodes from `at` on
    ranges.push({0, pieces.size(), 0});
    nodes_.assign(1, {});
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      Range range = ranges.front();
      ranges.pop();
      if (range.begin < range.end && pieces[range.begin].first.size() == range.depth)
        nodes_[at].id = pieces[range.begin++].second;
      nodes_[at].first_child = static_cast<std::uint32_t>(nodes_.size());
      while (range.begin < range.end) {
        const char byte = pieces[range.begin].first[range.depth];
        std::size_t end = range.begin;
        while (end < range.end && pieces[end].first[range.depth] == byte) ++end;
        if (nodes_.size() >= max_trie_nodes) return false;
        nodes_.push_back({.byte = static_cast<unsigned char>(byte)});
        ranges.push({range.begin, end, range.depth + 1});
        ++nodes_[at].children;
        range.begin = end;
      }
    }
    return true;
  }

  /// Calls found(length, id) for each piece that begins the text, shortest first.
  template <class Found>
  void prefixes_of(std::string_view text, const Found& found) const {
    const Node* node = nodes_.data();
    for (std::size_t length = 0; length < text.size();) {
      const auto byte = static_cast<unsigned char>(text[length]);
      const Node* const begin = nodes_.data() + node->first_child;
      const Node* const end = begin + node->children;
      const Node* const child =
          node->children == 1 ? begin : std::ranges::lower_bound(begin, end, byte, {}, &Node::byte);
      if (child == end || child->byte != byte) return;
      node = child;
      ++length;
      if (node->id >= 0) found(length, node->id);
    }
  }

 private:
  struct Node {
    std::uint32_t first_child = 0;
    std::int32_t id = -1;
    std::uint16_t children = 0;
    unsigned char byte = 0;
  };
  std::vector<Node> nodes_;
};

class Unigram final : public TokenModel {
 public:
  static Expected<std::unique_ptr<TokenModel>> make(const Json& json, const std::string& where);

  void tokenize(std::string_view piece, std::vector<std::int32_t>& ids) const override;
  std::optional<std::int32_t> id(std::string_view token) const override { return vocabulary_.id(token); }
  std::string_view token(std::int32_t id) const override { return vocabulary_.token(id); }
  std::size_t token_count() const override { return vocabulary_.size(); }
  std::int32_t id_bound() const override { return vocabulary_.id_bound(); }

 private:
  /// The best way to write the text up to a place ends with the piece that starts at `begin`.
  struct Best {
    double score = 0;
    std::uint32_t begin = none;
    std::int32_t id = 0;
    static constexpr std::uint32_t none = 0xFFFFFFFF;
    void offer(double other_score, std::size_t from, std::int32_t other_id) {
      if (begin != none && !(other_score > score)) return;
      score = other_score;
      begin = static_cast<std::uint32_t>(from);
      id = other_id;
    }
  };
  Status read_pieces(const Json& list, const std::string& where);
  std::vector<Best> best_ways(std::string_view text) const;
  void append_unknown(std::string_view run, std::vector<std::int32_t>& ids) const;

  Vocabulary vocabulary_;
  std::vector<double> scores_;
  PieceTrie trie_;
  double unknown_score_ = 0;
  std::int32_t unknown_id_ = 0;
  bool byte_fallback_ = false;
  std::array<std::optional<std::int32_t>, 256> id_of_byte_;
};

Status Unigram::read_pieces(const Json& list, const std::string& where) {
  if (list.size() > max_unigram_pieces)
    return fail(ErrorCode::rejected_input, where + ": field 'vocab': " + too_long(list.size(), max_unigram_pieces));
  std::vector<std::string> pieces;
  pieces.reserve(list.size());
  scores_.reserve(list.size());
  double worst = std::numeric_limits<double>::infinity();
  for (const Json& entry : list) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
      return fail(ErrorCode::rejected_input, where + ": entry " + std::to_string(pieces.size()) +
                                                 " of 'vocab' is not a piece with its score; correct it");
    pieces.push_back(entry[0].get<std::string>());
    scores_.push_back(entry[1].get<double>());
    worst = std::min(worst, scores_.back());
  }
  unknown_score_ = worst - unknown_penalty;
  KV_ASSIGN(vocabulary_, Vocabulary::from_list(std::move(pieces), where, Vocabulary::Repeats::last_counts));
  std::vector<std::pair<std::string_view, std::int32_t>> sorted;
  sorted.reserve(scores_.size());
  for (std::int32_t id = 0; id < vocabulary_.id_bound(); ++id)
    if (const std::string_view piece = vocabulary_.token(id); !piece.empty() && vocabulary_.id(piece) == id)
      sorted.emplace_back(piece, id);
  std::ranges::sort(sorted);
  if (!trie_.build(sorted))
    return fail(ErrorCode::rejected_input,
                where + ": the pieces of 'vocab' are too long all together; use the tokenizer of a published model");
  return {};
}

Expected<std::unique_ptr<TokenModel>> Unigram::make(const Json& json, const std::string& where) {
  auto model = std::make_unique<Unigram>();
  KV_ASSIGN(const auto list, json_list(json, "vocab", where));
  KV_TRY(model->read_pieces(*list, where));
  KV_ASSIGN(model->byte_fallback_, json_field_or<bool>(json, "byte_fallback", where, false));
  if (!json.contains("unk_id") || json.at("unk_id").is_null())
    return fail(ErrorCode::rejected_input,
                where + ": field 'unk_id' is missing, so that texts with unknown characters have no ids; add it");
  KV_ASSIGN(model->unknown_id_, json_field<std::int32_t>(json, "unk_id", where));
  if (model->unknown_id_ < 0 || model->unknown_id_ >= model->vocabulary_.id_bound())
    return fail(ErrorCode::rejected_input, where + ": unk_id is " + std::to_string(model->unknown_id_) +
                                               ", but ids end at " + std::to_string(model->vocabulary_.id_bound() - 1) +
                                               "; correct it");
  model->id_of_byte_ = model->vocabulary_.byte_ids();
  return std::unique_ptr<TokenModel>(std::move(model));
}

std::vector<Unigram::Best> Unigram::best_ways(std::string_view text) const {
  std::vector<Best> best(text.size() + 1);
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t after_character = begin;
    next_character(text, after_character);
    const double here = best[begin].score;
    bool single = false;
    trie_.prefixes_of(text.substr(begin), [&](std::size_t length, std::int32_t id) {
      best[begin + length].offer(scores_[static_cast<std::size_t>(id)] + here, begin, id);
      single = single || begin + length == after_character;
    });
    if (!single) best[after_character].offer(unknown_score_ + here, begin, unknown_id_);
    begin = after_character;
  }
  return best;
}

void Unigram::append_unknown(std::string_view run, std::vector<std::int32_t>& ids) const {
  if (const auto id = vocabulary_.id(run)) return ids.push_back(*id);
  const auto id_of = [&](char byte) { return id_of_byte_[static_cast<unsigned char>(byte)]; };
  if (byte_fallback_ && std::ranges::all_of(run, [&](char byte) { return id_of(byte).has_value(); })) {
    for (const char byte : run) ids.push_back(*id_of(byte));
    return;
  }
  ids.push_back(unknown_id_);
}

void Unigram::tokenize(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::vector<Best> best = best_ways(text);
  std::vector<std::uint32_t> ends;  // of the pieces, last first
  for (std::size_t end = text.size(); end > 0; end = best[end].begin) ends.push_back(static_cast<std::uint32_t>(end));
  for (std::size_t i = ends.size(); i-- > 0;) {
    const Best& piece = best[ends[i]];
    if (piece.id != unknown_id_) {
      ids.push_back(piece.id);
      continue;
    }
    // Neighbors that are unknown are one.
    while (i > 0 && best[ends[i - 1]].id == unknown_id_) --i;
    append_unknown(text.substr(piece.begin, ends[i] - piece.begin), ids);
  }
}

}  // namespace

Expected<std::unique_ptr<TokenModel>> make_unigram(const Json& json, const std::string& name) {
  return Unigram::make(json, name + ": model Unigram");
}

}  // namespace kvantage::inline text
