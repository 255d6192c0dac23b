// Syntax trees of Python code, by tree-sitter and its grammar of Python. No type of tree-sitter is in this header.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline code_quality {

struct CodePlace {
  std::uint32_t row = 0, column = 0;  // from 0; columns in bytes
  auto operator<=>(const CodePlace&) const = default;
};

/// Children of a node that have a name in the grammar, as far as data flow needs them.
enum class CodeField : std::uint8_t { left, right, name, value };

struct CodeNode {
  std::string_view type;  // of the grammar, "if_statement"; an operator or punctuation is its own type, "="
  CodePlace begin, end;
  std::vector<std::uint32_t> children;                      // indices of nodes, in the order of the text
  std::array<std::optional<std::uint32_t>, 4> fields = {};  // by CodeField; indices of nodes

  std::optional<std::uint32_t> field(CodeField name) const { return fields[static_cast<std::size_t>(name)]; }
};

struct CodeTree {
  std::vector<CodeNode> nodes;        // the first is the root; empty: too deep or too long
  std::vector<std::string> subtrees;  // S-expressions of the root and of all nodes with children
};

/// Deeper nodes make no tree: both S-expressions and data flow are read recursively.
inline constexpr std::size_t max_code_depth = 500;
/// Longer code makes no tree: no answer is that long.
inline constexpr std::size_t max_code_bytes = std::size_t{1} << 16;

/// The tree of `code`, valid UTF-8; what is no Python is in nodes of the type ERROR. Errors: code_parser_is_there().
Expected<CodeTree> parse_code(std::string_view code);

}  // namespace kvantage::inline code_quality
