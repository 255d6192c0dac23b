// The default model's tokenizer: byte-level BPE whose merges are learned from the lexicon until every piece of it is
// one token. 5 special tokens, the 256 bytes (so that any text encodes without loss), then one token per merge.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline training {

struct TokenizerSpec {
  std::vector<std::string> tokens;                              // raw bytes; the index is the token id
  std::vector<std::pair<std::uint32_t, std::uint32_t>> merges;  // by rank, as token ids
  static constexpr std::uint32_t pad = 0, context = 1, question = 2, answer = 3, end = 4, special_tokens = 5;
};

/// Learns merges from `pieces` until each is a single token. Deterministic: the most frequent pair first, ties by the
/// smallest ids.
TokenizerSpec build_tokenizer(std::span<const std::string> pieces);

/// tokenizer.json in the format of Hugging Face tokenizers.
std::string tokenizer_json(const TokenizerSpec& spec);
/// tokenizer_config.json, with the training prompt format as a chat template.
std::string tokenizer_config_json();

/// Encodes generated texts by whole-piece lookup: the same result as BPE, but cheaper.
class PieceEncoder {
 public:
  explicit PieceEncoder(const TokenizerSpec& spec);
  /// Appends the tokens of `text`; rejected_input when a piece is not one token.
  Status append(std::string_view text, std::vector<std::uint32_t>& tokens) const;

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
};

}  // namespace kvantage::inline training
