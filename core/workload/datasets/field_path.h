// Fields of JSON values by path: "input", "document.text", "multi_turns.answer" (of each item of a list), "choices.0".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace kvantage::inline datasets {

/// What a path leads to: one value, or one for each item of a list on the way. An item without it has null.
struct FoundValues {
  std::vector<const Json*> values;  // of `entry`; empty: there is none
  bool of_list = false;
};
/// A field whose name has dots is found as it is first.
FoundValues values_at(const Json& entry, std::string_view path);

/// Paths that values_at() follows, in the order of their names, nested ones of objects and lists of objects, two deep.
std::vector<std::string> field_paths(const Json& entry);

/// Whether a text stands for itself: in double quotes.
bool is_constant(std::string_view path);
std::string constant_text(std::string_view path);

/// A text: of a text, a number, a truth value; of an object its title and its text; of a list all of them, with an
/// empty line between. Empty: null. rejected_input for an object without a text.
Expected<std::string> text_of_value(const Json& value, const std::string& where);
/// Texts: of a list one for each item that is not empty, else the one text.
Expected<std::vector<std::string>> texts_of_value(const Json& value, const std::string& where);

}  // namespace kvantage::inline datasets
