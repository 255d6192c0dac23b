// links: core_text_chat
// A chat template, and the text of a message behind a record separator: it renders the same each time, as UTF-8, or is
// refused in one line; so are the parts of a prompt around a context and a question.
#include "core/base/json_fields.h"
#include "core/text/chat/chat_prompt.h"
#include "core/text/jinja/template.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

constexpr JinjaTime date{.year = 2024, .month = 7, .day = 26};

JinjaVariables variables_of(const std::string& text) {
  OrderedJson message;
  message["role"] = "user";
  message["content"] = valid_utf8(text);
  OrderedJson messages = OrderedJson::array();
  messages.push_back(message);
  JinjaVariables variables;
  variables["messages"] = jinja_value_of(messages);
  variables["add_generation_prompt"] = JinjaValue::boolean(true);
  variables["bos_token"] = JinjaValue::text("<s>");
  variables["eos_token"] = JinjaValue::text("</s>");
  return variables;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto texts = test::sections_of(test::text_of(data, size));
  const std::string source = valid_utf8(texts[0]), said = texts.size() > 1 ? texts[1] : "The badge of Ada is 1 .";
  const auto parsed = JinjaTemplate::parse(source);
  if (!parsed) {
    test::check_file_refusal(parsed.error());
  } else {
    const auto rendered = parsed->render(variables_of(said), date), again = parsed->render(variables_of(said), date);
    test::must_hold(rendered.has_value() == again.has_value() && (!rendered || *rendered == *again),
                    "a template renders the same each time");
    if (!rendered)
      test::check_file_refusal(rendered.error());
    else
      test::must_hold(valid_utf8(*rendered) == *rendered, "what is rendered is UTF-8");
  }
  const ChatTemplateText chat{.text = source, .file = "t", .source = "t", .problem = {}, .tokens = {}};
  const auto cut = cut_chat_template(chat, date), cut_again = cut_chat_template(chat, date);
  if (!cut) test::check_file_refusal(cut.error());
  test::must_hold(cut.has_value() == cut_again.has_value() &&
                      (!cut || (cut->before == cut_again->before && cut->after == cut_again->after)),
                  "a template is cut the same each time");
  return 0;
}
