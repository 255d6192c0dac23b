// The factories of all scorers, declared from the table in scorers.inl; each is defined in its method's file.
#pragma once

#include <memory>

#include "core/base/text_form.h"
#include "core/compress/scorers/scorer.h"

namespace kvantage::inline scorers {

using ScorerFactory = Expected<std::unique_ptr<Scorer>> (*)(const Parameters&);

#define KVANTAGE_SCORER(name, ...) Expected<std::unique_ptr<Scorer>> make_##name(const Parameters& parameters);
#include "core/compress/scorers/scorers.inl"
#undef KVANTAGE_SCORER

}  // namespace kvantage::inline scorers
