#include "ui/live/controls/model/formula_points.h"

#include <algorithm>
#include <cmath>

#include "core/base/form_text.h"
#include "core/policy/policy.h"
#include "core/policy/utility.h"
#include "ui/live/decisions/model/decision_headline.h"
#include "ui/text/words.h"

namespace kvantage {

std::string formula_expression(const std::string& policy) {
  const auto form = FormText::read(policy, "policy");
  return form && form->name() == "formula" && !form->arguments().empty() && form->arguments().front().key.empty()
             ? std::string(form->arguments().front().value)
             : std::string();
}

std::string with_formula_expression(const std::string& policy, const std::string& expression) {
  std::string text = "formula(" + expression;
  if (const auto form = FormText::read(policy, "policy"); form && form->name() == "formula")
    for (const FormText::Argument& argument : form->arguments())
      if (!argument.key.empty()) text += "," + std::string(argument.key) + "=" + std::string(argument.value);
  return text + ")";
}

FormulaPoints formula_points(const Snapshot& snapshot, double alpha, const Formula& formula) {
  const bool requested =
      std::ranges::any_of(snapshot.contexts, [](const ContextState& context) { return context.frequency > 0; });
  const double fallback = mean_uncompressed_quality(snapshot);
  Formula::Evaluator evaluate(formula);
  FormulaPoints found;
  const std::size_t count = std::min(snapshot.contexts.size(), max_formula_points);
  found.points.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const ContextState& context = snapshot.contexts[i];
    const Configuration here = is_placed(snapshot, context) ? context.placement : Configuration{};
    const Prediction predicted = predict(snapshot, context, here, fallback);
    const Prediction unstored = predict(snapshot, context, {}, fallback);
    QuantityValues values = quantities_of(snapshot, context, here, predicted, unstored);
    const double frequency = requested ? context.frequency : 1;
    values[Quantity::alpha] = alpha;
    values[Quantity::frequency] = frequency;
    const double value = evaluate(values);
    if (!std::isfinite(value)) {
      ++found.undefined;
      continue;
    }
    found.points.push_back({to_q(context.id), configuration_name(snapshot, here),
                            utility(alpha, predicted.quality, predicted.ttft_seconds, frequency), value});
  }
  return found;
}

}  // namespace kvantage
