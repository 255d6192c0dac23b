#include "core/policy/formula/quantities.h"

namespace kvantage::inline formula {

const std::array<QuantityInfo, quantity_count>& quantities() {
  static constexpr std::array<QuantityInfo, quantity_count> infos{{
      {"alpha", "s per unit of quality", "value of quality, as set"},
      {"quality", "0 to 1", "expected quality of answers over this form"},
      {"ttft", "s", "predicted TTFT over this form, without queueing"},
      {"frequency", "requests", "requests for the context, decayed"},
      {"bytes", "B", "size of the cache that serves a request: the entry, or the uncompressed cache if not stored"},
      {"tokens", "tokens", "length of the context"},
      {"kept", "tokens", "tokens of the cache that serves a request"},
      {"recompute", "s", "predicted TTFT if not stored"},
      {"read", "s", "time to read the entry from its tier; 0 if not stored"},
      {"full_bytes", "B", "size of the uncompressed cache"},
      {"full_quality", "0 to 1", "expected quality over the uncompressed cache"},
      {"stored", "0 or 1", "1: an entry on a tier; 0: not stored"},
  }};
  return infos;
}

}  // namespace kvantage::inline formula
