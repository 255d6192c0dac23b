#include "core/text/prompt_template.h"

#include <algorithm>
#include <initializer_list>

namespace kvantage::inline text {
namespace {

bool has(const Tokenizer& tokenizer, std::string_view token) { return tokenizer.id(token).has_value(); }

bool has_all(const Tokenizer& tokenizer, std::initializer_list<const char*> tokens) {
  return std::all_of(tokens.begin(), tokens.end(), [&](const char* token) { return has(tokenizer, token); });
}

/// The special tokens that a form requires.
std::initializer_list<const char*> needed_tokens(PromptForm form) {
  static constexpr std::initializer_list<const char*> none = {};
  static constexpr std::initializer_list<const char*> chatml = {"<|im_start|>", "<|im_end|>"};
  static constexpr std::initializer_list<const char*> llama3 = {"<|start_header_id|>", "<|end_header_id|>",
                                                                "<|eot_id|>"};
  static constexpr std::initializer_list<const char*> context_question = {"<|context|>", "<|question|>", "<|answer|>",
                                                                          "<|end|>"};
  switch (form) {
    case PromptForm::chatml:
      return chatml;
    case PromptForm::llama3:
      return llama3;
    case PromptForm::context_question:
      return context_question;
    default:
      return none;
  }
}

/// The default system message of a ChatML template, with its frame; empty if there is none.
std::string default_system_message(std::string_view chat_template) {
  constexpr std::string_view open = "<|im_start|>system";
  constexpr std::string_view close = "<|im_end|>";
  for (std::size_t at = chat_template.find(open); at != std::string_view::npos; at = chat_template.find(open, at + 1)) {
    std::string_view rest = chat_template.substr(at + open.size());
    if (rest.starts_with("\\n"))  // as in the template's string literal
      rest.remove_prefix(2);
    else if (rest.starts_with('\n'))
      rest.remove_prefix(1);
    else
      continue;
    const std::string_view message = rest.substr(0, rest.find(close));
    // A quote or brace ends the literal: then an expression follows, not a fixed message.
    if (message.empty() || message.size() == rest.size() || message.find_first_of("'\"{}") != std::string_view::npos)
      continue;
    return std::string(open) + "\n" + std::string(message) + std::string(close) + "\n";
  }
  return {};
}

PromptForm recognized(const Tokenizer& tokenizer) {
  if (has_all(tokenizer, needed_tokens(PromptForm::context_question))) return PromptForm::context_question;
  const std::string_view chat = tokenizer.chat_template();
  if (!chat.empty()) {
    if (chat.find("<|im_start|>") != std::string_view::npos && has_all(tokenizer, needed_tokens(PromptForm::chatml)))
      return PromptForm::chatml;
    if (chat.find("<|start_header_id|>") != std::string_view::npos &&
        has_all(tokenizer, needed_tokens(PromptForm::llama3)))
      return PromptForm::llama3;
    if (chat.find("[INST]") != std::string_view::npos) return PromptForm::mistral;
    return PromptForm::raw;
  }
  // Base models share the vocabulary of their chat variants, but only the latter end texts with the end-of-turn token.
  const std::string_view eos = tokenizer.eos_id() ? tokenizer.token(*tokenizer.eos_id()) : std::string_view();
  if (eos == "<|im_end|>" && has_all(tokenizer, needed_tokens(PromptForm::chatml))) return PromptForm::chatml;
  if (eos == "<|eot_id|>" && has_all(tokenizer, needed_tokens(PromptForm::llama3))) return PromptForm::llama3;
  return PromptForm::raw;
}

}  // namespace

const char* to_string(PromptForm form) {
  switch (form) {
    case PromptForm::raw:
      return "raw";
    case PromptForm::chatml:
      return "chatml";
    case PromptForm::llama3:
      return "llama3";
    case PromptForm::mistral:
      return "mistral";
    case PromptForm::context_question:
      return "context_question";
  }
  return "";
}

PromptTemplate PromptTemplate::detect(std::shared_ptr<const Tokenizer> tokenizer) {
  const PromptForm form = recognized(*tokenizer);
  return std::move(make(std::move(tokenizer), form)).value();  // a detected form has its tokens
}

Expected<PromptTemplate> PromptTemplate::make(std::shared_ptr<const Tokenizer> tokenizer, PromptForm form) {
  for (const char* token : needed_tokens(form))
    if (!has(*tokenizer, token))
      return fail(ErrorCode::rejected_input, std::string("prompt form ") + to_string(form) + ": the vocabulary lacks " +
                                                 token + "; choose another form or another tokenizer");
  PromptTemplate made;
  made.form_ = form;
  const std::string_view chat = tokenizer->chat_template();
  const auto written = [&](std::string_view text) { return chat.find(text) != std::string_view::npos; };
  const auto bos = [&] {
    return tokenizer->bos_id() ? std::vector<std::int32_t>{*tokenizer->bos_id()} : std::vector<std::int32_t>{};
  };
  const std::span<const std::int32_t> before_text = tokenizer->ids_before_text();
  std::vector<const char*> stops;
  switch (form) {
    case PromptForm::raw:
      made.bos_ids_.assign(before_text.begin(), before_text.end());
      made.before_question_ = "\n";
      break;
    case PromptForm::chatml:
      if (written("bos_token")) made.bos_ids_ = bos();
      made.before_context_ = default_system_message(chat) + "<|im_start|>user\n";
      made.before_question_ = "\n\n";
      made.after_question_ = "<|im_end|>\n<|im_start|>assistant\n";
      // Reasoning models are asked to answer directly, with their own template's text.
      if (written("enable_thinking")) made.after_question_ += "<think>\n\n</think>\n\n";
      stops = {"<|im_end|>", "<|endoftext|>"};
      break;
    case PromptForm::llama3:
      made.bos_ids_ = bos();
      made.before_context_ = "<|start_header_id|>user<|end_header_id|>\n\n";
      made.before_question_ = "\n\n";
      made.after_question_ = "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n";
      stops = {"<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"};
      break;
    case PromptForm::mistral:
      // Versions differ in the spaces around the markers; the template defines them.
      made.bos_ids_ = bos();
      made.before_context_ = chat.empty() || written("[INST] ") ? "[INST] " : "[INST]";
      made.before_question_ = "\n\n";
      made.after_question_ = chat.empty() || written(" [/INST]") ? " [/INST]" : "[/INST]";
      stops = {"</s>"};
      break;
    case PromptForm::context_question:
      made.bos_ids_.assign(before_text.begin(), before_text.end());
      // Training decides whether a marker is followed by a space; a template shows it.
      made.before_context_ = "<|context|> ";
      made.before_question_ = written("'<|question|> '") ? "<|question|> " : " <|question|> ";
      made.after_question_ = written("'<|answer|>'") ? "<|answer|>" : " <|answer|>";
      stops = {"<|end|>"};
      break;
  }
  for (const char* stop : stops)
    if (const auto id = tokenizer->id(stop)) made.stop_ids_.push_back(*id);
  if (tokenizer->eos_id()) made.stop_ids_.push_back(*tokenizer->eos_id());
  std::sort(made.stop_ids_.begin(), made.stop_ids_.end());
  made.stop_ids_.erase(std::unique(made.stop_ids_.begin(), made.stop_ids_.end()), made.stop_ids_.end());
  made.tokenizer_ = std::move(tokenizer);
  return made;
}

Digest128 PromptTemplate::digest() const {
  DigestBuilder builder;
  builder.add(to_string(form_)).add(before_context_).add(before_question_).add(after_question_);
  for (const auto& ids : {bos_ids_, stop_ids_}) {
    builder.add(ids.size());
    for (const std::int32_t id : ids) builder.add(static_cast<std::uint64_t>(id));
  }
  return builder.finish();
}

Expected<std::vector<std::int32_t>> PromptTemplate::try_encode_context(std::string_view context) const {
  std::vector<std::int32_t> ids = bos_ids_;
  KV_ASSIGN(const auto text, tokenizer_->try_encode(before_context_ + std::string(context)));
  ids.insert(ids.end(), text.begin(), text.end());
  return ids;
}

Expected<std::vector<std::int32_t>> PromptTemplate::try_encode_question(std::string_view question) const {
  if (form_ == PromptForm::raw && question.empty())
    return std::vector<std::int32_t>();  // the context alone is to be continued
  return tokenizer_->try_encode_continuation(before_question_ + std::string(question) + after_question_);
}

std::vector<std::int32_t> PromptTemplate::encode_context(std::string_view context) const {
  return ids_or_throw(try_encode_context(context));
}

std::vector<std::int32_t> PromptTemplate::encode_question(std::string_view question) const {
  return ids_or_throw(try_encode_question(question));
}

PromptParts PromptTemplate::encode(std::string_view context, std::string_view question) const {
  return {encode_context(context), encode_question(question)};
}

}  // namespace kvantage::inline text
