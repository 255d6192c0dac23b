// Sentence segmentation of arbitrary text: the basis of probes and of cutting long texts. Works on prose, lists,
// transcripts and Chinese. A full stop in a number (3.5), a setting (cache.port), an abbreviation (Dr.) or an initial
// (J. Holt) does not end a sentence. Byte arithmetic only: the same text gives the same spans everywhere.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kvantage::inline workload {

struct TextSpan {
  std::size_t begin = 0;  // byte offsets into the text
  std::size_t end = 0;
  std::size_t paragraph = 0;  // paragraphs are numbered from 0; a blank line ends one
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  std::size_t size() const { return end - begin; }
};

inline bool is_space(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

/// Paragraphs of `text` (UTF-8), trimmed; empty ones are skipped.
std::vector<TextSpan> split_paragraphs(std::string_view text);

/// Sentences in order, trimmed. A line break ends a sentence too, except in a wrapped line: 45 to 100 bytes long and
/// ending neither in . ! ? nor in : or ;.
std::vector<TextSpan> split_sentences(std::string_view text);

/// Words of a span, in order: runs without white space. A Chinese, Japanese or Korean character is its own word, with
/// the punctuation after it.
std::vector<TextSpan> split_words(std::string_view text, TextSpan span);

/// Sentences, with those longer than `longest_words` replaced by windows of words (a text without punctuation).
std::vector<TextSpan> split_stretches(std::string_view text, std::size_t longest_words = 60,
                                      std::size_t window_words = 24);

}  // namespace kvantage::inline workload
