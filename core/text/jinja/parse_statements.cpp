#include <algorithm>
#include <array>
#include <memory>

#include "core/base/json.h"
#include "core/text/jinja/parser.h"

namespace kvantage::inline jinja {
namespace {

constexpr std::size_t max_parameters = 64;

}  // namespace

Expected<JinjaBlock> JinjaParser::run() {
  KV_ASSIGN(auto whole, block({}));
  if (here().kind != JinjaToken::Kind::end) return refuse("'" + printable(tokens_[at_ + 1].text) + "' ends nothing");
  return whole;
}

/// Statements up to a tag with one of these names, which is next then; without names, up to the end.
Expected<JinjaBlock> JinjaParser::block(const std::vector<std::string_view>& ends) {
  using Kind = JinjaToken::Kind;
  if (++depth_ > max_depth) return refuse("blocks are nested too deeply");
  JinjaBlock made;
  const int opened = here().line;
  while (true) {
    const JinjaToken& token = here();
    if (token.kind == Kind::end) {
      if (!ends.empty())
        return fail(ErrorCode::rejected_input, "line " + std::to_string(opened) + ": the tag before has no {% " +
                                                   std::string(ends.back()) + " %}");
      break;
    }
    if (token.kind == Kind::data) {
      made.push_back({.kind = JinjaStatement::Kind::data, .line = token.line, .text = token.text});
      ++at_;
    } else if (token.kind == Kind::begin_print) {
      ++at_;
      JinjaStatement print{.kind = JinjaStatement::Kind::print, .line = token.line};
      KV_ASSIGN(auto value, tuple(true));
      print.parts.push_back(std::move(value));
      if (here().kind != Kind::end_print) return refuse("unexpected '" + printable(here().text) + "'");
      ++at_;
      made.push_back(std::move(print));
    } else {
      const JinjaToken& name = tokens_[at_ + 1];
      if (name.kind != Kind::name) return refuse("a tag has no name");
      if (std::ranges::find(ends, name.text) != ends.end()) break;
      if (ends.empty() && (name.text.starts_with("end") || name.text == "else" || name.text == "elif")) break;
      at_ += 2;
      KV_ASSIGN(auto one, statement(std::string(name.text)));
      made.push_back(std::move(one));
    }
  }
  --depth_;
  return made;
}

namespace {

/// Tags of Jinja that chat templates do not need.
constexpr std::array<std::string_view, 11> other_tags{"include", "import",     "from", "extends", "block", "call",
                                                      "with",    "autoescape", "do",   "trans",   "debug"};

}  // namespace

Expected<JinjaStatement> JinjaParser::statement(const std::string& name) {
  using Kind = JinjaStatement::Kind;
  JinjaStatement made{.line = here().line};
  if (name == "if") {
    KV_TRY(read_condition(made));
  } else if (name == "for") {
    KV_TRY(read_loop(made));
  } else if (name == "set") {
    KV_TRY(read_set(made));
  } else if (name == "macro") {
    KV_TRY(read_macro(made));
  } else if (name == "filter") {
    KV_TRY(read_filter(made));
  } else if (name == "generation") {
    made.kind = Kind::scope;
    KV_TRY(end_tag());
    KV_ASSIGN(auto inner, block({"endgeneration"}));
    made.blocks.push_back(std::move(inner));
    at_ += 2;
  } else if (name == "break" || name == "continue") {
    if (loops_ == 0) return refuse("'" + name + "' is outside of a loop");
    made.kind = name == "break" ? Kind::break_loop : Kind::continue_loop;
  } else {
    --at_;
    const bool known = std::ranges::find(other_tags, name) != other_tags.end();
    return refuse((known ? "the tag '" : "unknown tag '") + printable(name) + (known ? "' is not supported" : "'"));
  }
  KV_TRY(end_tag());
  return made;
}

Status JinjaCursor::end_tag() {
  if (here().kind != JinjaToken::Kind::end_block) return refuse("unexpected '" + printable(here().text) + "'");
  ++at_;
  return {};
}

Status JinjaParser::read_condition(JinjaStatement& made) {
  made.kind = JinjaStatement::Kind::condition;
  while (true) {
    KV_ASSIGN(auto condition, tuple(false));
    made.parts.push_back(std::move(condition));
    KV_TRY(end_tag());
    KV_ASSIGN(auto inner, block({"elif", "else", "endif"}));
    made.blocks.push_back(std::move(inner));
    ++at_;
    if (skip_name("elif")) continue;
    if (skip_name("else")) {
      KV_TRY(end_tag());
      KV_ASSIGN(auto otherwise, block({"endif"}));
      made.blocks.push_back(std::move(otherwise));
      ++at_;
    }
    ++at_;  // endif
    return {};
  }
}

Status JinjaParser::read_targets(std::vector<std::string>& targets) {
  const bool closes = skip_sign("(");
  do {
    if (!targets.empty() && here().kind != JinjaToken::Kind::name) break;  // "a," is a tuple of one
    if (here().kind != JinjaToken::Kind::name) return refuse("expected the name of a variable");
    const std::string& name = here().text;
    for (const char* constant : {"true", "false", "none", "True", "False", "None", "loop"})
      if (name == constant) return refuse("'" + name + "' cannot be assigned to");
    targets.push_back(name);
    ++at_;
    if (!here().is_sign(",") && targets.size() == 1 && !closes) return {};
  } while (skip_sign(","));
  if (closes) KV_TRY(expect_sign(")"));
  if (targets.size() == 1 && tokens_[at_ - 1].is_sign(",")) targets.emplace_back();
  return {};
}

Status JinjaParser::read_loop(JinjaStatement& made) {
  made.kind = JinjaStatement::Kind::loop;
  KV_TRY(read_targets(made.targets));
  if (!skip_name("in")) return refuse("expected 'in'");
  KV_ASSIGN(auto items, tuple(false));
  made.parts.push_back(std::move(items));
  JinjaExpressionPtr wanted;
  if (skip_name("if")) {
    KV_ASSIGN(wanted, expression());
  }
  made.parts.push_back(std::move(wanted));
  if (here().is_name("recursive")) return refuse("recursive loops are not supported");
  KV_TRY(end_tag());
  ++loops_;
  KV_ASSIGN(auto inner, block({"else", "endfor"}));
  --loops_;
  made.blocks.push_back(std::move(inner));
  made.blocks.emplace_back();
  ++at_;
  if (skip_name("else")) {
    KV_TRY(end_tag());
    KV_ASSIGN(auto otherwise, block({"endfor"}));
    made.blocks.back() = std::move(otherwise);
    ++at_;
  }
  ++at_;  // endfor
  return {};
}

Status JinjaParser::read_set(JinjaStatement& made) {
  made.kind = JinjaStatement::Kind::set;
  if (here().kind == JinjaToken::Kind::name && tokens_[at_ + 1].is_sign(".")) {
    made.targets.push_back(here().text);
    at_ += 2;
    if (here().kind != JinjaToken::Kind::name) return refuse("expected the name of an attribute");
    made.text = here().text;
    ++at_;
  } else {
    KV_TRY(read_targets(made.targets));
  }
  if (skip_sign("=")) {
    KV_ASSIGN(auto value, tuple(true));
    made.parts.push_back(std::move(value));
    return {};
  }
  made.kind = JinjaStatement::Kind::set_block;
  if (!made.text.empty() || made.targets.size() != 1) return refuse("expected '='");
  if (skip_sign("|")) {
    KV_ASSIGN(auto filters, block_filters());
    made.parts.push_back(std::move(filters));
  }
  KV_TRY(end_tag());
  KV_ASSIGN(auto inner, block({"endset"}));
  made.blocks.push_back(std::move(inner));
  at_ += 2;
  return {};
}

JinjaParser::Made JinjaParser::block_filters() {
  auto made = std::make_unique<JinjaExpression>();
  made->kind = JinjaExpression::Kind::name;
  made->line = here().line;
  do {
    KV_ASSIGN(made, filter(std::move(made)));
    if (made->depth > max_depth) return refuse("expressions are nested too deeply");
  } while (skip_sign("|"));
  return made;
}

Status JinjaParser::read_filter(JinjaStatement& made) {
  made.kind = JinjaStatement::Kind::filter;
  KV_ASSIGN(auto filters, block_filters());
  made.parts.push_back(std::move(filters));
  KV_TRY(end_tag());
  KV_ASSIGN(auto inner, block({"endfilter"}));
  made.blocks.push_back(std::move(inner));
  at_ += 2;
  return {};
}

Status JinjaParser::read_macro(JinjaStatement& made) {
  made.kind = JinjaStatement::Kind::macro;
  if (here().kind != JinjaToken::Kind::name) return refuse("expected the name of a macro");
  made.text = here().text;
  ++at_;
  KV_TRY(expect_sign("("));
  while (!skip_sign(")")) {
    if (!made.parameters.empty()) KV_TRY(expect_sign(","));
    if (here().kind != JinjaToken::Kind::name) return refuse("expected the name of a parameter");
    if (made.parameters.size() >= max_parameters) return refuse("a macro has too many parameters");
    JinjaParameter parameter{here().text, nullptr};
    ++at_;
    if (skip_sign("=")) {
      KV_ASSIGN(parameter.second, expression());
    } else if (!made.parameters.empty() && made.parameters.back().second) {
      return refuse("a parameter without a default follows one with a default");
    }
    made.parameters.push_back(std::move(parameter));
  }
  KV_TRY(end_tag());
  const int loops = std::exchange(loops_, 0);
  KV_ASSIGN(auto inner, block({"endmacro"}));
  loops_ = loops;
  made.blocks.push_back(std::move(inner));
  at_ += 2;
  return {};
}

}  // namespace kvantage::inline jinja
