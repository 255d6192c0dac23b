#include "core/workload/families/writing.h"

#include <algorithm>

#include "core/workload/families/pieces.h"

namespace kvantage::inline text_families {

std::string_view pick(WordList words, Random& random) { return words[random.below(words.size())]; }

WordList share_of(WordList words, double share) {
  return words.first(
      std::clamp<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(words.size())), 1, words.size()));
}

std::string fill_in(std::string_view pattern, std::initializer_list<std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{' && i + 2 < pattern.size() && pattern[i + 2] == '}') {
      text += std::data(words)[static_cast<std::size_t>(pattern[i + 1] - '0')];
      i += 2;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

std::string vary(std::initializer_list<std::string_view> patterns, std::initializer_list<std::string_view> words,
                 Random& random) {
  return fill_in(std::data(patterns)[random.below(patterns.size())], words);
}

std::string number(std::size_t digits, Random& random) {
  std::string text;
  for (std::size_t i = 0; i < digits; ++i) text += static_cast<char>('0' + random.below(10));
  return text;
}

std::string filler_sentence(Random& random) {
  const std::string_view adjective = pick(adjectives(), random);
  const std::string_view noun = pick(nouns(), random);
  const std::string_view verb = pick(past_verbs(), random);
  const std::string_view adverb = pick(adverbs(), random);
  const std::string_view other = pick(nouns(), random);
  return vary(
      {"The {0} {1} {2} {3}.", "The {1} {2} near the {0} {4}.", "The {4} stood {3} behind the {1}.",
       "A {0} {1} {2} beside the {4}.", "There was no {1} near the {0} {4}.", "They saw the {1} and the {0} {4}.",
       "Nobody heard the {1} until the {4} {2}.", "The {1} {2} and then the {4} {2} {3}.",
       "Some say that the {4} was {0} before the {1} {2}.", "It was {0} when the {1} {2} over the {4}."},
      {adjective, noun, verb, adverb, other}, random);
}

std::optional<PairPicker::Pair> PairPicker::next(Random& random) {
  const bool neighbor = !given_.empty() && random.uniform() < neighbor_fraction_;
  constexpr std::size_t max_attempts = 20000;
  for (std::size_t attempt = 0; attempt < max_attempts; ++attempt) {
    Pair pair{pick(first_, random), pick(second_, random)};
    // Retries for a neighbor are limited; a split with one pair in ten may have none.
    if (neighbor && attempt < 200) {
      const Pair& earlier = given_[random.below(given_.size())];
      if (random.below(2) == 0) {
        pair.first = earlier.first;
      } else {
        pair.second = earlier.second;
      }
    }
    if (split_of_pair(pair.first, pair.second) != split_ || !seen_.emplace(pair.first, pair.second).second) continue;
    given_.push_back(pair);
    return pair;
  }
  return std::nullopt;
}

Page::Page(std::string_view family, const FamilyParams& params) : params_(params) { context_.family = family; }

void Page::add_sentence(const std::string& sentence) {
  context_.text += (context_.text.empty() ? "" : " ") + sentence;
  tokens_ += count_pieces(" " + sentence);
}

void Page::maybe_filler(Random& random) {
  while (!full() && random.uniform() < params_.filler_fraction) add_sentence(filler_sentence(random));
}

void Page::add_question(std::string question, std::string answer) {
  if (asked_.insert(question).second) context_.questions.push_back({std::move(question), std::move(answer)});
}

GeneratedContext Page::finish(Random& random) {
  random.shuffle(std::span(context_.questions));
  if (context_.questions.size() > params_.question_limit) context_.questions.resize(params_.question_limit);
  return std::move(context_);
}

}  // namespace kvantage::inline text_families
