// Second stage of a tokenizer: cuts text into the pieces ("words") that the model merges within and never across. One
// class for each type that tokenizer.json may name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage::text {

struct Piece {
  std::string text;       // valid UTF-8, never empty
  bool at_start = false;  // the text's own beginning is in it
};

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  /// Cuts every piece further. `continuation`: other text stands before the first piece, so no prefix space is put
  /// there.
  virtual void apply(std::vector<Piece>& pieces, bool continuation) const = 0;
};

/// From the field "pre_tokenizer"; nullptr for null. rejected_input names an unknown type.
Expected<std::unique_ptr<PreTokenizer>> make_pre_tokenizer(const Json& json, const std::string& name, int depth = 0);

}  // namespace kvantage::text
