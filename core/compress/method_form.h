// The grammar of method texts:
//
//   method      = compression { "+" codec } | codec { "+" codec }
//   compression = name [ "(" [ compression ] { "," parameter "=" value } ")" ]
//
// "adakv(snapkv(window=32),safeguard=30)+kivi4" is the scorer snapkv under the budget adakv, its rows encoded by kivi4.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/text_form.h"

namespace kvantage::inline compression {

struct MethodForm {
  std::vector<MethodText> chain;  // from the outermost wrapper to the scorer; never empty
  std::string codec;              // "kivi4+zstd"; empty: not encoded
};

/// Parses a text. is_codec: whether a name is a codec's, so that "kivi4" alone is read as "none+kivi4". usage error for
/// anything outside the grammar.
Expected<MethodForm> read_method_form(std::string_view text, bool (*is_codec)(std::string_view name));

}  // namespace kvantage::inline compression
