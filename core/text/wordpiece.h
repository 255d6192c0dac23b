// WordPiece, the tokenizer of BERT (Devlin et al. 2018; Wu et al. 2016). Text is cleaned, lower-cased, stripped of
// accents and split at white space, punctuation and CJK characters. Each word is then covered from left to right by the
// longest pieces of vocab.txt; pieces inside a word are spelled ##piece. A word that cannot be covered is one unknown
// token. Ids equal those of transformers' BertTokenizer (tests/parity/make_minilm_goldens.py).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/seeded_hash.h"

namespace kvantage::inline text {

class WordPiece {
 public:
  /// vocab.txt: one piece per line, whose number is its id. rejected_input when it lacks [UNK], [CLS] or [SEP].
  static Expected<WordPiece> load(const std::filesystem::path& vocabulary_file);
  /// The same from pieces in id order; `name` comes first in messages.
  static Expected<WordPiece> from_pieces(const std::vector<std::string>& pieces, const std::string& name);

  /// [CLS] pieces [SEP], at most `longest` ids in total: longer texts are truncated at the end.
  std::vector<std::int32_t> encode(std::string_view text, std::size_t longest = 256) const;
  /// Appends only the ids of valid UTF-8 text: no tokens around it, no special pieces matched in it.
  void append_text(std::string_view text, std::vector<std::int32_t>& ids) const;
  std::size_t size() const { return ids_.size(); }

 private:
  WordPiece() = default;
  void append_pieces(std::string_view word, std::vector<std::int32_t>& ids) const;
  SeededMap<std::string, std::int32_t> ids_;
  SeededMap<std::string, std::int32_t> specials_;  // matched verbatim anywhere in a text
  std::int32_t unknown_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace kvantage::inline text
