// Second stage of a tokenizer: splits text into pieces ("words"); the model merges within pieces, never across. One
// class for each type in tokenizer.json.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/text/encoding_budget.h"

namespace kvantage::inline text {

struct Piece {
  std::string text;       // valid UTF-8, never empty
  bool at_start = false;  // includes the start of the text
};

std::uint64_t piece_bytes(const std::vector<Piece>& pieces);

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  /// Splits every piece further. `continuation`: other text precedes the first piece, so no prefix space is added.
  /// rejected_input names the stage or its pattern when the text or the work exceeds the budget.
  Status apply(std::vector<Piece>& pieces, bool continuation, EncodingBudget& budget) const;

  std::string name;  // in messages: the file and the type

 private:
  virtual Status split(std::vector<Piece>& pieces, bool continuation, EncodingBudget& budget) const = 0;
};

/// From the field "pre_tokenizer"; nullptr for null. rejected_input names an unknown type.
Expected<std::unique_ptr<PreTokenizer>> make_pre_tokenizer(const Json& json, const std::string& name, int depth = 0);

}  // namespace kvantage::inline text
