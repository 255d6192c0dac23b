// What a template says, as a tree. Kinds of expressions and statements are few, so each is one struct whose parts mean
// what the kind says.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/text/jinja/value.h"

namespace kvantage::inline jinja {

struct JinjaExpression;
using JinjaExpressionPtr = std::unique_ptr<JinjaExpression>;

struct JinjaExpression {
  enum class Kind {
    constant,   // value
    name,       // text
    list,       // parts
    tuple,      // parts
    map,        // parts: key, value, key, value, ...
    attribute,  // parts[0] . text
    item,       // parts[0] [ parts[1] ]
    slice,      // parts[0] [ parts[1] : parts[2] : parts[3] ], of which any but the first may be nullptr
    call,       // parts[0] (the other parts, named)
    filter,     // parts[0] | text (the other parts, named)
    test,       // parts[0] is text (the other parts)
    negate,     // text: "-", "+" or "not"
    binary,     // parts[0] text parts[1]: an operator, "and", "or"
    compare,    // parts[0] with operators[0] parts[1], ...
    condition,  // parts[0] if parts[1] else parts[2], which may be nullptr
  };
  Kind kind = Kind::constant;
  int line = 0;
  std::string text;
  JinjaValue value;
  std::vector<JinjaExpressionPtr> parts;
  std::vector<std::pair<std::string, JinjaExpressionPtr>> named;
  std::vector<std::string> operators;
  int depth = 1;  // of the tree below it, itself included
};

struct JinjaStatement;
using JinjaBlock = std::vector<JinjaStatement>;

/// A parameter of a macro, and its default (may be nullptr).
using JinjaParameter = std::pair<std::string, JinjaExpressionPtr>;

struct JinjaStatement {
  enum class Kind {
    data,       // text
    print,      // parts[0]
    condition,  // if parts[i]: blocks[i]; one block more than parts: else
    loop,       // for targets in parts[0] if parts[1] (may be nullptr): blocks[0]; blocks[1]: else
    set,        // targets = parts[0]; text not empty: the attribute of the namespace targets[0]
    set_block,  // targets[0] = blocks[0], or parts[0] of it
    filter,     // parts[0] of blocks[0]: filters of the name "", which is the block's text
    macro,      // text(parameters): blocks[0]
    scope,      // {% generation %}: blocks[0], whose variables stay inside
    break_loop,
    continue_loop,
  };
  Kind kind = Kind::data;
  int line = 0;
  std::string text = {};
  std::vector<std::string> targets = {};
  std::vector<JinjaExpressionPtr> parts = {};
  std::vector<JinjaBlock> blocks = {};
  std::vector<JinjaParameter> parameters = {};
};

}  // namespace kvantage::inline jinja
