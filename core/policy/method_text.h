// Syntax check of compression method texts, without the registry of methods:
//   method = term { "+" term }     term = name [ "(" argument { "," argument } ")" ]
//   argument = method | number | name "=" (number | name)
// e.g. "snapkv", "adakv(snapkv)", "snapkv+kivi4", "streaming_llm(sinks=4)".
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline policy {

/// usage error with the problem in `text` and its position.
Status check_method_text(std::string_view text);

}  // namespace kvantage::inline policy
