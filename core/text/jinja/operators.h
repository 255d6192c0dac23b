// Python's operators on values of templates. Errors are reasons without a place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/jinja/value.h"

namespace kvantage::inline jinja {

tl::unexpected<Error> jinja_refuse(std::string reason);

/// a + b and the like: "+", "-", "*", "/", "//", "%", "**".
Expected<JinjaValue> jinja_arithmetic(std::string_view sign, const JinjaValue& a, const JinjaValue& b,
                                      JinjaBudget& budget);
/// "==", "!=", "<", "<=", ">", ">=", "in", "not in".
Expected<bool> jinja_compare(std::string_view sign, const JinjaValue& a, const JinjaValue& b, JinjaBudget& budget);
/// Below 0, 0 or above. rejected_input for values that have no order.
Expected<int> jinja_order(const JinjaValue& a, const JinjaValue& b, JinjaBudget& budget);

/// What a loop goes over: items of a list, characters of a text, keys of a mapping; an iterator is used up.
Expected<std::vector<JinjaValue>> jinja_items(const JinjaValue& value, JinjaBudget& budget);
/// len(value).
Expected<std::int64_t> jinja_length(const JinjaValue& value);

/// object[key], or undefined.
Expected<JinjaValue> jinja_item(const JinjaValue& object, const JinjaValue& key, JinjaBudget& budget);
/// object.name: a method, an item of a mapping, an attribute of a namespace or loop; or undefined.
Expected<JinjaValue> jinja_attribute(const JinjaValue& object, const std::string& name, JinjaBudget& budget);
/// object[begin:end:step]; a bound may be none.
Expected<JinjaValue> jinja_slice(const JinjaValue& object, const JinjaValue& begin, const JinjaValue& end,
                                 const JinjaValue& step, JinjaBudget& budget);

}  // namespace kvantage::inline jinja
