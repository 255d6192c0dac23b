#include "core/policy/formula/formula.h"

#include <algorithm>
#include <cmath>

#include "core/policy/formula/formula_tokens.h"

#ifdef KVANTAGE_FORMULA
#include <muParser.h>
#endif

namespace kvantage::inline formula {

const std::vector<std::string_view>& formula_functions() {
  static const std::vector<std::string_view> functions{"min(a,b,...)", "max(a,b,...)", "abs(x)",  "sqrt(x)",
                                                       "exp(x)",       "ln(x)",        "log2(x)", "log10(x)",
                                                       "tanh(x)",      "sign(x)",      "rint(x)"};
  return functions;
}

double comparable_value(double value) {
  constexpr double largest = 1e99, lowest = -1e100;
  return std::isfinite(value) ? std::clamp(value, -largest, largest) : lowest;
}

#ifdef KVANTAGE_FORMULA

struct CompiledFormula {
  mu::Parser parser;
  QuantityValues values;
};

namespace {

/// What is wrong, as the library says it by number; positions count from 0.
std::string syntax_reason(const mu::ParserError& error) {
  const std::string token = error.GetToken().empty() ? std::string() : " '" + error.GetToken() + "'";
  switch (error.GetCode()) {
    case mu::ecUNEXPECTED_OPERATOR:
      return "operator" + token + " has no left side; give one, or put a negative number in parentheses";
    case mu::ecUNEXPECTED_EOF:
      return "ends too early; complete it";
    case mu::ecUNEXPECTED_PARENS:
      return "parenthesis" + token + " is not expected here; remove it, or complete what is before it";
    case mu::ecMISSING_PARENS:
      return "a parenthesis is not closed; add ')'";
    case mu::ecTOO_MANY_PARAMS:
      return "too many arguments of" + token + "; remove some";
    case mu::ecTOO_FEW_PARAMS:
      return "too few arguments of" + token + "; add some";
    case mu::ecMISSING_ELSE_CLAUSE:
      return "'?' without ':'; write CONDITION ? A : B";
    case mu::ecMISPLACED_COLON:
    case mu::ecUNEXPECTED_CONDITIONAL:
      return "'?' or ':' is not expected here; write CONDITION ? A : B";
    case mu::ecUNEXPECTED_ARG_SEP:
    case mu::ecUNEXPECTED_ARG:
      return "',' is not expected here; separate the arguments of a function with it";
    default:
      return "not expected here" + (token.empty() ? std::string() : ":" + token) + "; write an operator before it";
  }
}

std::unique_ptr<CompiledFormula> compiled_formula(const std::string& text) {
  auto made = std::make_unique<CompiledFormula>();
  for (std::size_t i = 0; i < quantity_count; ++i)
    made->parser.DefineVar(std::string(quantities()[i].name), &made->values[static_cast<Quantity>(i)]);
  made->parser.SetExpr(text);
  made->parser.Eval();  // compiles it
  return made;
}

}  // namespace

bool Formula::is_available() { return true; }

Expected<std::shared_ptr<const Formula>> Formula::compile(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos)
    return formula_error(text, 0, "is empty; write one such as (alpha*quality-ttft)");
  if (text.size() > max_formula_characters)
    return formula_error(text, max_formula_characters,
                         "longer than " + std::to_string(max_formula_characters) + " characters; shorten it");
  KV_ASSIGN(const auto tokens, formula_tokens(text));
  std::shared_ptr<Formula> made(new Formula);
  made->text_ = text;
  made->scales_with_frequency_ = is_scaled_by_frequency(tokens);
  for (const FormulaToken& token : tokens)
    if (token.kind == FormulaToken::Kind::quantity)
      made->uses_[static_cast<std::size_t>(std::ranges::find(quantities(), token.text, &QuantityInfo::name) -
                                           quantities().begin())] = true;
  try {
    auto compiled = compiled_formula(made->text_);
    if (compiled->parser.GetNumResults() != 1) return formula_error(text, 0, "has more than one value; keep one");
    made->idle_.push_back(std::move(compiled));
  } catch (const mu::ParserError& error) {
    const int at = error.GetPos();
    return formula_error(text, at < 0 ? text.size() : static_cast<std::size_t>(at), syntax_reason(error));
  } catch (const std::exception& error) {  // an interface of the library that is not ours
    return formula_error(text, 0, std::string("cannot be compiled: ") + error.what() + "; write it in another way");
  }
  return std::shared_ptr<const Formula>(std::move(made));
}

Formula::Evaluator::Evaluator(const Formula& formula) : formula_(formula) {
  {
    const std::scoped_lock lock(formula.mutex_);
    if (!formula.idle_.empty()) {
      compiled_ = std::move(formula.idle_.back());
      formula.idle_.pop_back();
    }
  }
  if (!compiled_) compiled_ = compiled_formula(formula.text_);  // it compiled before
}

Formula::Evaluator::~Evaluator() {
  const std::scoped_lock lock(formula_.mutex_);
  formula_.idle_.push_back(std::move(compiled_));
}

double Formula::Evaluator::operator()(const QuantityValues& values) {
  compiled_->values = values;
  try {
    return compiled_->parser.Eval();
  } catch (const mu::ParserError&) {
    return std::nan("");
  }
}

#else

struct CompiledFormula {};

bool Formula::is_available() { return false; }

Expected<std::shared_ptr<const Formula>> Formula::compile(std::string_view) {
  return fail(ErrorCode::usage,
              "policy 'formula' needs the library muParser, which this build lacks; install libmuparser-dev and build "
              "again with -DKVANTAGE_FORMULA=ON, or choose evicpress");
}

Formula::Evaluator::Evaluator(const Formula& formula) : formula_(formula) {}
Formula::Evaluator::~Evaluator() = default;
double Formula::Evaluator::operator()(const QuantityValues&) { return std::nan(""); }

#endif

Formula::Formula() = default;
Formula::~Formula() = default;

}  // namespace kvantage::inline formula
