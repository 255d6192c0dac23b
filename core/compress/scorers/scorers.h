// The factories of all scorers: each is defined in the file of its method and stands in the table of registry.cpp.
#pragma once

#include <memory>

#include "core/base/text_form.h"
#include "core/compress/scorer.h"

namespace kvantage {

using ScorerFactory = Expected<std::unique_ptr<Scorer>> (*)(const Parameters&);

Expected<std::unique_ptr<Scorer>> make_none(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_random(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_knorm(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_keydiff(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_snapkv(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_streaming_llm(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_tova(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_h2o(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_scissorhands(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_expected_attention(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_observed_attention(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_kvzip(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_lagkv(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_r_kv(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_triattention(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_paged_eviction(const Parameters& parameters);

}  // namespace kvantage
