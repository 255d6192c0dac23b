#include "core/train/sentence_index.h"

namespace kvantage::inline training {

SentenceIndex::SentenceIndex(std::string_view text) : text_(text) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] != '.' && text[i] != ';') || (i + 1 < text.size() && text[i + 1] != ' ')) continue;
    sentences_.push_back(text.substr(begin, i + 1 - begin));
    begin = std::min(i + 2, text.size());
  }
}

bool SentenceIndex::once(std::string_view part) const {
  const std::size_t first = text_.find(part);
  return first != std::string_view::npos && text_.find(part, first + 1) == std::string_view::npos;
}

std::optional<GeneratedQuestion> SentenceIndex::draw(Random& random) const {
  constexpr int tries = 4;
  constexpr double whole_sentence = 0.25;
  for (int attempt = 0; attempt < tries && !sentences_.empty(); ++attempt) {
    const std::size_t index = random.below(sentences_.size());
    const std::string_view sentence = sentences_[index];
    if (random.uniform() < whole_sentence) {
      if (index + 1 < sentences_.size() && once(sentence))
        return GeneratedQuestion{std::string(sentence), std::string(sentences_[index + 1])};
      continue;
    }
    // The first half of the words, extended until it is unique in the text.
    for (std::size_t space = sentence.find(' ', sentence.size() / 2); space != std::string_view::npos;
         space = sentence.find(' ', space + 1)) {
      const std::string_view half = sentence.substr(0, space);
      if (once(half)) return GeneratedQuestion{std::string(half), std::string(sentence.substr(space + 1))};
    }
  }
  return std::nullopt;
}

}  // namespace kvantage::inline training
