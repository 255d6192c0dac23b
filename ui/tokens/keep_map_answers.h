// The answers beside a keep map, as rich text.
#pragma once

#include "ui/look/theme.h"
#include "ui/tokens/model/keep_map_model.h"

namespace kvantage {

/// The reference answer, the answer with the full KV cache, that of each method with the words that differ from it
/// marked, and the question.
QString keep_map_answers_html(const KeepMapModel& model, const Theme& theme);

}  // namespace kvantage
