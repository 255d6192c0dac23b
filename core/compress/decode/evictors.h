// The factories of all decode-time eviction methods: each is defined in its method's file and listed in evictors.cpp.
#pragma once

#include "core/compress/decode/evictor.h"

namespace kvantage::inline decode_eviction {

using EvictorFactory = Expected<std::unique_ptr<DecodeEvictor>> (*)(const Parameters&, const EvictorSetting&);

Expected<std::unique_ptr<DecodeEvictor>> make_h2o_evictor(const Parameters&, const EvictorSetting&);
Expected<std::unique_ptr<DecodeEvictor>> make_scissorhands_evictor(const Parameters&, const EvictorSetting&);
Expected<std::unique_ptr<DecodeEvictor>> make_tova_evictor(const Parameters&, const EvictorSetting&);
Expected<std::unique_ptr<DecodeEvictor>> make_streaming_llm_evictor(const Parameters&, const EvictorSetting&);
Expected<std::unique_ptr<DecodeEvictor>> make_paged_eviction_evictor(const Parameters&, const EvictorSetting&);
Expected<std::unique_ptr<DecodeEvictor>> make_knorm_evictor(const Parameters&, const EvictorSetting&);
Expected<std::unique_ptr<DecodeEvictor>> make_keydiff_evictor(const Parameters&, const EvictorSetting&);
Expected<std::unique_ptr<DecodeEvictor>> make_r_kv_evictor(const Parameters&, const EvictorSetting&);
Expected<std::unique_ptr<DecodeEvictor>> make_triattention_evictor(const Parameters&, const EvictorSetting&);

/// The `count` lowest of each head's scores outside the last `recent` rows, ascending; with `shared` the same rows in
/// every head, by the mean over heads. Ties drop the earlier row first.
KeptIndices lowest_rows(const std::vector<std::vector<float>>& scores, int count, int recent, bool shared);

}  // namespace kvantage::inline decode_eviction
