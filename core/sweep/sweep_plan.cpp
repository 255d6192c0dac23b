#include "core/sweep/sweep_plan.h"

#include <charconv>
#include <cmath>

#include "core/base/digest.h"
#include "core/ports/session.h"

namespace kvantage::inline sweep {
namespace {

bool read_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

std::string BudgetScale::text() const {
  return dump_json(Json(of_uncompressed ? value * 100 : value)) + (of_uncompressed ? "%" : "");
}

Expected<BudgetScale> parse_budget_scale(std::string_view text) {
  BudgetScale scale;
  scale.of_uncompressed = text.ends_with('%');
  const bool is_number = read_number(scale.of_uncompressed ? text.substr(0, text.size() - 1) : text, scale.value);
  const bool is_in_range = scale.value > 0 && scale.value <= 1e6;
  if (scale.of_uncompressed) scale.value /= 100;
  if (!is_number || !is_in_range || scale.value == 0)  // a hundredth of the least number is 0
    return fail(ErrorCode::usage, "--budgets: '" + printable(text) +
                                      "' is not a budget; give a factor of the session's like 0.5, or a share of the "
                                      "uncompressed bytes like 20%");
  return scale;
}

OrderedJson to_json(const SweepCell& cell) {
  return {{"policy", cell.policy},
          {"alpha", cell.uses_alpha ? OrderedJson(cell.alpha) : OrderedJson(nullptr)},
          {"budget", cell.budget.text()},
          {"requests_per_second", cell.requests_per_second},
          {"seed", cell.seed}};
}

Expected<SweepCell> sweep_cell_from_json(const Json& json, const std::string& name) {
  KV_TRY(refuse_unknown_fields(json, {"policy", "alpha", "budget", "requests_per_second", "seed"}, name));
  SweepCell cell;
  KV_ASSIGN(const auto policy, json_field<std::string>(json, "policy", name));
  cell.policy = policy;
  cell.uses_alpha = json.contains("alpha") && !json.at("alpha").is_null();
  KV_ASSIGN(const auto alpha, json_field_or<double>(json, "alpha", name, 1));
  cell.alpha = alpha;
  KV_ASSIGN(const auto budget, json_field<std::string>(json, "budget", name));
  KV_ASSIGN(const auto scale, parse_budget_scale(budget));
  cell.budget = scale;
  KV_ASSIGN(const auto rate, json_field<double>(json, "requests_per_second", name));
  cell.requests_per_second = rate;
  KV_ASSIGN(const auto seed, json_field<std::uint64_t>(json, "seed", name));
  cell.seed = seed;
  return cell;
}

namespace {
OrderedJson common_of(const SweepPlan& plan) {
  return {{"workload", plan.workload},
          {"workload_digest", plan.workload_digest},
          {"model", plan.model},
          {"model_digest", plan.model_digest},
          {"tiers", plan.tiers},
          {"methods", plan.methods},
          {"removed_fractions", plan.removed_fractions},
          {"quality_metric", plan.quality_metric},
          {"request_limit", plan.request_limit},
          {"max_batch", plan.max_batch},
          {"warm_every_context", plan.warm_every_context}};
}

// Without paths: they differ between machines.
OrderedJson identity_of(const SweepPlan& plan) {
  OrderedJson common = common_of(plan);
  common.erase("workload");
  common.erase("model");
  return common;
}
}  // namespace

OrderedJson to_json(const SweepPlan& plan) {
  OrderedJson json = common_of(plan);
  json["group"] = plan.group;
  json["cells"] = OrderedJson::array();
  for (const SweepCell& cell : plan.cells) json["cells"].push_back(to_json(cell));
  return json;
}

Expected<SweepPlan> sweep_plan_from_json(const Json& json, const std::string& name) {
  KV_TRY(refuse_unknown_fields(
      json,
      {"workload", "workload_digest", "model", "model_digest", "tiers", "methods", "removed_fractions",
       "quality_metric", "request_limit", "max_batch", "warm_every_context", "group", "cells"},
      name));
  // Before anything is made of the elements: whoever can write to the server made the plan. A tier's text may be the
  // archive's.
  for (const auto& [field, most] :
       {std::pair("tiers", max_tiers + 1), std::pair("methods", max_methods),
        std::pair("removed_fractions", max_removed_fractions), std::pair("cells", max_sweep_cells)})
    KV_TRY(check_length(json, field, most, name));
  SweepPlan plan;
  Status status;
  const auto take = [&](const char* key, auto& value) {
    if (!status) return;
    auto read = json_field<std::remove_cvref_t<decltype(value)>>(json, key, name);
    if (read) {
      value = std::move(*read);
    } else {
      status = tl::unexpected(read.error());
    }
  };
  take("workload", plan.workload);
  take("workload_digest", plan.workload_digest);
  take("model", plan.model);
  take("tiers", plan.tiers);
  take("methods", plan.methods);
  take("removed_fractions", plan.removed_fractions);
  take("quality_metric", plan.quality_metric);
  take("request_limit", plan.request_limit);
  take("warm_every_context", plan.warm_every_context);
  // Earlier plans lack these; as the model's digest is among them, they are different sweeps.
  if (json.contains("model_digest")) take("model_digest", plan.model_digest);
  if (json.contains("max_batch")) take("max_batch", plan.max_batch);
  if (json.contains("group")) take("group", plan.group);
  KV_TRY(status);
  if (json.contains("cells"))
    for (const Json& one : json.at("cells")) {
      KV_ASSIGN(auto cell, sweep_cell_from_json(one, name));
      plan.cells.push_back(std::move(cell));
    }
  return plan;
}

Status check_same_sweep(const SweepPlan& there, const SweepPlan& here, const std::string& where) {
  const OrderedJson theirs = identity_of(there), ours = identity_of(here);
  for (const auto& [field, value] : theirs.items()) {
    if (value == ours.at(field)) continue;
    const auto shown = [](const OrderedJson& json) {
      return json == "" ? std::string("not recorded") : dump_json(json);
    };
    return fail(ErrorCode::rejected_input, where + ": holds another sweep: its " + field + " is " + shown(value) +
                                               ", this one's " + shown(ours.at(field)) +
                                               "; resume it with its own settings, or start a new one");
  }
  return {};
}

CellIds::CellIds(const SweepPlan& plan) : shared_(dump_json(identity_of(plan))) {}

std::string CellIds::of(const SweepCell& cell) const {
  return DigestBuilder().add(shared_).add(dump_json(to_json(cell))).finish().hex().substr(0, 16);
}

std::string cell_id(const SweepPlan& plan, const SweepCell& cell) { return CellIds(plan).of(cell); }

Expected<std::vector<SweepCell>> cells_of(const SweepGrid& grid) {
  double count = static_cast<double>(grid.policies.size()) * static_cast<double>(grid.budgets.size());
  count *= static_cast<double>(grid.alphas.size()) * static_cast<double>(grid.rates.size()) *
           static_cast<double>(grid.seeds.size());
  if (count < 1)
    return fail(ErrorCode::usage, "the sweep has no cells; give at least one policy, alpha, budget, rate and seed");
  if (count > static_cast<double>(max_sweep_cells))
    return fail(ErrorCode::usage, "the sweep has " + std::to_string(static_cast<std::uint64_t>(count)) +
                                      " cells, more than " + std::to_string(max_sweep_cells) + "; give shorter lists");
  std::vector<SweepCell> cells;
  for (const std::uint64_t seed : grid.seeds)
    for (const BudgetScale& budget : grid.budgets)
      for (const double rate : grid.rates)
        for (const SweepGrid::PolicyChoice& choice : grid.policies)
          for (const double alpha : grid.alphas) {
            cells.push_back({choice.policy, choice.uses_alpha ? alpha : 1, budget, rate, seed, choice.uses_alpha});
            if (!choice.uses_alpha) break;
          }
  return cells;
}

Expected<std::vector<double>> parse_log_grid(std::string_view text) {
  const auto wrong = [&] {
    return fail(ErrorCode::usage,
                "--alpha-grid: '" + printable(text) +
                    "' is not a grid; write FIRST:LAST:COUNT like 0.01:10:7, numbers above 0, at most 1000 of them");
  };
  const std::size_t first = text.find(':'),
                    second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos) return wrong();
  double low = 0, high = 0, count = 0;
  if (!read_number(text.substr(0, first), low) || !read_number(text.substr(first + 1, second - first - 1), high) ||
      !read_number(text.substr(second + 1), count))
    return wrong();
  if (!(low > 0 && high >= low && high <= 1e9 && count >= 1 && count <= 1000 && count == std::floor(count)))
    return wrong();
  std::vector<double> values;
  for (int i = 0; i < static_cast<int>(count); ++i)
    values.push_back(count == 1 ? low : low * std::pow(high / low, i / (count - 1)));
  return values;
}

}  // namespace kvantage::inline sweep
