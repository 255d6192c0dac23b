// First stage of a tokenizer: changes characters before the text is cut (normal forms, case, the space sign of
// SentencePiece). One class for each type that tokenizer.json may name.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage::text {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  /// Changes valid UTF-8 text in place. `continuation`: other text stands before it, so nothing is put in front.
  virtual void apply(std::string& text, bool continuation) const = 0;
};

/// From the field "normalizer"; nullptr for null. rejected_input names an unknown type.
Expected<std::unique_ptr<Normalizer>> make_normalizer(const Json& json, const std::string& name, int depth = 0);

}  // namespace kvantage::text
