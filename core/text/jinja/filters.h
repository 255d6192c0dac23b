// Filters and tests of Jinja, and transformers' own tojson. Errors are reasons without a place.
#pragma once

#include <string>

#include "core/text/jinja/arguments.h"

namespace kvantage::inline jinja {

/// value | name(arguments). rejected_input names a filter that is not supported.
Expected<JinjaValue> jinja_filter(const std::string& name, const JinjaValue& value, const JinjaArguments& arguments,
                                  JinjaBudget& budget);
/// value is name(arguments).
Expected<bool> jinja_test(const std::string& name, const JinjaValue& value, const JinjaArguments& arguments,
                          JinjaBudget& budget);

}  // namespace kvantage::inline jinja
