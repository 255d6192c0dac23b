// The date that templates may ask for.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline jinja {

struct JinjaTime {
  int year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0;
};

/// time.strftime in English. rejected_input names a directive that is not supported.
Expected<std::string> jinja_strftime(std::string_view format, const JinjaTime& time);

}  // namespace kvantage::inline jinja
