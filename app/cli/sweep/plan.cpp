// kvantage-cli plan: where policies would put the contexts of a workload, at each alpha and budget, by its quality
// curves and the fits of the session. Predicted, or simulated where a policy does not use alpha; nothing is served.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/commands.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "app/cli/sweep/scaled_budgets.h"
#include "app/cli/sweep/sweep.h"
#include "core/base/units.h"
#include "core/engine/settings_check.h"
#include "core/policy/frontier.h"
#include "core/policy/plan_text.h"
#include "core/policy/simulate.h"

namespace kvantage::cli {
namespace {

constexpr std::size_t max_plans = 1000, max_placements = 1'000'000;  // of all plans

struct PlanArguments : SessionArguments {
  std::string policies = "evicpress", alphas, alpha_grid, budgets = "1";
  bool details = false;
};

/// What is planned: every policy at every alpha and budget.
struct PlanAxes {
  std::vector<std::shared_ptr<const Policy>> policies;
  std::vector<double> alphas;
  std::vector<BudgetScale> budgets;
};

struct PlannedPoint {
  std::string policy, budget;
  FrontierPoint mean;
  std::shared_ptr<const Snapshot> snapshot;  // that was planned, at any alpha
  std::optional<Plan> plan;                  // nothing: simulated
  bool has_utility = true;                   // at one alpha
  Provenance provenance() const { return plan ? Provenance::predicted : Provenance::simulated; }
};

Expected<PlanAxes> axes_of(const PlanArguments& arguments) {
  PlanAxes axes;
  for (const std::string& name : split_policies(arguments.policies)) {
    KV_ASSIGN(auto policy, make_servable_policy(name));
    axes.policies.push_back(std::move(policy));
  }
  if (axes.policies.empty()) return fail(ErrorCode::usage, "--policy: names no policy; try --policy evicpress");
  KV_ASSIGN(axes.alphas, alphas_of(arguments.alphas, arguments.alpha_grid));
  if (axes.alphas.empty()) return fail(ErrorCode::usage, "--alpha: names no number; write it like 0.1,1,10");
  for (const std::string& text : split_list(arguments.budgets)) {
    KV_ASSIGN(auto budget, parse_budget_scale(text));
    axes.budgets.push_back(std::move(budget));
  }
  if (axes.budgets.empty()) return fail(ErrorCode::usage, "--budgets: names no budget; write it like 10%,20%");
  if (axes.policies.size() * axes.alphas.size() * axes.budgets.size() > max_plans)
    return fail(ErrorCode::usage, "--alpha: makes more than " + std::to_string(max_plans) +
                                      " plans; give fewer policies, alphas or budgets");
  return axes;
}

/// As the frontier of the window predicts it: every profiled context counts as computed.
Expected<Snapshot> planned_snapshot(const Engine& engine, const BudgetScale& budget) {
  KV_ASSIGN(const auto tiers, scaled_budgets(engine, engine.settings().tiers, budget));
  Snapshot snapshot = expected_demand(*engine.snapshot());
  for (std::size_t t = 0; t < std::min(tiers.size(), snapshot.tiers.size()); ++t)
    snapshot.tiers[t].budget_bytes = tiers[t].budget.bytes();
  return snapshot;
}

Expected<std::vector<PlannedPoint>> planned_points(const Engine& engine, const PlanAxes& axes) {
  std::vector<PlannedPoint> points;
  for (const BudgetScale& budget : axes.budgets) {
    KV_ASSIGN(auto snapshot, planned_snapshot(engine, budget));
    if (snapshot.contexts.size() * axes.budgets.size() * axes.policies.size() * axes.alphas.size() > max_placements)
      return fail(ErrorCode::usage, "--alpha: makes plans of more than " + std::to_string(max_placements) +
                                        " contexts together; give fewer policies, alphas or budgets");
    const auto shared = std::make_shared<const Snapshot>(snapshot);
    for (const std::shared_ptr<const Policy>& policy : axes.policies) {
      if (!policy->uses_alpha()) {
        // Its utility is that of the alpha that is planned for, wherever the policy is in the list; of several there is
        // none.
        snapshot.alpha = axes.alphas.front();
        const FrontierPoint mean =
            simulated_point(snapshot, policy, frontier_simulation.requests, frontier_simulation.seed);
        points.push_back({policy->name(), budget.text(), mean, shared, {}, axes.alphas.size() == 1});
        continue;
      }
      for (const double alpha : axes.alphas) {
        if (interrupted()) return fail(ErrorCode::cancelled, "interrupted while planning");
        snapshot.alpha = alpha;
        Plan plan = policy->plan(snapshot);
        const FrontierPoint mean{alpha, plan.mean_ttft_seconds, plan.mean_quality, plan.total_utility};
        points.push_back({policy->name(), budget.text(), mean, shared, std::move(plan)});
      }
    }
  }
  return points;
}

Json planned_context_json(const Snapshot& snapshot, const ContextState& context, const PlannedContext& planned) {
  const Configuration& to = planned.configuration;
  return {{"context", context.id},
          {"family", context.family},
          {"tier", to.stored() ? Json(snapshot.tiers[static_cast<std::size_t>(to.tier)].name) : Json(nullptr)},
          {"method", to.method},
          {"removed_fraction", to.removed_fraction},
          {"bytes", planned.bytes},
          {"quality", planned.quality},
          {"ttft_seconds", planned.ttft_seconds},
          {"utility", planned.utility},
          {"quality_assumed", planned.quality_assumed},
          {"reason", planned.reason}};
}

Json planned_point_json(const PlannedPoint& point) {
  Json tiers = Json::array(), contexts = Json::array();
  for (std::size_t t = 0; t < point.snapshot->tiers.size(); ++t) {
    const TierState& tier = point.snapshot->tiers[t];
    const bool unlimited = tier.budget_bytes == TierBudget::unlimited_bytes;
    tiers.push_back({{"tier", tier.name},
                     {"budget_bytes", unlimited ? Json(nullptr) : Json(tier.budget_bytes)},
                     {"used_bytes", point.plan ? Json(point.plan->used_bytes.at(t)) : Json(nullptr)}});
  }
  if (point.plan)
    for (std::size_t i = 0; i < point.plan->contexts.size(); ++i)
      contexts.push_back(planned_context_json(*point.snapshot, point.snapshot->contexts[i], point.plan->contexts[i]));
  return {{"policy", point.policy},
          {"alpha", point.plan ? Json(point.mean.alpha) : Json(nullptr)},
          {"budget", point.budget},
          {"provenance", to_string(point.provenance())},
          {"mean_ttft_seconds", point.mean.mean_ttft_seconds},
          {"mean_quality", point.mean.mean_quality},
          {"utility", point.has_utility ? Json(point.mean.utility) : Json(nullptr)},
          {"tiers", std::move(tiers)},
          {"contexts", point.plan ? std::move(contexts) : Json(nullptr)}};
}

void print_points(const std::vector<PlannedPoint>& points, bool details) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(points.size());
  for (const PlannedPoint& point : points)
    rows.push_back({point.policy, point.plan ? short_number(point.mean.alpha) : "-", point.budget,
                    format_seconds(point.mean.mean_ttft_seconds), format_fixed(point.mean.mean_quality, 3),
                    point.has_utility ? short_number(point.mean.utility) : "-", display_name(point.provenance())});
  std::printf("%s", list_text({{"policy"},
                               {"alpha", true},
                               {"budget", true},
                               {"mean TTFT", true},
                               {"mean quality", true},
                               {"utility", true},
                               {"provenance"}},
                              rows)
                        .c_str());
  if (!details) return;
  for (const PlannedPoint& point : points) {
    if (!point.plan) continue;
    std::printf("\n%s, alpha %s, budget %s\n", point.policy.c_str(), short_number(point.mean.alpha).c_str(),
                point.budget.c_str());
    std::vector<std::vector<std::string>> contexts;
    contexts.reserve(point.plan->contexts.size());
    for (std::size_t i = 0; i < point.plan->contexts.size(); ++i) {
      const PlannedContext& planned = point.plan->contexts[i];
      contexts.push_back({one_line(point.snapshot->contexts[i].id), one_line(point.snapshot->contexts[i].family),
                          describe(*point.snapshot, planned.configuration), format_bytes(planned.bytes),
                          format_fixed(planned.quality, 3), format_seconds(planned.ttft_seconds)});
    }
    std::printf("%s",
                list_text({{"context"}, {"family"}, {"placement"}, {"stored", true}, {"quality", true}, {"TTFT", true}},
                          contexts)
                    .c_str());
  }
}

Status make_plans(PlanArguments& arguments) {
  KV_TRY(finish_session_options(arguments));
  arguments.options.whole_curves_by_default = true;  // points have other alphas and budgets than the session
  KV_ASSIGN(const auto axes, axes_of(arguments));
  ConsoleSink console(arguments.quiet);
  KV_ASSIGN(auto session, open_session(arguments.options, {&console}));
  say_notes(session, arguments.quiet);
  Engine& engine = *session.engine;
  KV_TRY(wait_until_idle(engine));
  engine.profile_all();
  KV_TRY(wait_until_idle(engine));
  if (interrupted())
    return fail(ErrorCode::cancelled, "interrupted while profiling; the curves measured so far are kept");
  KV_ASSIGN(const auto points, planned_points(engine, axes));
  const SessionInfo info = engine.info();
  if (!arguments.json) {
    print_points(points, arguments.details);
    if (!info.model_note.empty())
      std::printf("%s\n", wrapped("Note: " + one_line(info.model_note) + ".", "", output_columns).c_str());
    return {};
  }
  Json list = Json::array();
  for (const PlannedPoint& point : points) list.push_back(planned_point_json(point));
  Json all{{"workload", info.workload_name},
           {"model", info.model_name},
           {"quality_metric", engine.settings().quality_metric},
           {"points", std::move(list)}};
  if (!info.model_note.empty()) all["model_note"] = info.model_note;
  print_json(all, 2);
  return {};
}

}  // namespace

void add_plan(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App& command = *parent.add_subcommand(
      "plan", "Predict TTFT and quality of policies from quality curves, and where they would put each context");
  add_session_options(command, *arguments);
  command.add_option("--policy", arguments->policies, "Policies; those that do not use alpha are simulated")
      ->capture_default_str();
  command.add_option("--alpha", arguments->alphas, "Alphas, like 0.1,1,10 (default: 1)");
  command.add_option("--alpha-grid", arguments->alpha_grid, "FIRST:LAST:COUNT, spaced logarithmically");
  command.add_option("--budgets", arguments->budgets, "Tier budgets, as in sweep")->capture_default_str();
  add_details_option(command, arguments->details);
  command.callback([arguments, &result] {
    note_interrupts();
    const Status status = make_plans(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
