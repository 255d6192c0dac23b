// Builds one prompt from a context and a question, in the chat form that a model was trained on. A prompt always has
// two parts, context first: the context part never depends on the question, so its KV cache can be stored and reused.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
#include "core/text/chat/chat_prompt.h"
#include "core/text/tokenizer.h"

namespace kvantage::inline chat {

enum class PromptForm {
  raw,               // the two texts, joined by a newline
  chatml,            // <|im_start|>user ... <|im_end|> (Qwen and many others)
  llama3,            // <|start_header_id|>user<|end_header_id|> ... <|eot_id|>
  mistral,           // [INST] ... [/INST] (also Llama-2)
  context_question,  // <|context|> ... <|question|> ... <|answer|>, the form of the default model
  chat_template,     // what the model's own chat template renders
};
inline constexpr std::array<PromptForm, 6> prompt_forms{
    PromptForm::raw,     PromptForm::chatml,           PromptForm::llama3,
    PromptForm::mistral, PromptForm::context_question, PromptForm::chat_template};
/// "raw", "chatml", "llama3", "mistral", "context_question", "chat_template".
const char* to_string(PromptForm form);
/// Nothing for an unknown name.
std::optional<PromptForm> prompt_form_of(std::string_view name);

struct PromptOptions {
  std::optional<PromptForm> form;  // instead of the detected one
  /// What templates get for today's date. It is the same every day, since a date in a prompt would make every stored
  /// cache useless on the next; the day is the one that Llama 3's templates fall back to.
  JinjaTime date = {.year = 2024, .month = 7, .day = 26};
};

struct PromptParts {
  std::vector<std::int32_t> context;  // the whole prompt is context, then question
  std::vector<std::int32_t> question;
};

class PromptTemplate {
 public:
  /// What the model's chat template renders: as one of the fixed forms where their ids are the same, else as the form
  /// chat_template. Without a template: the form that the special tokens show, or raw. rejected_input names a template
  /// that cannot be used.
  static Expected<PromptTemplate> detect(std::shared_ptr<const Tokenizer> tokenizer, const PromptOptions& options = {});
  /// An explicit form. rejected_input when the vocabulary lacks one of its special tokens, or as detect.
  static Expected<PromptTemplate> make(std::shared_ptr<const Tokenizer> tokenizer, PromptForm form,
                                       const PromptOptions& options = {});

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
  static Expected<PromptTemplate> of_chat_template(std::shared_ptr<const Tokenizer> tokenizer,
                                                   const PromptOptions& options);
  bool renders_as(const PromptTemplate& rendered) const;
  void add_stop_ids(std::span<const char* const> tokens);
  std::shared_ptr<const Tokenizer> tokenizer_;
  PromptForm form_ = PromptForm::raw;
  std::vector<std::int32_t> bos_ids_;  // the tokenizer's own prefix of a text
  std::string before_context_;
  std::string before_question_;
  std::string after_question_;
  std::vector<std::int32_t> stop_ids_;
  ChatPrompt chat_;  // of the form chat_template: what is trimmed
};

}  // namespace kvantage::inline chat
