#include "core/text/jinja/evaluator.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/text/jinja/loop.h"
#include "core/text/jinja/output.h"

namespace kvantage::inline jinja {

JinjaEvaluator::JinjaEvaluator(std::map<std::string, JinjaValue, std::less<>> variables, std::optional<JinjaTime> time)
    : time_(time), global_(std::make_shared<JinjaScope>()) {
  global_->variables = std::move(variables);
}

JinjaEvaluator::~JinjaEvaluator() {
  for (const auto& scope : macro_scopes_) scope->variables.clear();
  for (const auto& space : namespaces_) space->attributes.clear();
}

Expected<std::string> JinjaEvaluator::run(const JinjaBlock& whole) {
  std::string out;
  if (const auto done = run_block(whole, global_, out); !done)
    return fail(done.error().code, "line " + std::to_string(line_) + ": " + done.error().message);
  return out;
}

Expected<JinjaEvaluator::Flow> JinjaEvaluator::run_block(const JinjaBlock& block, const Scope& scope,
                                                         std::string& out) {
  for (const JinjaStatement& statement : block) {
    line_ = statement.line;
    KV_TRY(budget_.take(1));
    if (depth_ >= JinjaBudget::max_depth) return jinja_refuse("the template is nested too deeply");
    ++depth_;
    KV_ASSIGN(const Flow flow, run_statement(statement, scope, out));
    --depth_;
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Status JinjaEvaluator::write(const JinjaValue& value, std::string& out) {
  KV_ASSIGN(const std::string text, jinja_text_of(value, budget_));
  out += text;
  return {};
}

Expected<JinjaEvaluator::Flow> JinjaEvaluator::run_statement(const JinjaStatement& statement, const Scope& scope,
                                                             std::string& out) {
  using Kind = JinjaStatement::Kind;
  switch (statement.kind) {
    case Kind::data:
      KV_TRY(budget_.take_text(statement.text.size()));
      out += statement.text;
      break;
    case Kind::print: {
      KV_ASSIGN(const JinjaValue value, evaluate(*statement.parts[0], scope));
      KV_TRY(write(value, out));
      break;
    }
    case Kind::condition: {
      std::size_t chosen = 0;
      for (; chosen < statement.parts.size(); ++chosen) {
        KV_ASSIGN(const JinjaValue holds, evaluate(*statement.parts[chosen], scope));
        if (holds.truth()) break;
      }
      if (chosen < statement.blocks.size()) return run_block(statement.blocks[chosen], scope, out);
      break;
    }
    case Kind::loop:
      return run_loop(statement, scope, out);
    case Kind::set: {
      KV_ASSIGN(const JinjaValue value, evaluate(*statement.parts[0], scope));
      KV_TRY(statement.text.empty() ? assign(statement.targets, value, *scope)
                                    : set_attribute(statement, value, scope));
      break;
    }
    case Kind::set_block: {
      KV_ASSIGN(const JinjaValue value, block_value(statement, scope));
      KV_TRY(assign(statement.targets, value, *scope));
      break;
    }
    case Kind::filter:
    case Kind::scope: {
      KV_ASSIGN(const JinjaValue value, block_value(statement, scope));
      KV_TRY(write(value, out));
      break;
    }
    case Kind::macro: {
      auto macro = std::make_shared<JinjaMacro>();
      macro->statement = &statement;
      macro->scope = scope;
      macro_scopes_.push_back(scope);
      scope->variables[statement.text] = JinjaValue::of(std::shared_ptr<const JinjaMacro>(std::move(macro)));
      break;
    }
    case Kind::break_loop:
      return Flow::break_loop;
    case Kind::continue_loop:
      return Flow::continue_loop;
  }
  return Flow::next;
}

Expected<JinjaValue> JinjaEvaluator::block_value(const JinjaStatement& statement, const Scope& scope) {
  std::string inner;
  KV_TRY(run_block(statement.blocks[0], std::make_shared<JinjaScope>(JinjaScope{{}, scope}), inner));
  KV_TRY(budget_.take_text(inner.size()));
  JinjaValue text = JinjaValue::text(std::move(inner));
  if (statement.parts.empty()) return text;
  const auto with_text = std::make_shared<JinjaScope>(JinjaScope{{}, scope});
  with_text->variables[""] = std::move(text);
  return evaluate(*statement.parts[0], with_text);
}

Status JinjaEvaluator::assign(const std::vector<std::string>& targets, const JinjaValue& value, JinjaScope& scope) {
  if (targets.size() == 1) {
    scope.variables[targets.front()] = value;
    return {};
  }
  KV_ASSIGN(const auto items, jinja_items(value, budget_));
  const std::size_t wanted = targets.back().empty() ? 1 : targets.size();
  if (items.size() != wanted)
    return jinja_refuse(std::to_string(items.size()) + " values for " + std::to_string(wanted) + " variables");
  for (std::size_t i = 0; i < wanted; ++i) scope.variables[targets[i]] = items[i];
  return {};
}

Status JinjaEvaluator::set_attribute(const JinjaStatement& statement, const JinjaValue& value, const Scope& scope) {
  KV_ASSIGN(const JinjaValue object, look_up(statement.targets.front(), *scope));
  if (!object.is<std::shared_ptr<JinjaNamespace>>())
    return jinja_refuse("'" + printable(statement.targets.front()) + "' is no namespace, so that it has no attribute");
  object.as<std::shared_ptr<JinjaNamespace>>()->set(statement.text, value);
  return {};
}

/// What the loop goes over, without the items that its condition excludes.
Expected<std::vector<JinjaValue>> JinjaEvaluator::loop_items(const JinjaStatement& statement, const Scope& scope) {
  KV_ASSIGN(const JinjaValue iterated, evaluate(*statement.parts[0], scope));
  KV_ASSIGN(auto items, jinja_items(iterated, budget_));
  if (!statement.parts[1]) return items;
  std::vector<JinjaValue> kept;
  for (JinjaValue& item : items) {
    const auto inside = std::make_shared<JinjaScope>(JinjaScope{{}, scope});
    KV_TRY(assign(statement.targets, item, *inside));
    KV_ASSIGN(const JinjaValue wanted, evaluate(*statement.parts[1], inside));
    if (wanted.truth()) kept.push_back(std::move(item));
  }
  return kept;
}

Expected<JinjaEvaluator::Flow> JinjaEvaluator::run_loop(const JinjaStatement& statement, const Scope& scope,
                                                        std::string& out) {
  const auto loop = std::make_shared<JinjaLoop>();
  KV_ASSIGN(loop->items, loop_items(statement, scope));
  if (loop->items.empty()) {
    const auto inside = std::make_shared<JinjaScope>(JinjaScope{{}, scope});
    return run_block(statement.blocks[1], inside, out);
  }
  for (loop->at = 0; loop->at < loop->items.size(); ++loop->at) {
    KV_TRY(budget_.take(1));
    const auto inside = std::make_shared<JinjaScope>(JinjaScope{{}, scope});
    inside->variables["loop"] = JinjaValue::of(std::shared_ptr<const JinjaLoop>(loop));
    KV_TRY(assign(statement.targets, loop->items[loop->at], *inside));
    KV_ASSIGN(const Flow flow, run_block(statement.blocks[0], inside, out));
    if (flow == Flow::break_loop) break;
  }
  return Flow::next;
}

JinjaValue JinjaLoop::attribute(const std::string& name) const {
  const auto whole = [](std::size_t number) { return JinjaValue::integer(static_cast<std::int64_t>(number)); };
  if (name == "index") return whole(at + 1);
  if (name == "index0") return whole(at);
  if (name == "revindex") return whole(items.size() - at);
  if (name == "revindex0") return whole(items.size() - at - 1);
  if (name == "length") return whole(items.size());
  if (name == "first") return JinjaValue::boolean(at == 0);
  if (name == "last") return JinjaValue::boolean(at + 1 == items.size());
  if (name == "depth") return whole(1);  // of recursive loops, which are not supported
  if (name == "depth0") return whole(0);
  if (name == "previtem") return at > 0 ? items[at - 1] : JinjaValue::undefined("there is no previous item");
  if (name == "nextitem") return at + 1 < items.size() ? items[at + 1] : JinjaValue::undefined("there is no next item");
  return JinjaValue::undefined(name);
}

}  // namespace kvantage::inline jinja
