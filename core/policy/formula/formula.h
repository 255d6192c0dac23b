// A utility as an expression over named quantities, e.g. "(alpha*quality - ttft)*frequency/bytes^0.5": compiled once,
// by muParser. Operators: + - * / ^, comparisons, && and ||, CONDITION ? A : B; functions: formula_functions().
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/policy/formula/quantities.h"

namespace kvantage::inline formula {

inline constexpr std::size_t max_formula_characters = 500;
inline constexpr int max_formula_depth = 50;  // of parentheses

/// "min(a,b,...)", "abs(x)", ...: what a formula may call.
const std::vector<std::string_view>& formula_functions();

/// A value that planners can compare and add: within ±1e99, and -1e100 for one that is not finite.
double comparable_value(double value);

struct CompiledFormula;  // by the library, for one thread

class Formula {
 public:
  /// false: this build has no muParser, and compile() refuses everything.
  static bool is_available();
  /// usage error for what is no formula: an unknown name (with a near miss), a syntax error (with its character, the
  /// first being 1), more than max_formula_characters, too deep.
  static Expected<std::shared_ptr<const Formula>> compile(std::string_view text);
  ~Formula();
  Formula(const Formula&) = delete;
  Formula& operator=(const Formula&) = delete;

  const std::string& text() const { return text_; }
  bool uses(Quantity quantity) const { return uses_[static_cast<std::size_t>(quantity)]; }
  /// Whether it is a product with the factor `frequency`, which occurs nowhere else: then a common factor of all
  /// frequencies changes no comparison.
  bool scales_with_frequency() const { return scales_with_frequency_; }

  /// Evaluates for one thread: threads that need it at the same time make one each. The formula outlives it.
  class Evaluator {
   public:
    explicit Evaluator(const Formula& formula);
    ~Evaluator();
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;
    /// May be infinite or not a number: see comparable_value().
    double operator()(const QuantityValues& values);

   private:
    const Formula& formula_;
    std::unique_ptr<CompiledFormula> compiled_;
  };

 private:
  Formula();
  std::string text_;
  std::array<bool, quantity_count> uses_{};
  bool scales_with_frequency_ = false;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<CompiledFormula>> idle_;  // compiled for threads that ended
};

}  // namespace kvantage::inline formula
