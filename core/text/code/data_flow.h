// Data flow of Python code, as CodeBLEU compares it: which value comes from which others. The names of variables do not
// count: each is numbered by its first use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text/code/code_tree.h"

namespace kvantage::inline code_quality {

enum class FlowKind : std::uint8_t { comes_from, computed_from };

/// A value at one place of the code and the values that it is made of.
struct DataFlow {
  std::size_t value = 0;  // variables, numbered from 0
  FlowKind kind = FlowKind::comes_from;
  std::vector<std::size_t> from = {};
  bool operator==(const DataFlow&) const = default;
};

/// The flows in the order of the text, by the rules of the package codebleu, its errors included: columns count bytes
/// where the text is cut by characters. `code` is what `tree` was made of. Names that the package keeps in a set, whose
/// order changes from run to run, are in alphabetical order. None for code without such flows, for trees that
/// lack a part, and beyond 200,000 steps, as loops within loops are read twice each.
std::vector<DataFlow> data_flow_of(const CodeTree& tree, std::string_view code);

/// Flows of the reference that the answer has, each once, as a share of them; 0 without any.
double dataflow_match(const std::vector<DataFlow>& answer, const std::vector<DataFlow>& reference);

}  // namespace kvantage::inline code_quality
