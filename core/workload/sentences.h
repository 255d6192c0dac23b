// Where the sentences of any text are: what probes are drawn from and what long texts are cut at. Works on prose,
// lists, transcripts and Chinese; a full stop inside a number (3.5), a setting (cache.port), an abbreviation (Dr.) or
// an initial (J. Holt) ends nothing. All of it is plain arithmetic on bytes: the same text gives the same spans
// everywhere.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kvantage {

struct TextSpan {
  std::size_t begin = 0;  // byte offsets into the text
  std::size_t end = 0;
  std::size_t paragraph = 0;  // paragraphs are numbered from 0; a blank line ends one
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  std::size_t size() const { return end - begin; }
};

/// Paragraphs of `text` (UTF-8), without the white space around them; empty ones do not count.
std::vector<TextSpan> split_paragraphs(std::string_view text);

/// Sentences in order, without the white space around them. A line break ends a sentence too, but not that of a wrapped
/// line: 45 to 100 bytes long and ending neither in . ! ? nor in : or ;.
std::vector<TextSpan> split_sentences(std::string_view text);

/// Words of a span, in order: runs without white space; a Chinese, Japanese or Korean character is a word of its own,
/// the punctuation after it belongs to it.
std::vector<TextSpan> split_words(std::string_view text, TextSpan span);

/// Sentences, and windows of words in place of those longer than `longest_words` (a text without punctuation).
std::vector<TextSpan> split_stretches(std::string_view text, std::size_t longest_words = 60,
                                      std::size_t window_words = 24);

}  // namespace kvantage
