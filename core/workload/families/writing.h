// Shared by the families: a page that fills up to a number of tokens, keys without repeats, filler sentences.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/workload/families/families.h"
#include "core/workload/families/lexicon.h"

namespace kvantage::inline text_families {

std::string_view pick(WordList words, Random& random);
/// The first `share` of a list, at least one word.
WordList share_of(WordList words, double share);

/// Replaces {0}, {1} ... in `pattern` with the given words.
std::string fill_in(std::string_view pattern, std::initializer_list<std::string_view> words);
/// One of the patterns, filled in.
std::string vary(std::initializer_list<std::string_view> patterns, std::initializer_list<std::string_view> words,
                 Random& random);

/// `digits` random digits, leading zeros included.
std::string number(std::size_t digits, Random& random);

/// A sentence without facts.
std::string filler_sentence(Random& random);

/// Pairs of words from two lists: of one split only, without repeats. About a fifth share a word with an earlier pair
/// of the same text, because near neighbors make lookups harder.
class PairPicker {
 public:
  struct Pair {
    std::string_view first;
    std::string_view second;
    std::string text() const { return std::string(first) + " " + std::string(second); }
  };

  PairPicker(WordList first, WordList second, KeySplit split, double neighbor_fraction = 0.2)
      : first_(first), second_(second), split_(split), neighbor_fraction_(neighbor_fraction) {}

  /// A new pair, or none when the split is nearly exhausted.
  std::optional<Pair> next(Random& random);
  const std::vector<Pair>& given() const { return given_; }

 private:
  WordList first_;
  WordList second_;
  KeySplit split_;
  double neighbor_fraction_;
  std::vector<Pair> given_;
  std::set<std::pair<std::string_view, std::string_view>> seen_;
};

/// Collects sentences until the target is reached, and questions without repeats.
class Page {
 public:
  Page(std::string_view family, const FamilyParams& params);

  bool full() const { return tokens_ >= params_.target_tokens; }
  std::size_t tokens() const { return tokens_; }
  void add_sentence(const std::string& sentence);
  /// Adds filler with the probability that maintains the filler fraction, counted in sentences.
  void maybe_filler(Random& random);
  /// Drops the question if it was already added.
  void add_question(std::string question, std::string answer);
  /// Shuffles the questions and truncates them to the limit.
  GeneratedContext finish(Random& random);

 private:
  FamilyParams params_;
  GeneratedContext context_;
  std::set<std::string> asked_;
  std::size_t tokens_ = 0;
};

}  // namespace kvantage::inline text_families
