// Questions with options: which letters an answer names.
#include <algorithm>
#include <optional>

#include "core/text/quality.h"

namespace kvantage::inline text {
namespace {

bool is_option_letter(char c) { return c >= 'A' && c <= 'Z'; }
bool is_alphanumeric(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

/// Letters in order, each once: "CA" and "A, C" are "AC".
std::string sorted_letters(std::string letters) {
  std::ranges::sort(letters);
  const auto repeated = std::ranges::unique(letters);
  letters.erase(repeated.begin(), repeated.end());
  return letters;
}

std::optional<std::string> reference_letters(std::string_view gold) {
  std::string letters;
  for (const char c : gold) {
    if (is_option_letter(c))
      letters += c;
    else if (std::string_view(" ,;()[].").find(c) == std::string_view::npos)
      return {};
  }
  constexpr std::size_t most = 10;  // more capitals are a word
  if (letters.empty() || letters.size() > most) return {};
  return sorted_letters(letters);
}

/// "A cat", "I think": a word of the sentence, not an option.
bool is_word(std::string_view text, std::size_t at) {
  return (text[at] == 'A' || text[at] == 'I') && at + 2 < text.size() && text[at + 1] == ' ' && text[at + 2] >= 'a' &&
         text[at + 2] <= 'z';
}

/// The letters that a text begins with: "B", "(B) because", "A, C", "AC."; empty: it begins with something else.
std::string leading_letters(std::string_view text) {
  std::string letters;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && is_option_letter(text[i])) ++i;
    const bool ends = i == text.size() || !is_alphanumeric(text[i]);
    if (i > begin && !ends) break;  // of a word
    constexpr std::size_t most_together = 5;
    if (i - begin > most_together || (i > begin && is_word(text, begin))) break;
    letters += text.substr(begin, i - begin);
    const std::size_t behind = std::min(text.find_first_not_of("()[]*\"' \t,;&", i), text.size());
    if (behind == i || (behind < text.size() && !is_option_letter(text[behind]))) break;
    // "A cat" names no option C: a list of letters has commas.
    if (!letters.empty() && text.substr(i, behind - i).find_first_of(",;&") == std::string_view::npos) break;
    i = behind;
  }
  return letters;
}

std::string letters_of_answer(std::string_view answer) {
  for (const std::string_view mark : {"answer is", "answer:", "Answer:", "Answer is"})
    if (const std::size_t at = answer.rfind(mark); at != std::string_view::npos)
      if (std::string letters = leading_letters(
              answer.substr(std::min(answer.find_first_not_of("()[]*:\"' \t\r\n", at + mark.size()), answer.size())));
          !letters.empty())
        return letters;
  answer.remove_prefix(std::min(answer.find_first_not_of("()[]*\"' \t\r\n"), answer.size()));
  if (std::string letters = leading_letters(answer); !letters.empty()) return letters;
  for (std::size_t i = 0; i < answer.size(); ++i)
    if (is_option_letter(answer[i]) && !is_word(answer, i) && (i == 0 || !is_alphanumeric(answer[i - 1])) &&
        (i + 1 == answer.size() || !is_alphanumeric(answer[i + 1])))
      return std::string(1, answer[i]);
  return {};
}

}  // namespace

double choice_match(std::string_view answer, std::string_view gold) {
  const auto expected = reference_letters(gold);
  if (!expected) return exact_match(answer, gold);
  return sorted_letters(letters_of_answer(answer)) == *expected ? 1.0 : 0.0;
}

}  // namespace kvantage::inline text
