// The variable `loop` of {% for %}.
#pragma once

#include <string>
#include <vector>

#include "core/text/jinja/value.h"

namespace kvantage::inline jinja {

struct JinjaLoop {
  std::vector<JinjaValue> items;
  std::size_t at = 0;
  mutable std::vector<JinjaValue> changed;  // the arguments of the last call of changed(), if there was one
  mutable bool was_asked = false;

  /// "index", "first", "previtem", ...; undefined for another name.
  JinjaValue attribute(const std::string& name) const;
};

}  // namespace kvantage::inline jinja
