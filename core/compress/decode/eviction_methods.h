// The factories of all decode-time eviction methods: each is defined in its method's file, and is a row of
// core/ports/decode_methods.inl.
#pragma once

#include "core/compress/decode/eviction_method.h"

namespace kvantage::inline decode_eviction {

using EvictionFactory = Expected<std::unique_ptr<DecodeEviction>> (*)(const Parameters&, const EvictionSetting&);

Expected<std::unique_ptr<DecodeEviction>> make_h2o_eviction(const Parameters&, const EvictionSetting&);
Expected<std::unique_ptr<DecodeEviction>> make_scissorhands_eviction(const Parameters&, const EvictionSetting&);
Expected<std::unique_ptr<DecodeEviction>> make_tova_eviction(const Parameters&, const EvictionSetting&);
Expected<std::unique_ptr<DecodeEviction>> make_streaming_llm_eviction(const Parameters&, const EvictionSetting&);
Expected<std::unique_ptr<DecodeEviction>> make_paged_eviction_eviction(const Parameters&, const EvictionSetting&);
Expected<std::unique_ptr<DecodeEviction>> make_knorm_eviction(const Parameters&, const EvictionSetting&);
Expected<std::unique_ptr<DecodeEviction>> make_keydiff_eviction(const Parameters&, const EvictionSetting&);
Expected<std::unique_ptr<DecodeEviction>> make_r_kv_eviction(const Parameters&, const EvictionSetting&);
Expected<std::unique_ptr<DecodeEviction>> make_triattention_eviction(const Parameters&, const EvictionSetting&);

/// The `count` lowest of each head's scores outside the last `recent` rows, ascending; with `shared` the same rows in
/// every head, by the mean over heads. Ties drop the earlier row first.
KeptIndices lowest_rows(const std::vector<std::vector<float>>& scores, int count, int recent, bool shared);

}  // namespace kvantage::inline decode_eviction
