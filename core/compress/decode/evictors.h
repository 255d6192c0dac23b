// The factories of all evictors: each is defined in the file of its method and stands in the table of evictors.cpp.
#pragma once

#include "core/compress/decode/evictor.h"

namespace kvantage {

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

/// The `count` lowest of each head's scores outside the last `recent` rows, ascending; with `shared` the same rows of
/// every head, by the mean over heads. Equal scores: the earlier row goes first.
KeptIndices lowest_rows(const std::vector<std::vector<float>>& scores, int count, int recent, bool shared);

}  // namespace kvantage
