#include "app/cli/sweep/shell_words.h"

namespace kvantage::cli {

Expected<std::vector<std::string>> shell_words(std::string_view text, const std::string& option) {
  std::vector<std::string> words;
  bool inside = false;  // of a word, which may be empty: ''
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    const bool is_space = letter == ' ' || letter == '\t' || letter == '\n';
    if (quote == 0 && is_space) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote == 0 && (letter == '\'' || letter == '"')) {
      quote = letter;
    } else if (quote != 0 && letter == quote) {
      quote = 0;
    } else if (letter == '\\' && quote != '\'' && i + 1 < text.size() &&
               (quote == 0 || std::string_view("\"\\$`").find(text[i + 1]) != std::string_view::npos)) {
      words.back() += text[++i];
    } else {
      words.back() += letter;
    }
  }
  if (quote != 0) return fail(ErrorCode::usage, option + ": a quote (" + quote + ") has no end; close it");
  return words;
}

}  // namespace kvantage::cli
