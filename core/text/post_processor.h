// Last stage of encoding: adds the special tokens around a single text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage::inline text {

struct PostProcessor {
  std::vector<std::int32_t> before;
  std::vector<std::int32_t> after;
};

/// From the field "post_processor"; adds nothing for null. rejected_input names an unknown type.
Expected<PostProcessor> make_post_processor(const Json& json, const std::string& name, int depth = 0);

}  // namespace kvantage::inline text
