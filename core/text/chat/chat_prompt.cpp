#include "core/text/chat/chat_prompt.h"

#include "core/text/jinja/python_text.h"
#include "core/text/jinja/template.h"

namespace kvantage::inline chat {
namespace {

constexpr std::string_view between = "\n\n";

// What templates could change: markup, quotes, braces of Jinja, lines, characters beyond ASCII.
constexpr std::string_view probe_context =
    "Alpha <one> & \"two\" 'three'\n\n  {{ four }} {% five %} \\n caf\xC3\xA9 \xF0\x9F\xA6\x99 [six] </seven>.";
constexpr std::string_view other_context = "Nine";
constexpr std::string_view probe_question = "Which one of all these is {{ the }} first?";
constexpr std::string_view other_question = "And now?\nIn <two> lines, \"please\"";
constexpr std::string_view probe_answer = "Omega it is";

JinjaValue message(const char* role, std::string_view content) {
  return JinjaValue::map({{JinjaValue::text("role"), JinjaValue::text(role)},
                          {JinjaValue::text("content"), JinjaValue::text(std::string(content))}});
}

std::string content_of(std::string_view context, std::string_view question) {
  return std::string(context).append(between).append(question);
}

/// Rendering as transformers does it: tools and documents are none, and reasoning is off where a model asks.
class ChatRenderer {
 public:
  ChatRenderer(const ChatTemplateText& chat, const JinjaTemplate& parsed, const JinjaTime& date)
      : chat_(chat), parsed_(parsed), date_(date) {}

  Expected<std::string> render(std::vector<JinjaValue> messages, bool opens_answer) const {
    JinjaVariables variables{{"messages", JinjaValue::list(std::move(messages))},
                             {"tools", JinjaValue::none()},
                             {"documents", JinjaValue::none()},
                             {"add_generation_prompt", JinjaValue::boolean(opens_answer)},
                             {"enable_thinking", JinjaValue::boolean(false)}};
    for (const auto& [name, token] : chat_.tokens) variables.emplace(name, JinjaValue::text(token));
    return parsed_.render(std::move(variables), date_);
  }
  Expected<std::string> prompt(std::string_view content) const { return render({message("user", content)}, true); }

 private:
  const ChatTemplateText& chat_;
  const JinjaTemplate& parsed_;
  JinjaTime date_;
};

/// The text around the content, which must be there once, as it is.
Expected<ChatPrompt> around(const std::string& rendered, const std::string& content) {
  const std::size_t at = rendered.find(content);
  if (at == std::string::npos || rendered.find(content, at + 1) != std::string::npos)
    return fail(ErrorCode::rejected_input, "the prompt does not contain the user's text once and unchanged");
  return ChatPrompt{.before = rendered.substr(0, at), .after = rendered.substr(at + content.size()), .end_of_turn = {}};
}

/// White space around the user's text: kept, or dropped at either end.
Status read_trimming(const ChatRenderer& renderer, ChatPrompt& prompt) {
  const std::string content = content_of("\n  " + std::string(probe_context), std::string(probe_question) + " \n\t");
  KV_ASSIGN(const std::string rendered, renderer.prompt(content));
  for (const auto& [start, end] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
    if (rendered != prompt.before + std::string(py_strip(content, start, end)) + prompt.after) continue;
    prompt.trims_start = start;
    prompt.trims_end = end;
    return {};
  }
  return fail(ErrorCode::rejected_input, "white space around the user's text changes the rest of the prompt");
}

/// What follows an answer; a template that has no answers, or changes them, has none.
std::string end_of_turn(const ChatRenderer& renderer) {
  const auto rendered = renderer.render(
      {message("user", content_of(probe_context, probe_question)), message("assistant", probe_answer)}, false);
  const std::size_t at = rendered ? rendered->rfind(probe_answer) : std::string::npos;
  if (at == std::string::npos) return {};
  return std::string(py_strip(std::string_view(*rendered).substr(at + probe_answer.size()), true, false));
}

Expected<ChatPrompt> cut(const ChatTemplateText& chat, const JinjaTime& date) {
  KV_ASSIGN(const JinjaTemplate parsed, JinjaTemplate::parse(chat.text));
  const ChatRenderer renderer(chat, parsed, date);
  const auto prompt_of = [&](std::string_view context, std::string_view question) -> Expected<ChatPrompt> {
    const std::string content = content_of(context, question);
    KV_ASSIGN(const std::string rendered, renderer.prompt(content));
    return around(rendered, content);
  };
  KV_ASSIGN(ChatPrompt prompt, prompt_of(probe_context, probe_question));
  for (const auto& [context, question] :
       {std::pair{probe_context, other_question}, {other_context, probe_question}, {other_context, other_question}}) {
    KV_ASSIGN(const ChatPrompt other, prompt_of(context, question));
    if (other.before != prompt.before || other.after != prompt.after)
      return fail(ErrorCode::rejected_input,
                  "the text around the user's message depends on the message, so that no context could be reused");
  }
  KV_TRY(read_trimming(renderer, prompt));
  prompt.end_of_turn = end_of_turn(renderer);
  return prompt;
}

}  // namespace

std::string_view ChatPrompt::trimmed_context(std::string_view context) const {
  return py_strip(context, trims_start, false);
}

std::string_view ChatPrompt::trimmed_question(std::string_view question) const {
  return py_strip(question, false, trims_end);
}

Expected<ChatPrompt> cut_chat_template(const ChatTemplateText& chat, const JinjaTime& date) {
  Expected<ChatPrompt> made;
  if (chat.problem.empty())
    made = cut(chat, date);
  else
    made = fail(ErrorCode::rejected_input, chat.problem);
  if (made) return made;
  return fail(made.error().code, chat.file + ": " + made.error().message +
                                     "; give texts to the model without its chat template (--prompt-form raw)");
}

}  // namespace kvantage::inline chat
