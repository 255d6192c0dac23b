#include "core/sweep/sweep_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/digest.h"
#include "core/base/form_text.h"
#include "core/ports/session.h"

namespace kvantage::inline sweep {
namespace {

bool read_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::string scale_text(double value, bool of_uncompressed) {
  return dump_json(Json(of_uncompressed ? value * 100 : value)) + (of_uncompressed ? "%" : "");
}

/// "dram=10%+ssd=40%"
Expected<BudgetScale> parse_tier_scales(std::string_view text) {
  BudgetScale scale;
  for (const std::string_view piece : split_outside_parentheses(text, '+')) {
    const std::size_t sign = piece.find('=');
    const std::string tier(trimmed(piece.substr(0, sign)));
    const bool has_value = sign != std::string_view::npos && !tier.empty() && piece.find('=', sign + 1) == piece.npos;
    if (!has_value || std::ranges::find(scale.tiers, tier, &TierScale::tier) != scale.tiers.end())
      return fail(ErrorCode::usage, "--budgets: '" + printable(text) +
                                        "' does not name each of its tiers once; write it like dram=10%+ssd=40%");
    KV_ASSIGN(const auto own, parse_budget_scale(trimmed(piece.substr(sign + 1))));
    scale.tiers.push_back({tier, own.value, own.of_uncompressed});
  }
  return scale;
}

}  // namespace

std::string BudgetScale::text() const {
  std::string text;
  for (const TierScale& tier : tiers)
    text += (text.empty() ? "" : "+") + tier.tier + "=" + scale_text(tier.value, tier.of_uncompressed);
  return tiers.empty() ? scale_text(value, of_uncompressed) : text;
}

Expected<BudgetScale> parse_budget_scale(std::string_view text) {
  if (text.find('=') != std::string_view::npos) return parse_tier_scales(text);
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
  OrderedJson json{{"policy", cell.policy},
                   {"alpha", cell.uses_alpha ? OrderedJson(cell.alpha) : OrderedJson(nullptr)},
                   {"budget", cell.budget.text()},
                   {"requests_per_second", cell.requests_per_second},
                   {"seed", cell.seed}};
  // Where they are set alone: cells of sweeps without them keep their ids.
  if (!cell.methods.empty()) json["methods"] = cell.methods;
  if (!cell.decode_eviction.empty()) json["decode_eviction"] = cell.decode_eviction;
  return json;
}

Expected<SweepCell> sweep_cell_from_json(const Json& json, const std::string& name) {
  KV_TRY(refuse_unknown_fields(
      json, {"policy", "alpha", "budget", "requests_per_second", "seed", "methods", "decode_eviction"}, name));
  KV_TRY(check_length(json, "methods", max_methods, name));
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
  KV_ASSIGN(auto methods, json_field_or<std::vector<std::string>>(json, "methods", name, {}));
  cell.methods = std::move(methods);
  KV_ASSIGN(auto decode_eviction, json_field_or<std::string>(json, "decode_eviction", name, {}));
  cell.decode_eviction = std::move(decode_eviction);
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
          {"warm_every_context", plan.warm_every_context},
          {"products", plan.products}};
}

// Without paths: they differ between machines.
OrderedJson identity_of(const SweepPlan& plan) {
  OrderedJson common = common_of(plan);
  common.erase("workload");
  common.erase("model");
  if (plan.products.empty()) common.erase("products");  // cells of sweeps without it keep their ids
  return common;
}
}  // namespace

OrderedJson to_json(const SweepPlan& plan) {
  OrderedJson json = common_of(plan);
  if (plan.products.empty()) json.erase("products");
  if (!plan.prompt_form.empty()) json["prompt_form"] = plan.prompt_form;   // the model's digest has it in the identity
  if (plan.max_model_len > 0) json["max_model_len"] = plan.max_model_len;  // and this
  json["group"] = plan.group;
  json["cells"] = OrderedJson::array();
  for (const SweepCell& cell : plan.cells) json["cells"].push_back(to_json(cell));
  return json;
}

