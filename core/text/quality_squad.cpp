// The two metrics of SQuAD (Rajpurkar et al. 2016, 2018), with the normalization of its evaluation script.
#include <unordered_map>

#include "core/text/quality.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

bool is_ascii_punctuation(char32_t c) {
  return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) || (c >= 0x7B && c <= 0x7E);
}

bool separates_words(char32_t c) { return text::is_white_space(c) || (c >= 0x1C && c <= 0x1F); }

}  // namespace

std::vector<std::string> squad_words(std::string_view given) {
  std::string kept;
  const std::string lower = text::lower_case(text::mended_utf8(given));
  for (std::size_t at = 0; at < lower.size();)
    if (const char32_t c = text::next_character(lower, at); !is_ascii_punctuation(c)) text::append_character(kept, c);

  // An article counts only as a whole run of letters and digits; a space replaces it.
  std::string without_articles;
  std::string run;
  const auto end_run = [&] {
    without_articles += run == "a" || run == "an" || run == "the" ? " " : run;
    run.clear();
  };
  for (std::size_t at = 0; at < kept.size();) {
    const char32_t c = text::next_character(kept, at);
    if (text::is_letter_or_number(c)) {
      text::append_character(run, c);
    } else {
      end_run();
      text::append_character(without_articles, c);
    }
  }
  end_run();

  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < without_articles.size();) {
    const char32_t c = text::next_character(without_articles, at);
    if (!separates_words(c))
      text::append_character(words.back(), c);
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string squad_normalized(std::string_view text) {
  std::string joined;
  for (const std::string& word : squad_words(text)) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

double exact_match(std::string_view answer, std::string_view gold) {
  return squad_words(answer) == squad_words(gold) ? 1.0 : 0.0;
}

double token_f1(std::string_view answer, std::string_view gold) {
  const std::vector<std::string> answered = squad_words(answer);
  const std::vector<std::string> expected = squad_words(gold);
  if (answered.empty() || expected.empty()) return answered.empty() && expected.empty() ? 1.0 : 0.0;
  std::unordered_map<std::string, int> left;
  for (const std::string& word : expected) ++left[word];
  int common = 0;
  for (const std::string& word : answered)
    if (auto found = left.find(word); found != left.end() && found->second > 0) {
      --found->second;
      ++common;
    }
  if (common == 0) return 0;
  const double precision = static_cast<double>(common) / static_cast<double>(answered.size());
  const double recall = static_cast<double>(common) / static_cast<double>(expected.size());
  return 2 * precision * recall / (precision + recall);
}

}  // namespace kvantage::inline text
