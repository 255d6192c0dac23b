#include "core/workload/sentences.h"

#include <algorithm>
#include <array>
#include <string>

namespace kvantage::inline workload {
namespace {

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Abbreviations whose point does not end a sentence: titles, references, company suffixes, months.
constexpr auto abbreviations = std::to_array<std::string_view>(
    {"mr",  "mrs", "ms",  "dr",  "prof", "st",     "sr",  "jr",   "rev", "hon",  "gen",  "col", "capt",
     "lt",  "sgt", "gov", "sen", "rep",  "vs",     "etc", "cf",   "al",  "fig",  "figs", "eq",  "no",
     "nos", "vol", "pp",  "ch",  "sec",  "approx", "ca",  "inc",  "ltd", "corp", "co",   "est", "dept",
     "jan", "feb", "mar", "apr", "jun",  "jul",    "aug", "sept", "sep", "oct",  "nov",  "dec"});

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

// Malformed bytes count as one-byte characters: the text is only measured here, not repaired.
CodePoint code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (length == 1 || at + length > text.size()) return {lead, 1};
  char32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {lead, 1};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  return {value, length};
}

bool is_wide_letter(char32_t c) {
  return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
         (c >= 0xAC00 && c <= 0xD7AF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}
// Punctuation attached to the preceding word: CJK marks and full-width forms, general quotes.
bool is_wide_mark(char32_t c) {
  return (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFF0F) || (c >= 0xFF1A && c <= 0xFF20) ||
         (c >= 0xFF3B && c <= 0xFF40) || (c >= 0xFF5B && c <= 0xFF65) || (c >= 0x2010 && c <= 0x2027);
}
bool is_wide_stop(char32_t c) { return c == 0x3002 || c == 0xFF01 || c == 0xFF1F || c == 0xFF61; }
bool is_closing(char32_t c) {
  return c == '"' || c == '\'' || c == ')' || c == ']' || c == 0x2019 || c == 0x201D || c == 0x300D || c == 0x300F ||
         c == 0xFF09 || c == 0x300B || c == 0xBB;
}

TextSpan trimmed(std::string_view text, std::size_t begin, std::size_t end, std::size_t paragraph) {
  while (begin < end && is_space(text[begin])) ++begin;
  while (end > begin && is_space(text[end - 1])) --end;
  return {begin, end, paragraph};
}

// Does the point at `at` belong to the word before it (Dr., J., e.g., 1. at the start of a line)?
bool point_of_a_word(std::string_view text, std::size_t sentence_begin, std::size_t at) {
  std::size_t begin = at;
  while (begin > sentence_begin && !is_space(text[begin - 1]) && text[begin - 1] != '(' && text[begin - 1] != '"')
    --begin;
  const std::string_view word = text.substr(begin, at - begin);
  if (word.empty()) return false;
  const bool numbered_item = begin == sentence_begin && std::ranges::all_of(word, is_ascii_digit) && word.size() <= 3;
  if (numbered_item) return true;
  if (word.size() == 1) return word[0] >= 'A' && word[0] <= 'Z' && word[0] != 'I';
  if (word.find('.') != std::string_view::npos) {  // e.g, U.S, a.m: single letters between points
    for (std::size_t i = 0; i < word.size(); ++i)
      if (i % 2 == 0 ? !is_letter(word[i]) : word[i] != '.') return false;
    return true;
  }
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::ranges::find(abbreviations, lower) != abbreviations.end();
}

bool wrapped_line(std::string_view line) {
  constexpr std::size_t shortest = 45, longest = 100;
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  if (line.size() < shortest || line.size() > longest) return false;
  return std::string_view(".!?:;").find(line.back()) == std::string_view::npos;
}

// Sentences of one line or of several wrapped ones, [begin, end).
void split_block(std::string_view text, TextSpan block, std::vector<TextSpan>& sentences) {
  std::size_t begin = block.begin;
  while (begin < block.end && is_space(text[begin])) ++begin;
  const auto cut = [&](std::size_t end) {
    const TextSpan span = trimmed(text, begin, end, block.paragraph);
    if (span.size() > 0) sentences.push_back(span);
    begin = end;
    while (begin < block.end && is_space(text[begin])) ++begin;
  };
  for (std::size_t i = block.begin; i < block.end;) {
    const CodePoint c = code_point(text, i);
    const bool wide = is_wide_stop(c.value);
    if (!wide && c.value != '.' && c.value != '!' && c.value != '?') {
      i += c.bytes;
      continue;
    }
    std::size_t end = i + c.bytes;
    bool only_one_point = c.value == '.';
    for (CodePoint next; end < block.end; end += next.bytes) {
      next = code_point(text, end);
      const bool stop = next.value == '.' || next.value == '!' || next.value == '?' || is_wide_stop(next.value);
      if (!stop && !is_closing(next.value)) break;
      if (stop) only_one_point = false;
    }
    const bool at_a_gap = end >= block.end || is_space(text[end]);
    if (wide || (at_a_gap && !(only_one_point && point_of_a_word(text, begin, i)))) cut(end);
    i = end;
  }
  cut(block.end);
}

}  // namespace

std::vector<TextSpan> split_paragraphs(std::string_view text) {
  std::vector<TextSpan> paragraphs;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end) {
    const TextSpan span = trimmed(text, begin, end, paragraphs.size());
    if (span.size() > 0) paragraphs.push_back(span);
    begin = end;
  };
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    if (std::all_of(text.begin() + static_cast<std::ptrdiff_t>(line), text.begin() + static_cast<std::ptrdiff_t>(end),
                    is_space))
      cut(end);
    line = end + 1;
  }
  cut(text.size());
  return paragraphs;
}

