// The factories of all decode-time eviction methods, declared from the table in core/ports/decode_methods.inl; each is
// defined in its method's file.
#pragma once

#include "core/compress/decode/eviction_method.h"

namespace kvantage::inline decode_eviction {

using EvictionFactory = Expected<std::unique_ptr<DecodeEviction>> (*)(const Parameters&, const EvictionSetting&);

#define KV_DECODE_METHOD(name, ...) \
  Expected<std::unique_ptr<DecodeEviction>> make_##name##_eviction(const Parameters&, const EvictionSetting&);
#define KV_PAGE_METHOD(name, ...) KV_DECODE_METHOD(name)
#define KV_PAGE_SELECTOR(name, ...)
#include "core/ports/decode_methods.inl"
#undef KV_DECODE_METHOD
#undef KV_PAGE_METHOD
#undef KV_PAGE_SELECTOR

/// The `count` lowest of each head's scores outside the last `recent` rows, ascending; with `shared` the same rows in
/// every head, by the mean over heads. Ties drop the earlier row first.
KeptIndices lowest_rows(const std::vector<std::vector<float>>& scores, int count, int recent, bool shared);

}  // namespace kvantage::inline decode_eviction
