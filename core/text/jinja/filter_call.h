// What a filter is called with; the filters of one kind are in one file.
#pragma once

#include <string>

#include "core/text/jinja/filters.h"

namespace kvantage::inline jinja {

struct JinjaFilterCall {
  const JinjaValue& value;
  const JinjaArguments& arguments;
  JinjaBudget& budget;
  std::string name, what;

  Expected<JinjaBound> bound(std::initializer_list<const char*> names, std::size_t required = 0) const {
    return JinjaBound::bind(arguments, names, required, what);
  }
  /// soft_str(value).
  Expected<std::string> text() const;
};

using JinjaFilter = Expected<JinjaValue> (*)(const JinjaFilterCall&);
/// nullptr: there is none of this name in the file.
JinjaFilter jinja_text_filter(const std::string& name);
JinjaFilter jinja_list_filter(const std::string& name);
/// "a.b.0" of an object, as map(attribute=...) reads it. `otherwise` (may be nullptr) for each part that is undefined.
Expected<JinjaValue> jinja_path(const JinjaValue& object, const JinjaValue& path, JinjaBudget& budget,
                                const JinjaValue* otherwise = nullptr);

}  // namespace kvantage::inline jinja
