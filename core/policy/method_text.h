// The text form of compression methods, as far as it can be checked without the registry that knows the methods:
//   method = term { "+" term }     term = name [ "(" argument { "," argument } ")" ]
//   argument = method | number | name "=" (number | name)
// e.g. "snapkv", "adakv(snapkv)", "snapkv+kivi4", "streaming_llm(sinks=4)".
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

/// usage error that says what is wrong with `text` and where.
Status check_method_text(std::string_view text);

}  // namespace kvantage
