#include "core/text/code/ngram_match.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace kvantage::inline code_quality {
namespace {

constexpr std::size_t max_order = 4;
constexpr double smoothed_matches = 0.1;
constexpr double plain_weight = 0.2;  // of a token that is no keyword
// Of the reference, in the brevity penalty of the weighted match: the package takes the length of the pair (tokens,
// weights).
constexpr std::size_t length_of_pair = 2;

// As in the package, which counts the soft keywords, too.
constexpr auto keywords = std::to_array<std::string_view>(
    {"False",    "None",   "True",  "and",  "as",     "assert",   "async",   "await", "break", "class",
     "continue", "def",    "del",   "elif", "else",   "except",   "finally", "for",   "from",  "global",
     "if",       "import", "in",    "is",   "lambda", "nonlocal", "not",     "or",    "pass",  "raise",
     "return",   "try",    "while", "with", "yield",  "match",    "case",    "type"});

/// str.isspace() of Python, which has four controls more than Unicode's White_Space.
bool is_code_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// Bytes of the white space at `at`, 0 for another character. All white space has at most three bytes.
std::size_t space_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
  const char32_t first = byte(0);
  if (first < 0x80) return is_code_space(first) ? 1 : 0;
  if (first >= 0xC2 && first < 0xE0 && at + 1 < text.size())
    return is_code_space((first & 0x1F) << 6 | (byte(1) & 0x3F)) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0 && at + 2 < text.size())
    return is_code_space((first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F)) ? 3 : 0;
  return 0;
}

/// Counts of the n-grams of one order.
using NgramCounts = std::map<std::vector<std::string_view>, std::size_t>;

NgramCounts count_ngrams(std::span<const std::string_view> tokens, std::size_t order) {
  NgramCounts counts;
  for (std::size_t i = 0; i + order <= tokens.size(); ++i) {
    const auto ngram = tokens.subspan(i, order);
    ++counts[{ngram.begin(), ngram.end()}];
  }
  return counts;
}

double weight_of(const std::vector<std::string_view>& ngram, bool weighted) {
  if (!weighted || ngram.size() > 1) return 1;
  return std::ranges::find(keywords, ngram.front()) != keywords.end() ? 1 : plain_weight;
}

/// n-grams of `of` that are in `in`, each as often as in both, over all of `of`, at least 1.
struct Share {
  double matches = 0, all = 0;
};

Share share_of(std::span<const std::string_view> of, std::span<const std::string_view> in, std::size_t order,
               bool weighted) {
  const NgramCounts counted = count_ngrams(of, order), other = count_ngrams(in, order);
  Share share;
  for (const auto& [ngram, count] : counted) {
    const double weight = weight_of(ngram, weighted);
    share.all += weight * static_cast<double>(count);
    if (const auto found = other.find(ngram); found != other.end())
      share.matches += weight * static_cast<double>(std::min(count, found->second));
  }
  share.all = std::max(1.0, share.all);
  return share;
}

double brevity_penalty(std::size_t answer_tokens, std::size_t reference_tokens) {
  if (answer_tokens > reference_tokens) return 1;
  if (answer_tokens == 0) return 0;
  return std::exp(1 - static_cast<double>(reference_tokens) / static_cast<double>(answer_tokens));
}

double bleu(std::span<const std::string_view> answer, std::span<const std::string_view> reference, bool weighted) {
  double sum_of_logs = 0;
  for (std::size_t order = 1; order <= max_order; ++order) {
    const Share share = weighted ? share_of(reference, answer, order, true) : share_of(answer, reference, order, false);
    if (order == 1 && share.matches == 0) return 0;
    sum_of_logs += std::log((share.matches == 0 ? smoothed_matches : share.matches) / share.all);
  }
  return brevity_penalty(answer.size(), weighted ? length_of_pair : reference.size()) *
         std::exp(sum_of_logs / max_order);
}

}  // namespace

std::string_view stripped_code(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t bytes = space_bytes(text, begin);
    if (bytes == 0) break;
    begin += bytes;
  }
  std::size_t end = begin;  // after the last character that is no white space
  for (std::size_t at = begin; at < text.size();) {
    const std::size_t bytes = space_bytes(text, at);
    at += bytes > 0 ? bytes : 1;
    if (bytes == 0) end = at;
  }
  return text.substr(begin, end - begin);
}

std::vector<std::string_view> code_tokens(std::string_view text) {
  std::vector<std::string_view> tokens;
  constexpr std::size_t none = std::string_view::npos;
  std::size_t begin = none;
  const auto end_token = [&](std::size_t end) {
    if (begin != none) tokens.push_back(text.substr(begin, end - begin));
    begin = none;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = space_bytes(text, at);
    if (bytes > 0)
      end_token(at);
    else if (begin == none)
      begin = at;
    at += bytes > 0 ? bytes : 1;
  }
  end_token(text.size());
  return tokens;
}

double ngram_match(std::span<const std::string_view> answer, std::span<const std::string_view> reference) {
  return bleu(answer, reference, false);
}

double weighted_ngram_match(std::span<const std::string_view> answer, std::span<const std::string_view> reference) {
  return bleu(answer, reference, true);
}

}  // namespace kvantage::inline code_quality
