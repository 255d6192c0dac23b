// Methods of texts, lists and mappings. Those that would change an object are refused, as in Jinja's immutable sandbox.
#pragma once

#include <string>

#include "core/text/jinja/arguments.h"

namespace kvantage::inline jinja {

/// Does the object have a method of this name in Python? Its call may still be refused.
bool is_jinja_method(const JinjaValue& object, const std::string& name);
/// function.object . function.name (arguments).
Expected<JinjaValue> jinja_call_method(const JinjaFunction& function, const JinjaArguments& arguments,
                                       JinjaBudget& budget);

}  // namespace kvantage::inline jinja
