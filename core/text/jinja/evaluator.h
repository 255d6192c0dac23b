// Runs a template. A variable that is set in a loop, macro or generation block stays inside, as in Jinja.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/text/jinja/arguments.h"
#include "core/text/jinja/syntax.h"
#include "core/text/jinja/time.h"

namespace kvantage::inline jinja {

struct JinjaScope {
  std::map<std::string, JinjaValue, std::less<>> variables;
  std::shared_ptr<JinjaScope> outer;
};

struct JinjaMacro {
  const JinjaStatement* statement = nullptr;
  std::shared_ptr<JinjaScope> scope;  // where it is defined
};

class JinjaEvaluator {
 public:
  /// `time`: what strftime_now gives; nothing: there is no such function.
  JinjaEvaluator(std::map<std::string, JinjaValue, std::less<>> variables, std::optional<JinjaTime> time);
  ~JinjaEvaluator();
  JinjaEvaluator(const JinjaEvaluator&) = delete;
  JinjaEvaluator& operator=(const JinjaEvaluator&) = delete;

  /// rejected_input: "line 3: ..., ...".
  Expected<std::string> run(const JinjaBlock& whole);

 private:
  using Scope = std::shared_ptr<JinjaScope>;
  enum class Flow { next, break_loop, continue_loop };

  Expected<Flow> run_block(const JinjaBlock& block, const Scope& scope, std::string& out);
  Expected<Flow> run_statement(const JinjaStatement& statement, const Scope& scope, std::string& out);
  /// The text of a block whose variables stay inside, through its filters, if there are any.
  Expected<JinjaValue> block_value(const JinjaStatement& statement, const Scope& scope);
  Expected<Flow> run_loop(const JinjaStatement& statement, const Scope& scope, std::string& out);
  Expected<std::vector<JinjaValue>> loop_items(const JinjaStatement& statement, const Scope& scope);
  Status assign(const std::vector<std::string>& targets, const JinjaValue& value, JinjaScope& scope);
  Status set_attribute(const JinjaStatement& statement, const JinjaValue& value, const Scope& scope);
  Status write(const JinjaValue& value, std::string& out);

  Expected<JinjaValue> evaluate(const JinjaExpression& expression, const Scope& scope);
  Expected<JinjaValue> evaluate_kind(const JinjaExpression& expression, const Scope& scope);
  Expected<JinjaValue> evaluate_parts(const JinjaExpression& expression, const Scope& scope);
  Expected<JinjaValue> evaluate_binary(const JinjaExpression& expression, const Scope& scope);
  Expected<JinjaValue> evaluate_comparison(const JinjaExpression& expression, const Scope& scope);
  Expected<JinjaValue> evaluate_negation(const JinjaExpression& expression, const Scope& scope);
  Expected<JinjaArguments> arguments_of(const JinjaExpression& expression, const Scope& scope);
  Expected<JinjaValue> look_up(const std::string& name, const JinjaScope& scope) const;
  Expected<JinjaValue> call(const JinjaValue& callee, const JinjaArguments& arguments);
  Expected<JinjaValue> call_macro(const JinjaMacro& macro, const JinjaArguments& arguments);
  Expected<JinjaValue> call_function(const std::string& name, const JinjaArguments& arguments);

  JinjaBudget budget_;
  std::optional<JinjaTime> time_;
  Scope global_;
  int line_ = 1, depth_ = 0;
  // What may refer to itself: cleared at the end.
  std::vector<Scope> macro_scopes_;
  std::vector<std::shared_ptr<JinjaNamespace>> namespaces_;
};

}  // namespace kvantage::inline jinja
