// Builds one prompt from a context and a question, in the chat form that a model was trained on. A prompt always has
// two parts, context first: the context part never depends on the question, so its KV cache can be stored and reused.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
#include "core/text/tokenizer.h"

namespace kvantage::inline text {

enum class PromptForm {
  raw,               // the two texts, joined by a newline
  chatml,            // <|im_start|>user ... <|im_end|> (Qwen and many others)
  llama3,            // <|start_header_id|>user<|end_header_id|> ... <|eot_id|>
  mistral,           // [INST] ... [/INST] (also Llama-2)
  context_question,  // <|context|> ... <|question|> ... <|answer|>, the form of the default model
};
/// "raw", "chatml", "llama3", "mistral", "context_question".
const char* to_string(PromptForm form);

struct PromptParts {
  std::vector<std::int32_t> context;  // the whole prompt is context, then question
  std::vector<std::int32_t> question;
};

class PromptTemplate {
 public:
  /// Detects the form from the special tokens and the chat template; raw if none matches.
  static PromptTemplate detect(std::shared_ptr<const Tokenizer> tokenizer);
  /// An explicit form. rejected_input when the vocabulary lacks one of its special tokens.
  static Expected<PromptTemplate> make(std::shared_ptr<const Tokenizer> tokenizer, PromptForm form);

  PromptForm form() const { return form_; }
  /// Ids of the cacheable part: everything up to the end of the context text, bos included. Errors as try_encode.
  Expected<std::vector<std::int32_t>> try_encode_context(std::string_view context) const;
  /// Ids of the rest: the question and the start of the answer.
  Expected<std::vector<std::int32_t>> try_encode_question(std::string_view question) const;
  /// The same for callers that return no error: they throw an EncodingError.
  std::vector<std::int32_t> encode_context(std::string_view context) const;
  std::vector<std::int32_t> encode_question(std::string_view question) const;
  PromptParts encode(std::string_view context, std::string_view question) const;
  /// Generation ends at any of these, e.g. <|im_end|> and the tokenizer's eos; ascending, may be empty.
  std::span<const std::int32_t> stop_ids() const { return stop_ids_; }
  /// Digest of the form with all its text and stop ids, since a model's answers depend on them.
  Digest128 digest() const;
  const Tokenizer& tokenizer() const { return *tokenizer_; }

 private:
  PromptTemplate() = default;
  std::shared_ptr<const Tokenizer> tokenizer_;
  PromptForm form_ = PromptForm::raw;
  std::vector<std::int32_t> bos_ids_;  // the tokenizer's own prefix of a text
  std::string before_context_;
  std::string before_question_;
  std::string after_question_;
  std::vector<std::int32_t> stop_ids_;
};

}  // namespace kvantage::inline text