Expected<SweepPlan> sweep_plan_from_json(const Json& json, const std::string& name) {
  KV_TRY(refuse_unknown_fields(json,
                               {"workload", "workload_digest", "model", "model_digest", "prompt_form", "max_model_len",
                                "products", "tiers", "methods", "removed_fractions", "quality_metric", "request_limit",
                                "max_batch", "warm_every_context", "group", "cells"},
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
  if (json.contains("prompt_form")) take("prompt_form", plan.prompt_form);
  if (json.contains("max_model_len")) take("max_model_len", plan.max_model_len);
  if (json.contains("max_batch")) take("max_batch", plan.max_batch);
  if (json.contains("products")) take("products", plan.products);
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
  OrderedJson theirs = identity_of(there), ours = identity_of(here);
  for (OrderedJson* identity : {&theirs, &ours})
    if (!identity->contains("products")) (*identity)["products"] = "";
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

namespace {
/// For each alpha and set of methods that the policy uses; else one.
void add_policy_cells(const SweepGrid& grid, const SweepGrid::PolicyChoice& choice,
                      const std::vector<std::vector<std::string>>& method_sets, SweepCell like,
                      std::vector<SweepCell>& cells) {
  like.policy = choice.policy;
  like.uses_alpha = choice.uses_alpha;
  for (const std::vector<std::string>& methods : method_sets) {
    if (choice.uses_methods) like.methods = methods;
    for (const double alpha : grid.alphas) {
      if (choice.uses_alpha) like.alpha = alpha;
      cells.push_back(like);
      if (!choice.uses_alpha) break;
    }
    if (!choice.uses_methods) break;
  }
}
}  // namespace

Expected<std::vector<SweepCell>> cells_of(const SweepGrid& grid) {
  double count = static_cast<double>(grid.policies.size()) * static_cast<double>(grid.budgets.size());
  count *= static_cast<double>(grid.alphas.size()) * static_cast<double>(grid.rates.size()) *
           static_cast<double>(grid.seeds.size());
  const std::vector<std::vector<std::string>> method_sets =
      grid.method_sets.size() > 1 ? grid.method_sets : std::vector<std::vector<std::string>>{{}};
  const std::vector<std::string> decode_evictions =
      grid.decode_evictions.empty() ? std::vector<std::string>{{}} : grid.decode_evictions;
  count *= static_cast<double>(method_sets.size()) * static_cast<double>(decode_evictions.size());
  if (count < 1)
    return fail(ErrorCode::usage, "the sweep has no cells; give at least one policy, alpha, budget, rate and seed");
  if (count > static_cast<double>(max_sweep_cells))
    return fail(ErrorCode::usage, "the sweep has " + std::to_string(static_cast<std::uint64_t>(count)) +
                                      " cells, more than " + std::to_string(max_sweep_cells) + "; give shorter lists");
  std::vector<SweepCell> cells;
  for (const std::uint64_t seed : grid.seeds)
    for (const BudgetScale& budget : grid.budgets)
      for (const double rate : grid.rates)
        for (const std::string& decode_eviction : decode_evictions)
          for (const SweepGrid::PolicyChoice& choice : grid.policies)
            add_policy_cells(grid, choice, method_sets,
                             {.policy = {},
                              .budget = budget,
                              .requests_per_second = rate,
                              .seed = seed,
                              .decode_eviction = decode_eviction},
                             cells);
  return cells;
}

std::vector<std::vector<std::string>> parse_method_sets(std::string_view text) {
  std::vector<std::vector<std::string>> sets;
  for (const std::string_view piece : split_outside_parentheses(text, '|'))
    if (std::vector<std::string> methods = split_list(std::string(piece)); !methods.empty())
      sets.push_back(std::move(methods));
  return sets;
}

std::vector<std::string> all_methods_of(const std::vector<std::vector<std::string>>& sets) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& methods : sets)
    for (const std::string& method : methods)
      if (std::ranges::find(all, method) == all.end()) all.push_back(method);
  return all;
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
