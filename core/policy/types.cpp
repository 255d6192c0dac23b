#include "core/policy/types.h"

#include "core/policy/types_json.h"

namespace kvantage::inline policy {

const char* to_string(ActionKind kind) {
  for (const auto& [known, text] : JsonNames<ActionKind>::list)
    if (known == kind) return text.data();
  return "store";
}

}  // namespace kvantage::inline policy
