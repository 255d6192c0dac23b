// Texts of values, as Python writes them.
#pragma once

#include <string>

#include "core/text/jinja/value.h"

namespace kvantage::inline jinja {

/// str(value); undefined: empty. rejected_input for values without a text here (iterators, macros).
Expected<std::string> jinja_text_of(const JinjaValue& value, JinjaBudget& budget);

/// json.dumps as transformers calls it: characters stay as they are. `indent` below 0: on one line.
struct JinjaJsonStyle {
  int indent = -1;
  bool ascii = false, sort_keys = false;
  std::string item_separator, key_separator = ": ";  // empty: of the indent
};
Expected<std::string> jinja_json_of(const JinjaValue& value, const JinjaJsonStyle& style, JinjaBudget& budget);

/// repr(float).
std::string py_real_text(double number);

}  // namespace kvantage::inline jinja
