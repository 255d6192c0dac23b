// Third stage of a tokenizer: a piece of text -> token ids, from a fixed vocabulary. One file per kind of model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/text/vocabulary.h"

namespace kvantage::inline text {

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  /// Appends the ids of a non-empty piece of valid UTF-8. Thread-safe.
  virtual void tokenize(std::string_view piece, std::vector<std::int32_t>& ids) const = 0;
  virtual std::optional<std::int32_t> id(std::string_view token) const = 0;
  /// Empty for an id without token.
  virtual std::string_view token(std::int32_t id) const = 0;
  /// Number of tokens, and one past the largest id.
  virtual std::size_t token_count() const = 0;
  virtual std::int32_t id_bound() const = 0;
};

/// From the field "model". rejected_input names an unknown type or what is invalid.
Expected<std::unique_ptr<TokenModel>> make_token_model(const Json& json, const std::string& name);
/// The language model of pieces of T5 and others, and whole words. `json`: the field "model".
Expected<std::unique_ptr<TokenModel>> make_unigram(const Json& json, const std::string& name);
Expected<std::unique_ptr<TokenModel>> make_word_level(const Json& json, const std::string& name);
/// Byte pair encoding by a list of merges. `settings`: the field "model" without type and vocabulary.
Expected<std::unique_ptr<TokenModel>> make_bpe(Vocabulary vocabulary, const Json& settings, const std::string& name);
/// Byte pair encoding by scores, as in SentencePiece: of all adjacent pairs whose joint text is a token, those with the
/// best score are merged first. The remaining unknown text becomes <0xNN> tokens, or `unknown` where there are none.
/// `scores`: one per token.
std::unique_ptr<TokenModel> make_scored_bpe(Vocabulary vocabulary, std::vector<float> scores,
                                            std::optional<std::int32_t> unknown);
/// BERT's WordPiece with its own normalization and word splitting; pieces inside a word are spelled ##piece.
Expected<std::unique_ptr<TokenModel>> make_wordpiece(const std::vector<std::string>& pieces, const std::string& name);

}  // namespace kvantage::inline text
