// Jinja's grammar, as jinja2.parser reads it. What is not supported is refused by its name and line.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/jinja/lexer.h"
#include "core/text/jinja/syntax.h"

namespace kvantage::inline jinja {

/// A place in the tokens.
class JinjaCursor {
 public:
  explicit JinjaCursor(std::vector<JinjaToken> tokens) : tokens_(std::move(tokens)) {}

 protected:
  const JinjaToken& here() const { return tokens_[at_]; }
  bool skip_sign(std::string_view sign);
  bool skip_name(std::string_view name);
  Status expect_sign(std::string_view sign);
  Status end_tag();
  tl::unexpected<Error> refuse(const std::string& reason) const;

  std::vector<JinjaToken> tokens_;
  std::size_t at_ = 0;
};

class JinjaParser : private JinjaCursor {
 public:
  /// Expressions and blocks in one another, at most.
  static constexpr int max_depth = 150;

  explicit JinjaParser(std::vector<JinjaToken> tokens) : JinjaCursor(std::move(tokens)) {}
  /// rejected_input: "line 3: ..., ...".
  Expected<JinjaBlock> run();

 private:
  using Made = Expected<JinjaExpressionPtr>;
  Expected<JinjaBlock> block(const std::vector<std::string_view>& ends);
  Expected<JinjaStatement> statement(const std::string& name);
  Status read_condition(JinjaStatement& made);
  Status read_loop(JinjaStatement& made);
  Status read_set(JinjaStatement& made);
  Status read_filter(JinjaStatement& made);
  Status read_macro(JinjaStatement& made);
  Status read_targets(std::vector<std::string>& targets);

  Made expression(bool with_condition = true);
  Made tuple(bool with_condition);
  /// Operators of one level of precedence, from the left; level 0 is "or".
  Made binary(int level);
  Made comparison();
  Made concatenation();
  Made unary(bool with_filter);
  Made primary();
  Made postfix(JinjaExpressionPtr object, bool filters);
  Made filter(JinjaExpressionPtr object);
  /// Filters of the text of a block (JinjaStatement::Kind::filter), each but the first after "|".
  Made block_filters();
  /// Adds what is in parentheses to the node.
  Made arguments(JinjaExpressionPtr call);
  Made test(JinjaExpressionPtr object);
  Made subscript(JinjaExpressionPtr object);

  int depth_ = 0;
  int loops_ = 0;  // around this place
};

}  // namespace kvantage::inline jinja
