#include "core/text/jinja/parser.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/json.h"

namespace kvantage::inline jinja {
namespace {

using NodeKind = JinjaExpression::Kind;
using TokenKind = JinjaToken::Kind;

JinjaExpressionPtr node_of(NodeKind kind, int line, std::string text = {}) {
  auto made = std::make_unique<JinjaExpression>();
  made->kind = kind;
  made->line = line;
  made->text = std::move(text);
  return made;
}

void add_part(JinjaExpression& node, JinjaExpressionPtr part) {
  if (part) node.depth = std::max(node.depth, part->depth + 1);
  node.parts.push_back(std::move(part));
}

JinjaExpressionPtr constant_of(JinjaValue value, int line) {
  auto made = node_of(NodeKind::constant, line);
  made->value = std::move(value);
  return made;
}

/// nullptr: beyond the range of numbers.
JinjaExpressionPtr constant_of_real(const JinjaToken& token) {
  double number = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
  return error == std::errc() ? constant_of(JinjaValue::real(number), token.line) : nullptr;
}

/// Counts how deep the parser is in itself, as long as it lives.
struct Deeper {
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  int& depth_;
};

}  // namespace

tl::unexpected<Error> JinjaCursor::refuse(const std::string& reason) const {
  return fail(ErrorCode::rejected_input, "line " + std::to_string(here().line) + ": " + reason);
}

bool JinjaCursor::skip_sign(std::string_view sign) {
  if (!here().is_sign(sign)) return false;
  ++at_;
  return true;
}

bool JinjaCursor::skip_name(std::string_view name) {
  if (!here().is_name(name)) return false;
  ++at_;
  return true;
}

Status JinjaCursor::expect_sign(std::string_view sign) {
  if (skip_sign(sign)) return {};
  const bool ends =
      here().kind == TokenKind::end_block || here().kind == TokenKind::end_print || here().kind == TokenKind::end;
  return refuse("expected '" + std::string(sign) + "', found " +
                (ends ? "the end of the tag" : "'" + printable(here().text) + "'"));
}

JinjaParser::Made JinjaParser::expression(bool with_condition) {
  const Deeper deeper(depth_);
  if (depth_ > max_depth) return refuse("expressions are nested too deeply");
  const int line = here().line;
  KV_ASSIGN(auto made, binary(0));
  while (with_condition && skip_name("if")) {
    auto chosen = node_of(NodeKind::condition, line);
    KV_ASSIGN(auto condition, binary(0));
    JinjaExpressionPtr otherwise;
    if (skip_name("else")) {
      KV_ASSIGN(otherwise, expression());
    }
    add_part(*chosen, std::move(made));
    add_part(*chosen, std::move(condition));
    add_part(*chosen, std::move(otherwise));
    made = std::move(chosen);
  }
  if (made->depth > max_depth) return refuse("expressions are nested too deeply");
  return made;
}

JinjaParser::Made JinjaParser::tuple(bool with_condition) {
  auto made = node_of(NodeKind::tuple, here().line);
  bool comma = false;
  while (true) {
    const TokenKind kind = here().kind;
    if (kind == TokenKind::end_block || kind == TokenKind::end_print || kind == TokenKind::end || here().is_sign(")"))
      break;
    KV_ASSIGN(auto item, expression(with_condition));
    add_part(*made, std::move(item));
    if (!skip_sign(",")) break;
    comma = true;
  }
  if (comma) return made;
  if (made->parts.empty()) return refuse("expected an expression");
  return std::move(made->parts.front());
}

JinjaParser::Made JinjaParser::binary(int level) {
  static const std::array<std::vector<std::string_view>, 5> operators{
      {{"or"}, {"and"}, {"+", "-"}, {"*", "/", "//", "%"}, {"**"}}};
  const auto next = [&]() -> Made {
    switch (level) {
      case 0:
        return binary(1);
      case 1: {
        std::size_t negations = 0;
        const int line = here().line;
        while (skip_name("not")) ++negations;
        if (negations > static_cast<std::size_t>(max_depth)) return refuse("expressions are nested too deeply");
        KV_ASSIGN(auto made, comparison());
        for (; negations > 0; --negations) {
          auto negated = node_of(NodeKind::negate, line, "not");
          add_part(*negated, std::move(made));
          made = std::move(negated);
        }
        return made;
      }
      case 2:
        return concatenation();
      case 3:
        return binary(4);
      default:
        return unary(true);
    }
  };
  KV_ASSIGN(auto made, next());
  while (true) {
    const JinjaToken& token = here();
    const auto& known = operators[static_cast<std::size_t>(level)];
    const bool fits = std::ranges::any_of(
        known, [&](std::string_view name) { return level < 2 ? token.is_name(name) : token.is_sign(name); });
    if (!fits) return made;
    auto joined = node_of(NodeKind::binary, token.line, token.text);
    ++at_;
    KV_ASSIGN(auto right, next());
    add_part(*joined, std::move(made));
    add_part(*joined, std::move(right));
    made = std::move(joined);
    if (made->depth > max_depth) return refuse("expressions are nested too deeply");
  }
}

JinjaParser::Made JinjaParser::comparison() {
  const auto operator_here = [&]() -> std::string {
    for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"})
      if (skip_sign(sign)) return sign;
    if (skip_name("in")) return "in";
    if (here().is_name("not") && tokens_[at_ + 1].is_name("in")) {
      at_ += 2;
      return "not in";
    }
    return {};
  };
  const int line = here().line;
  KV_ASSIGN(auto first, binary(2));
  std::string sign = operator_here();
  if (sign.empty()) return first;
  auto made = node_of(NodeKind::compare, line);
  add_part(*made, std::move(first));
  for (; !sign.empty(); sign = operator_here()) {
    KV_ASSIGN(auto right, binary(2));
    add_part(*made, std::move(right));
    made->operators.push_back(sign);
  }
  return made;
}

JinjaParser::Made JinjaParser::concatenation() {
  const int line = here().line;
  KV_ASSIGN(auto first, binary(3));
  if (!here().is_sign("~")) return first;
  auto made = node_of(NodeKind::binary, line, "~");
  add_part(*made, std::move(first));
  while (skip_sign("~")) {
    KV_ASSIGN(auto part, binary(3));
    add_part(*made, std::move(part));
  }
  return made;
}

JinjaParser::Made JinjaParser::unary(bool with_filter) {
  const Deeper deeper(depth_);
  if (depth_ > max_depth) return refuse("expressions are nested too deeply");
  const int line = here().line;
  for (const char* sign : {"-", "+"}) {
    if (!skip_sign(sign)) continue;
    auto negated = node_of(NodeKind::negate, line, sign);
    KV_ASSIGN(auto of, unary(false));
    add_part(*negated, std::move(of));
    return postfix(std::move(negated), with_filter);
  }
  KV_ASSIGN(auto made, primary());
  return postfix(std::move(made), with_filter);
}

JinjaParser::Made JinjaParser::primary() {
  const JinjaToken token = here();
  const int line = token.line;
  ++at_;
  switch (token.kind) {
    case TokenKind::name:
      if (token.text == "true" || token.text == "True") return constant_of(JinjaValue::boolean(true), line);
      if (token.text == "false" || token.text == "False") return constant_of(JinjaValue::boolean(false), line);
      if (token.text == "none" || token.text == "None") return constant_of(JinjaValue::none(), line);
      return node_of(NodeKind::name, line, token.text);
    case TokenKind::text: {
      std::string whole = token.text;
      for (; here().kind == TokenKind::text; ++at_) whole += here().text;
      return constant_of(JinjaValue::text(std::move(whole)), line);
    }
    case TokenKind::integer: {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
      const bool padded = token.text.size() > 1 && token.text[0] == '0' && number != 0;
      if (error == std::errc() && end == token.text.data() + token.text.size() && !padded)
        return constant_of(JinjaValue::integer(number), line);
      --at_;
      return refuse("the number " + token.text + " is not supported");
    }
    case TokenKind::real:
      if (auto made = constant_of_real(token)) return made;
      --at_;
      return refuse("the number " + token.text + " is not supported");
    default:
      break;
  }
  if (token.is_sign("(")) {
    if (skip_sign(")")) return node_of(NodeKind::tuple, line);
    KV_ASSIGN(auto made, tuple(true));
    KV_TRY(expect_sign(")"));
    return made;
  }
  if (token.is_sign("[") || token.is_sign("{")) {
    const bool is_map = token.text == "{";
    auto made = node_of(is_map ? NodeKind::map : NodeKind::list, line);
    const char* close = is_map ? "}" : "]";
    while (!skip_sign(close)) {
      if (!made->parts.empty()) KV_TRY(expect_sign(","));
      if (skip_sign(close)) break;
      KV_ASSIGN(auto item, expression());
      add_part(*made, std::move(item));
      if (!is_map) continue;
      KV_TRY(expect_sign(":"));
      KV_ASSIGN(auto value, expression());
      add_part(*made, std::move(value));
    }
    return made;
  }
  --at_;
  return refuse(token.text.empty() ? "expected an expression" : "unexpected '" + printable(token.text) + "'");
}

JinjaParser::Made JinjaParser::postfix(JinjaExpressionPtr object, bool filters) {
  bool filtered = false;  // then no more subscripts
  while (true) {
    Made made;
    if (!filtered && (here().is_sign(".") || here().is_sign("["))) {
      made = subscript(std::move(object));
    } else if (here().is_sign("(")) {
      auto call = node_of(NodeKind::call, here().line);
      add_part(*call, std::move(object));
      made = arguments(std::move(call));
    } else if (filters && skip_sign("|")) {
      filtered = true;
      made = filter(std::move(object));
    } else if (filters && skip_name("is")) {
      filtered = true;
      made = test(std::move(object));
    } else {
      return object;
    }
    if (!made) return made;
    object = *std::move(made);
    if (object->depth > max_depth) return refuse("expressions are nested too deeply");
  }
}

JinjaParser::Made JinjaParser::filter(JinjaExpressionPtr object) {
  if (here().kind != TokenKind::name) return refuse("expected the name of a filter");
  auto made = node_of(NodeKind::filter, here().line, here().text);
  ++at_;
  if (here().is_sign(".")) return refuse("filters with a point in their name are not supported");
  add_part(*made, std::move(object));
  return here().is_sign("(") ? arguments(std::move(made)) : Made(std::move(made));
}

JinjaParser::Made JinjaParser::arguments(JinjaExpressionPtr call) {
  KV_TRY(expect_sign("("));
  for (bool first = true; !skip_sign(")"); first = false) {
    if (!first) KV_TRY(expect_sign(","));
    if (skip_sign(")")) break;
    if (here().is_sign("*") || here().is_sign("**")) return refuse("arguments with * are not supported");
    const bool is_named = here().kind == TokenKind::name && tokens_[at_ + 1].is_sign("=");
    const std::string name = is_named ? here().text : "";
    if (is_named) at_ += 2;
    KV_ASSIGN(auto argument, expression());
    call->depth = std::max(call->depth, argument->depth + 1);
    if (is_named)
      call->named.emplace_back(name, std::move(argument));
    else if (!call->named.empty())
      return refuse("an argument without a name follows one with a name");
    else
      add_part(*call, std::move(argument));
  }
  return call;
}

JinjaParser::Made JinjaParser::test(JinjaExpressionPtr object) {
  const int line = here().line;
  const bool negated = skip_name("not");
  if (here().kind != TokenKind::name) return refuse("expected the name of a test");
  auto made = node_of(NodeKind::test, line, here().text);
  ++at_;
  add_part(*made, std::move(object));
  const JinjaToken& next = here();
  const bool has_argument =
      next.kind == TokenKind::text || next.kind == TokenKind::integer || next.kind == TokenKind::real ||
      next.is_sign("[") || next.is_sign("{") ||
      (next.kind == TokenKind::name && next.text != "else" && next.text != "or" && next.text != "and");
  if (next.is_sign("(")) {
    KV_ASSIGN(made, arguments(std::move(made)));
  } else if (has_argument) {
    if (next.is_name("is")) return refuse("tests cannot be chained with is");
    KV_ASSIGN(auto argument, primary());
    while (here().is_sign(".") || here().is_sign("[")) {
      KV_ASSIGN(argument, subscript(std::move(argument)));
      if (argument->depth > max_depth) return refuse("expressions are nested too deeply");
    }
    add_part(*made, std::move(argument));
  }
  if (!negated) return made;
  auto outer = node_of(NodeKind::negate, line, "not");
  add_part(*outer, std::move(made));
  return outer;
}

JinjaParser::Made JinjaParser::subscript(JinjaExpressionPtr object) {
  const int line = here().line;
  if (skip_sign(".")) {
    const JinjaToken token = here();
    if (token.kind == TokenKind::integer) {
      auto made = node_of(NodeKind::item, line);
      KV_ASSIGN(auto index, primary());
      add_part(*made, std::move(object));
      add_part(*made, std::move(index));
      return made;
    }
    if (token.kind != TokenKind::name) return refuse("expected a name after the point");
    ++at_;
    auto made = node_of(NodeKind::attribute, line, token.text);
    add_part(*made, std::move(object));
    return made;
  }
  KV_TRY(expect_sign("["));
  auto made = node_of(NodeKind::slice, line);
  add_part(*made, std::move(object));
  bool is_slice = false;
  while (true) {
    JinjaExpressionPtr bound;
    if (!here().is_sign(":") && !here().is_sign("]")) {
      KV_ASSIGN(bound, expression());
    }
    add_part(*made, std::move(bound));
    if (made->parts.size() == 4 || !skip_sign(":")) break;
    is_slice = true;
  }
  if (here().is_sign(",")) return refuse("several subscripts are not supported");
  KV_TRY(expect_sign("]"));
  if (is_slice) {
    made->parts.resize(4);
    return made;
  }
  if (!made->parts[1]) return refuse("expected a subscript");
  made->kind = NodeKind::item;
  return made;
}

}  // namespace kvantage::inline jinja
