// SentencePiece's byte pair encoding (Kudo and Richardson 2018): a text starts as characters. Of all adjacent pairs
// whose joint text is a token, the one with the best score is merged first, leftmost on ties, until none is left. No
// list of merges is needed, and a character that is not a token can still become part of one.
#include <array>
#include <queue>

#include "core/text/token_model.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

constexpr std::uint32_t no_symbol = 0xFFFFFFFF;

/// A run of the text, in a doubly linked list in a vector. A symbol that was merged into the previous one is empty.
struct ScoredSymbol {
  std::size_t begin, size;
  std::uint32_t previous, next;
};

struct ScoredCandidate {
  float score;
  std::uint32_t position;
  std::size_t size;  // of both together: a different size means that one of them has grown since
  bool operator<(const ScoredCandidate& other) const {
    return score != other.score ? score < other.score : position > other.position;
  }
};

class ScoredBpe final : public TokenModel {
 public:
  ScoredBpe(Vocabulary vocabulary, std::vector<float> scores, std::optional<std::int32_t> unknown)
      : vocabulary_(std::move(vocabulary)), scores_(std::move(scores)), unknown_(unknown) {
    scores_.resize(static_cast<std::size_t>(vocabulary_.id_bound()));
    id_of_byte_ = vocabulary_.byte_ids();
  }

  void tokenize(std::string_view text, std::vector<std::int32_t>& ids) const override {
    std::vector<ScoredSymbol> symbols;
    symbols.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      next_character(text, at);
      const auto index = static_cast<std::uint32_t>(symbols.size());
      symbols.push_back(
          {begin, at - begin, index == 0 ? no_symbol : index - 1, at == text.size() ? no_symbol : index + 1});
    }
    merge(text, symbols);
    for (const ScoredSymbol& symbol : symbols)
      if (symbol.size > 0) append_ids(text.substr(symbol.begin, symbol.size), ids);
  }
  std::optional<std::int32_t> id(std::string_view token) const override { return vocabulary_.id(token); }
  std::string_view token(std::int32_t id) const override { return vocabulary_.token(id); }
  std::size_t token_count() const override { return vocabulary_.size(); }
  std::int32_t id_bound() const override { return vocabulary_.id_bound(); }

 private:
  void merge(std::string_view text, std::vector<ScoredSymbol>& symbols) const {
    std::priority_queue<ScoredCandidate> queue;
    const auto offer = [&](std::uint32_t left) {
      if (left == no_symbol || symbols[left].next == no_symbol) return;
      const std::size_t size = symbols[left].size + symbols[symbols[left].next].size;
      const auto id = vocabulary_.id(text.substr(symbols[left].begin, size));
      if (id) queue.push({scores_[static_cast<std::size_t>(*id)], left, size});
    };
    for (std::uint32_t i = 0; i < symbols.size(); ++i) offer(i);
    while (!queue.empty()) {
      const ScoredCandidate best = queue.top();
      queue.pop();
      ScoredSymbol& left = symbols[best.position];
      if (left.size == 0 || left.next == no_symbol) continue;
      ScoredSymbol& right = symbols[left.next];
      if (left.size + right.size != best.size) continue;
      left.size = best.size;
      right.size = 0;
      left.next = right.next;
      if (left.next != no_symbol) symbols[left.next].previous = best.position;
      offer(left.previous);
      offer(best.position);
    }
  }

  void append_ids(std::string_view piece, std::vector<std::int32_t>& ids) const {
    if (const auto id = vocabulary_.id(piece)) {
      ids.push_back(*id);
      return;
    }
    bool all = true;
    for (const char byte : piece) all = all && id_of_byte_[static_cast<unsigned char>(byte)].has_value();
    if (all)
      for (const char byte : piece) ids.push_back(*id_of_byte_[static_cast<unsigned char>(byte)]);
    else if (unknown_)
      ids.push_back(*unknown_);
  }

  Vocabulary vocabulary_;
  std::vector<float> scores_;
  std::optional<std::int32_t> unknown_;
  std::array<std::optional<std::int32_t>, 256> id_of_byte_;
};

}  // namespace

std::unique_ptr<TokenModel> make_scored_bpe(Vocabulary vocabulary, std::vector<float> scores,
                                            std::optional<std::int32_t> unknown) {
  return std::make_unique<ScoredBpe>(std::move(vocabulary), std::move(scores), unknown);
}

}  // namespace kvantage::inline text
