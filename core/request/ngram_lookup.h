// Draft tokens for an answer that quotes its prompt: what followed its latest tokens where they occurred last, in
// context, question or answer (prompt lookup decoding; Saxena 2023). A lookup takes constant time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kvantage::inline requests {

/// What may follow a text.
struct DraftTokens {
  int matched = 0;  // tokens that both places have before it, at most NgramLookup::longest_counted; 0: none found
  std::vector<std::int32_t> tokens = {};
};

class NgramLookup {
 public:
  static constexpr int longest_counted = 8;

  /// longest: tokens of the n-grams that are tried first, from 1. Memory: 4 bytes for a token, and for each length of
  /// n-grams at most 1 MiB; of a longer text the latest n-grams are found.
  explicit NgramLookup(int longest) : longest_(longest) {}

  void append(std::span<const std::int32_t> tokens) { tokens_.insert(tokens_.end(), tokens.begin(), tokens.end()); }
  std::size_t size() const { return tokens_.size(); }
  /// At most `most` tokens. A repetition up to the end of the text is continued.
  DraftTokens next(int most);

 private:
  /// Of all n-grams of one length: by hash, the place of the latest one's last token; -1: none.
  struct Index {
    std::vector<std::int32_t> places;
    std::int32_t& at(std::span<const std::int32_t> key);
  };
  std::span<const std::int32_t> ngram(std::size_t end, std::size_t length) const;
  void index_before(std::size_t end);

  int longest_;
  std::vector<std::int32_t> tokens_;
  std::vector<Index> indices_;  // by length - 1; made at the first lookup
  std::size_t indexed_ = 0;     // n-grams that end before this token are in
};

}  // namespace kvantage::inline requests
