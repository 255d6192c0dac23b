// Text to token ids and back, from a model folder's tokenizer.json, id for id like Hugging Face `tokenizers`.
// A tokenizer.json is a pipeline, and so is this folder; each stage has its own file:
//   added tokens (cut out of the text first)  ->  normalizer  ->  pre-tokenizer (pieces)  ->  model (piece -> ids)
//   ->  post-processor (special tokens around the ids);   decoder: ids -> text.
// Models are BPE, Unigram and WordLevel. Both kinds of BPE share one merge algorithm: byte-level (GPT-2, Qwen, Llama-3:
// bytes map to printable characters, regexes split the words) and SentencePiece-like (Llama-2, Mistral: a space is
// U+2581, unknown characters fall back to byte tokens). A stage of unknown type is rejected by name: a wrong id is
// worse than no model. A Tokenizer is immutable after load and thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/text/chat_template_text.h"

namespace kvantage::inline text {

/// A text that a tokenizer's stages cannot encode within their budget, thrown where no error can be returned: wrong ids
/// would be worse.
class EncodingError : public std::runtime_error {
 public:
  explicit EncodingError(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

std::vector<std::int32_t> ids_or_throw(Expected<std::vector<std::int32_t>> ids);

class Tokenizer {
 public:
  /// Reads folder/tokenizer.json and, if present, folder/tokenizer_config.json (bos, eos, chat template) and
  /// folder/chat_template.jinja, which comes before the template there; or a GGUF file.
  /// rejected_input names the file and the unsupported stage.
  static Expected<std::shared_ptr<const Tokenizer>> load(const std::filesystem::path& folder);
  /// The same from the two files' texts; `name` comes first in messages. An empty config text means no config.
  static Expected<std::shared_ptr<const Tokenizer>> parse(std::string_view tokenizer_json,
                                                          std::string_view tokenizer_config_json,
                                                          const std::string& name);
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// Token ids of UTF-8 text (malformed bytes count as U+FFFD). Special tokens written in the text become their ids.
  /// add_special: also the post-processor's tokens around a text, e.g. a leading bos. rejected_input names the stage
  /// that needs more work or memory for this text than an EncodingBudget allows.
  Expected<std::vector<std::int32_t>> try_encode(std::string_view text, bool add_special = false) const;
  /// As try_encode without special tokens around it, for text that follows other text: no prefix space is added.
  Expected<std::vector<std::int32_t>> try_encode_continuation(std::string_view text) const;
  /// The same for callers that return no error: they throw an EncodingError.
  std::vector<std::int32_t> encode(std::string_view text, bool add_special = false) const;
  std::vector<std::int32_t> encode_continuation(std::string_view text) const;
  /// The post-processor's tokens before a text.
  std::span<const std::int32_t> ids_before_text() const;
  /// Text of ids; ids outside the vocabulary are skipped. A partial character at an end becomes U+FFFD.
  std::string decode(std::span<const std::int32_t> ids, bool skip_special = true) const;

  /// Id of a token by its spelling in the vocabulary, e.g. "<|im_end|>".
  std::optional<std::int32_t> id(std::string_view token) const;
  /// Spelling in the vocabulary (byte-level tokens as stored, not as text); empty for an unknown id.
  std::string_view token(std::int32_t id) const;
  /// Is it one of the added tokens marked special?
  bool is_special(std::int32_t id) const;
  /// One past the largest id, added tokens included (a model's embedding may have more rows).
  std::int32_t vocab_size() const;
  /// Digest of the bytes of tokenizer.json: part of a ContextKey.
  Digest128 digest() const;

  /// From tokenizer_config.json; nothing if absent there.
  std::optional<std::int32_t> bos_id() const;
  std::optional<std::int32_t> eos_id() const;
  /// The chat template (Jinja) of the folder or file, and where it is; its text may be empty.
  const ChatTemplateText& chat() const;
  std::string_view chat_template() const;  // its text

 private:
  struct Parts;
  explicit Tokenizer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Converts tokens to text one at a time for streaming display: returns only whole UTF-8 characters. The concatenated
/// pieces equal decode() of all ids (only byte-fallback runs that turn out malformed later may differ).
class StreamDecoder {
 public:
  explicit StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer, bool skip_special = true);
  /// The text that became final with this token; often a word, sometimes empty.
  std::string push(std::int32_t id);
  /// The remaining text, with U+FFFD for an incomplete character. The decoder then resets.
  std::string finish();

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  bool skip_special_;
  std::vector<std::int32_t> ids_;  // from the last few tokens with known text to the pending ones
  std::size_t shown_ids_ = 0;      // ids_[0, shown_ids_) were returned; kept as the left context of the next
};

}  // namespace kvantage::inline text
