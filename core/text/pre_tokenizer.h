// Second stage of a tokenizer: splits text into pieces ("words"); the model merges within pieces, never across. One
// class for each type in tokenizer.json.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage::inline text {

struct Piece {
  std::string text;       // valid UTF-8, never empty
  bool at_start = false;  // includes the start of the text
};

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  /// Splits every piece further. `continuation`: other text precedes the first piece, so no prefix space is added.
  virtual void apply(std::vector<Piece>& pieces, bool continuation) const = 0;
};

/// From the field "pre_tokenizer"; nullptr for null. rejected_input names an unknown type.
Expected<std::unique_ptr<PreTokenizer>> make_pre_tokenizer(const Json& json, const std::string& name, int depth = 0);

}  // namespace kvantage::inline text
