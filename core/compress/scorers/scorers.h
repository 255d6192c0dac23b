// The factories of all scorers: each is defined in the file of its method and stands in the table of registry.cpp.
#pragma once

#include <memory>

#include "core/compress/parameters.h"
#include "core/compress/scorer.h"

namespace kvantage {

using ScorerFactory = Expected<std::unique_ptr<Scorer>> (*)(const Parameters&);

Expected<std::unique_ptr<Scorer>> make_none(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_random(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_knorm(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_keydiff(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_snapkv(const Parameters& parameters);
Expected<std::unique_ptr<Scorer>> make_streaming_llm(const Parameters& parameters);

}  // namespace kvantage
