// A model's own chat template and the tokens that it may name.
#pragma once

#include <map>
#include <string>

namespace kvantage::inline text {

struct ChatTemplateText {
  std::string text;                           // Jinja; empty: the model has none
  std::string file;                           // for messages: path and key
  std::string source;                         // for display: "chat_template.jinja"
  std::string problem;                        // why it cannot be chosen among several; empty: nothing
  std::map<std::string, std::string> tokens;  // "bos_token" -> "<s>"
};

}  // namespace kvantage::inline text
