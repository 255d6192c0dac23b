#include "core/experiments/studies/served_experiment.h"

#include <algorithm>

#include "core/compress/method.h"
#include "core/engine/settings_check.h"
#include "core/policy/plan_text.h"
#include "core/text/quality.h"

namespace kvantage::inline studies {
namespace {

constexpr double max_budget = 1.05;  // all bytes, plus some slack

/// Parses numbers, each at most `most`, or less than it with `below`.
Status check_numbers(const std::string& text, const char* option, double most, bool below,
                     const std::string& otherwise) {
  KV_ASSIGN(const auto numbers, study_numbers(text, option));
  for (const double number : numbers)
    if (number > most || (below && number == most))
      return fail(ErrorCode::usage, std::string(option) + ": " + short_number(number) + otherwise);
  return {};
}

Status check_policies(const std::string& text) {
  const auto policies = split_policies(text);
  if (policies.empty())
    return fail(ErrorCode::usage, "--policy: names none; leave it out, or write it like lru,evicpress(drop=best)");
  for (const std::string& policy : policies) KV_TRY(make_servable_policy(policy));
  return {};
}

Status check_methods(const std::string& text) {
  const auto methods = split_list(text);
  if (methods.empty()) return fail(ErrorCode::usage, "--methods: names none; write it like keydiff,snapkv");
  for (const std::string& method : methods) KV_TRY(parse_method(method));
  return {};
}

}  // namespace

Status ServedExperiment::check(const FigureArguments& arguments) const {
  const auto reads = [this](const char* option) {
    return std::ranges::find(figure().settings, option, &FigureSetting::option) != figure().settings.end();
  };
  if (reads("--budgets") && !arguments.budgets.empty())
    KV_TRY(check_numbers(arguments.budgets, "--budgets", max_budget, false,
                         " is more than all contexts take uncompressed; give shares of their bytes, e.g. 0.2"));
  if (reads("--rate") && !arguments.rates.empty()) KV_TRY(study_numbers(arguments.rates, "--rate"));
  if (reads("--alpha") && !arguments.alphas.empty()) KV_TRY(study_numbers(arguments.alphas, "--alpha"));
  if (reads("--removed") && !arguments.removed.empty())
    KV_TRY(check_numbers(arguments.removed, "--removed", 1, true,
                         " leaves no token of a context; give fractions below 1, e.g. 0.5"));
  if (reads("--policy") && !arguments.policies.empty()) KV_TRY(check_policies(arguments.policies));
  if (reads("--methods") && !arguments.methods.empty()) KV_TRY(check_methods(arguments.methods));
  if (!arguments.metric.empty()) KV_TRY(require_quality_metric(arguments.metric));
  return {};
}

Status check_methods_remove(const PaperFigure& figure, const std::string& methods) {
  for (const std::string& method : split_list(methods)) {
    KV_ASSIGN(const auto parsed, parse_method(method));
    if (!parsed->info().removes_tokens)
      return fail(ErrorCode::usage,
                  "--methods: '" + method + "' removes no tokens, and figure " + figure.name +
                      " is about removed fractions; leave it out, or give a method that removes some, like knorm");
  }
  return {};
}

}  // namespace kvantage::inline studies
