// Scorers with trained weights, read from files that their authors publish (docs/methods-learned.md). Rows:
// learned.inl.
#pragma once

#include <memory>

#include "core/base/text_form.h"
#include "core/compress/scorers/scorer.h"

namespace kvantage::inline learned_scorers {

#define KVANTAGE_SCORER(name, ...) Expected<std::unique_ptr<Scorer>> make_##name(const Parameters& parameters);
#include "core/compress/learned/learned.inl"
#undef KVANTAGE_SCORER

/// usage: the parameter `key` names no file; says which one is meant.
inline Status require_file(const Parameters& parameters, const char* method, const char* key, const char* what) {
  if (parameters.text(key) != "none") return {};
  return fail(ErrorCode::usage, std::string("method '") + method + "': needs " + what + "; give the file, e.g. " +
                                    method + "(" + key + "=model.safetensors)");
}

}  // namespace kvantage::inline learned_scorers