std::vector<TextSpan> split_sentences(std::string_view text) {
  std::vector<TextSpan> sentences;
  for (const TextSpan& paragraph : split_paragraphs(text)) {
    TextSpan block = paragraph;
    for (std::size_t line = paragraph.begin; line < paragraph.end;) {
      const std::size_t end = std::min(text.find('\n', line), paragraph.end);
      if (end == paragraph.end || !wrapped_line(text.substr(line, end - line))) {
        block.end = end;
        split_block(text, block, sentences);
        block.begin = end;
      }
      line = end + 1;
    }
  }
  return sentences;
}

std::vector<TextSpan> split_words(std::string_view text, TextSpan span) {
  std::vector<TextSpan> words;
  bool open = false;        // the last word may continue
  bool after_wide = false;  // the last word is a wide character, to which only marks are added
  for (std::size_t i = span.begin; i < span.end;) {
    const CodePoint c = code_point(text, i);
    if (c.bytes == 1 && is_space(text[i])) {
      open = false;
    } else if (is_wide_letter(c.value)) {
      words.push_back({i, i + c.bytes, span.paragraph});
      open = after_wide = true;
    } else if (open && (!after_wide || is_wide_mark(c.value) ||
                        (c.bytes == 1 && !is_letter(text[i]) && !is_ascii_digit(text[i])))) {
      words.back().end = i + c.bytes;
    } else {
      words.push_back({i, i + c.bytes, span.paragraph});
      open = true;
      after_wide = false;
    }
    i += c.bytes;
  }
  return words;
}

std::vector<TextSpan> split_stretches(std::string_view text, std::size_t longest_words, std::size_t window_words) {
  std::vector<TextSpan> stretches;
  for (const TextSpan& sentence : split_sentences(text)) {
    const std::vector<TextSpan> words = split_words(text, sentence);
    if (words.size() <= longest_words) {
      stretches.push_back(sentence);
      continue;
    }
    // Windows of equal length, to avoid a small remainder at the end.
    const std::size_t windows = (words.size() + window_words - 1) / window_words;
    for (std::size_t w = 0; w < windows; ++w) {
      const std::size_t first = words.size() * w / windows, last = words.size() * (w + 1) / windows;
      stretches.push_back({words[first].begin, words[last - 1].end, sentence.paragraph});
    }
  }
  return stretches;
}

}  // namespace kvantage::inline workload
