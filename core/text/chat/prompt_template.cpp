#include "core/text/chat/prompt_template.h"

#include <algorithm>
#include <initializer_list>

namespace kvantage::inline chat {
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

/// The form that tokens and template look like.
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
    return PromptForm::chat_template;
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
    case PromptForm::chat_template:
      return "chat_template";
  }
  return "";
}

std::optional<PromptForm> prompt_form_of(std::string_view name) {
  for (const PromptForm form : prompt_forms)
    if (name == to_string(form)) return form;
  return std::nullopt;
}

Expected<PromptTemplate> PromptTemplate::detect(std::shared_ptr<const Tokenizer> tokenizer,
                                                const PromptOptions& options) {
  if (options.form) return make(std::move(tokenizer), *options.form, options);
  const PromptForm form = recognized(*tokenizer);
  if (form == PromptForm::context_question || tokenizer->chat_template().empty())
    return make(std::move(tokenizer), form, options);
  KV_ASSIGN(auto rendered, of_chat_template(tokenizer, options));
  if (form == PromptForm::chat_template) return rendered;
  KV_ASSIGN(auto fixed, make(std::move(tokenizer), form, options));
  return fixed.renders_as(rendered) ? std::move(fixed) : std::move(rendered);
}

/// Are the ids of prompts in this fixed form those of the template?
bool PromptTemplate::renders_as(const PromptTemplate& rendered) const {
  if (before_question_ != rendered.before_question_ || after_question_ != rendered.after_question_ ||
      !rendered.before_context_.ends_with(before_context_))
    return false;
  for (const char* context : {"The badge of Ada Vale is 5742 .", "nine"}) {
    const auto own = try_encode_context(context), other = rendered.try_encode_context(context);
    if (!own || !other || *own != *other) return false;
  }
  return true;
}

Expected<PromptTemplate> PromptTemplate::of_chat_template(std::shared_ptr<const Tokenizer> tokenizer,
                                                          const PromptOptions& options) {
  if (tokenizer->chat_template().empty())
    return fail(ErrorCode::rejected_input,
                "prompt form chat_template: the model has no chat template; choose another form");
  PromptTemplate made;
  KV_ASSIGN(made.chat_, cut_chat_template(tokenizer->chat(), options.date));
  made.form_ = PromptForm::chat_template;
  made.before_context_ = made.chat_.before;
  made.before_question_ = "\n\n";
  made.after_question_ = made.chat_.after;
  // The token that ends an answer in the template, where it is a token of its own.
  const std::string_view end = made.chat_.end_of_turn;
  KV_ASSIGN(const auto ids, tokenizer->try_encode_continuation(end.substr(0, 200)));
  if (!ids.empty()) {
    const std::string_view first = tokenizer->token(ids.front());
    const bool bracketed = first.size() > 2 && (first.front() == '<' || first.front() == '[');
    if (tokenizer->is_special(ids.front()) || (bracketed && end.starts_with(first)))
      made.stop_ids_.push_back(ids.front());
  }
  made.tokenizer_ = std::move(tokenizer);
  made.add_stop_ids({});
  return made;
}

/// These, where they are in the vocabulary, and the tokenizer's eos.
void PromptTemplate::add_stop_ids(std::span<const char* const> tokens) {
  for (const char* token : tokens)
    if (const auto id = tokenizer_->id(token)) stop_ids_.push_back(*id);
  if (tokenizer_->eos_id()) stop_ids_.push_back(*tokenizer_->eos_id());
  std::sort(stop_ids_.begin(), stop_ids_.end());
  stop_ids_.erase(std::unique(stop_ids_.begin(), stop_ids_.end()), stop_ids_.end());
}

Expected<PromptTemplate> PromptTemplate::make(std::shared_ptr<const Tokenizer> tokenizer, PromptForm form,
                                              const PromptOptions& options) {
  if (form == PromptForm::chat_template) return of_chat_template(std::move(tokenizer), options);
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
    case PromptForm::chat_template:
      break;  // above
  }
  made.tokenizer_ = std::move(tokenizer);
  made.add_stop_ids(stops);
  return made;
}

Digest128 PromptTemplate::digest() const {
  DigestBuilder builder;
  builder.add(to_string(form_)).add(before_context_).add(before_question_).add(after_question_);
  for (const auto& ids : {bos_ids_, stop_ids_}) {
    builder.add(ids.size());
    for (const std::int32_t id : ids) builder.add(static_cast<std::uint64_t>(id));
  }
  if (form_ == PromptForm::chat_template)
    builder.add(std::uint64_t{chat_.trims_start}).add(std::uint64_t{chat_.trims_end});
  return builder.finish();
}

Expected<std::vector<std::int32_t>> PromptTemplate::try_encode_context(std::string_view context) const {
  std::vector<std::int32_t> ids = bos_ids_;
  KV_ASSIGN(const auto text, tokenizer_->try_encode(before_context_ + std::string(chat_.trimmed_context(context))));
  ids.insert(ids.end(), text.begin(), text.end());
  return ids;
}

Expected<std::vector<std::int32_t>> PromptTemplate::try_encode_question(std::string_view question) const {
  if (form_ == PromptForm::raw && question.empty())
    return std::vector<std::int32_t>();  // the context alone is to be continued
  return tokenizer_->try_encode_continuation(before_question_ + std::string(chat_.trimmed_question(question)) +
                                             after_question_);
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

}  // namespace kvantage::inline chat
