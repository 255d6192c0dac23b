// A chat template (Jinja text) rendered for one user message of context and question, and cut where the context ends:
// what is before must not depend on the question.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/text/chat_template_text.h"
#include "core/text/jinja/time.h"

namespace kvantage::inline chat {

/// The prompt is before + context + "\n\n" + question + after.
struct ChatPrompt {
  std::string before, after;
  bool trims_start = false;  // the context's leading white space is dropped
  bool trims_end = false;    // the question's trailing white space
  std::string end_of_turn;   // what follows an answer; empty: not known

  std::string_view trimmed_context(std::string_view context) const;
  std::string_view trimmed_question(std::string_view question) const;
};

/// Renders the template with several contexts and questions. `date`: what strftime_now gives. rejected_input names the
/// template's file, the line where there is one, and the remedy.
Expected<ChatPrompt> cut_chat_template(const ChatTemplateText& chat, const JinjaTime& date);

}  // namespace kvantage::inline chat
