// First stage of a tokenizer: changes characters before the text is split (normal forms, case, SentencePiece's space
// sign). One class for each type in tokenizer.json.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/text/encoding_budget.h"

namespace kvantage::inline text {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  /// Changes valid UTF-8 text in place. `continuation`: other text precedes it, so nothing is prepended.
  /// rejected_input names the stage when the text or the work exceeds the budget.
  Status apply(std::string& text, bool continuation, EncodingBudget& budget) const;

  std::string name;  // in messages: the file and the type

 private:
  virtual Status change(std::string& text, bool continuation, EncodingBudget& budget) const = 0;
};

/// From the field "normalizer"; nullptr for null. rejected_input names an unknown type.
Expected<std::unique_ptr<Normalizer>> make_normalizer(const Json& json, const std::string& name, int depth = 0);

}  // namespace kvantage::inline text
