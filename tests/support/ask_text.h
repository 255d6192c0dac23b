// The text of an answer to a question of the user's own.
#pragma once

#include <string>

#include "core/ports/asker.h"

namespace kvantage::test {

inline std::string text_of(const AskAnswer& answer) {
  std::string text;
  for (const AskToken& token : answer.tokens) text += token.text;
  return text;
}

}  // namespace kvantage::test
