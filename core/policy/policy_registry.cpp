#include <algorithm>
#include <utility>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/eviction/eviction_orders.h"
#include "core/eviction/trace_caches.h"
#include "core/policy/method_text.h"
#include "core/policy/policies.h"

namespace kvantage::inline policy {

namespace {

OfferedPolicy shown(std::string text, std::size_t color) { return {std::move(text), color, true}; }
OfferedPolicy more(std::string text, std::size_t color) { return {std::move(text), color, false}; }

/// Spaces mean nothing in a method, so equal methods have equal texts.
Expected<std::string> read_method_parameter(std::string_view given) {
  std::string text(given);
  std::erase(text, ' ');
  KV_TRY(check_method_text(text));
  return text;
}

ParameterInfo method(std::string key, std::string default_value, std::string meaning) {
  return {.key = std::move(key),
          .kind = ParameterInfo::Kind::text,
          .default_value = std::move(default_value),
          .read = read_method_parameter,
          .meaning = std::move(meaning)};
}

/// As it is given, so that the places of its errors are those of the user's text.
Expected<std::string> read_formula(std::string_view text) {
  KV_TRY(Formula::compile(text));
  return std::string(trimmed(text));
}

ParameterInfo expression(std::string key, std::string meaning) {
  return {
      .key = std::move(key), .kind = ParameterInfo::Kind::text, .read = read_formula, .meaning = std::move(meaning)};
}

ParameterInfo removed_fraction(std::string key) {
  return {.key = std::move(key),
          .kind = ParameterInfo::Kind::real,
          .with_high = false,
          .meaning = "share of the tokens to remove",
          .example = "0.5 removes half the tokens"};
}

ParameterInfo kept_fraction(std::string key, std::string default_value) {
  return {.key = std::move(key),
          .kind = ParameterInfo::Kind::real,
          .default_value = std::move(default_value),
          .with_low = false,
          .meaning = "fraction of tokens",
          .example = "kept=0.5 keeps half the tokens",
          .always_written = true};
}

/// Policies named after their eviction order.
PolicyInfo policy_of(const EvictionOrderInfo& order) {
  const std::string name(order.name);
  return {.name = name,
          .summary = "uncompressed caches; " + std::string(order.summary),
          .source = std::string(order.source),
          .parameters = {},
          .offers = {{name, order.color, order.is_shown}},
          .traits = {.eviction_order = name},
          .make = [&order](const FormArguments& arguments) -> MadePolicy {
            return make_eviction_policy(arguments.canonical_text(), "none", 0, order);
          }};
}

std::deque<PolicyInfo>& registry() {
  static std::deque<PolicyInfo> infos = [] {
    std::deque<PolicyInfo> rows;
#define KVANTAGE_POLICY(name, summary, source, ...)                \
  rows.push_back(PolicyInfo{#name, summary, source, __VA_ARGS__}); \
  rows.back().make = make_##name##_policy;
#define KVANTAGE_POLICIES_OF_ORDERS                        \
  for (const EvictionOrderInfo& order : eviction_orders()) \
    if (order.is_policy) rows.push_back(policy_of(order));
#include "core/policy/policies.inl"
#undef KVANTAGE_POLICIES_OF_ORDERS
#undef KVANTAGE_POLICY
    if (!Formula::is_available()) std::erase_if(rows, [](const PolicyInfo& info) { return info.name == "formula"; });
    return rows;
  }();
  return infos;
}

tl::unexpected<Error> unknown(std::string_view name) {
  if (name == "lp_bound")
    return fail(ErrorCode::usage,
                "policy 'lp_bound' is an upper bound, not a placement; run evicpress or optimal: runs, reports, sweeps "
                "and simulate give lp_gap, the gap to this bound");
  if (const TraceCacheInfo* info = find_trace_cache(name))
    return fail(ErrorCode::usage, "policy '" + std::string(name) + "' " +
                                      (info->needs_future ? "needs the future" : "needs the blocks of whole requests") +
                                      ", which only a trace has; use it in kvantage-cli simulate");
  if (const EvictionOrderInfo* order = find_eviction_order(name))
    return fail(ErrorCode::usage, "policy '" + std::string(order->name) +
                                      "' is an eviction order of traces alone; use it in kvantage-cli simulate");
  if (name == "formula") return tl::unexpected(Formula::compile("1").error());  // left out: this build cannot
  std::vector<std::string_view> names;
  for (const PolicyInfo& info : policy_infos()) names.emplace_back(info.name);
  return fail(ErrorCode::usage, "unknown policy '" + std::string(name) + "'; " + did_you_mean(name, names));
}

/// Texts of earlier versions, where `impress` was what is important_fraction now. Without a method they were alike.
Status check_renamed(const FormText& form) {
  if (form.name() != "impress") return {};
  bool names_method = false;
  std::string arguments;
  for (const FormText::Argument& argument : form.arguments()) {
    names_method = names_method || argument.key == "method";
    arguments += (arguments.empty() ? "" : ",") + std::string(argument.key) + (argument.key.empty() ? "" : "=") +
                 std::string(argument.value);
  }
  if (!names_method) return {};
  return fail(ErrorCode::usage,
              "policy 'impress': takes no method, because the question decides what is read; to store the important "
              "fraction that a method finds, write important_fraction(" +
                  printable(arguments) + ")");
}

}  // namespace

const std::deque<PolicyInfo>& policy_infos() { return registry(); }

const PolicyInfo* find_policy_info(std::string_view name) {
  const auto at = std::ranges::find(registry(), name, &PolicyInfo::name);
  return at == registry().end() ? nullptr : &*at;
}

const OfferedPolicy* find_offered_policy(std::string_view text) {
  for (const PolicyInfo& info : registry())
    for (const OfferedPolicy& offered : info.offers)
      if (offered.text == text) return &offered;
  return nullptr;
}

Status register_policy(PolicyInfo info) {
  if (info.name.empty() || info.summary.empty() || info.source.empty() || info.offers.empty() || !info.make)
    return fail(ErrorCode::usage, "policy '" + info.name +
                                      "': its row is not whole; give name, summary, source, what " +
                                      "it offers and its factory");
  if (find_policy_info(info.name) != nullptr)
    return fail(ErrorCode::usage, "policy '" + info.name + "': the name is taken; choose another one");
  registry().push_back(std::move(info));
  return {};
}

MadePolicy make_policy(std::string_view text) {
  KV_ASSIGN(const auto form, FormText::read(text, "policy"));
  const PolicyInfo* info = find_policy_info(form.name());
  if (info == nullptr) return unknown(form.name());
  KV_TRY(check_renamed(form));
  KV_ASSIGN(const auto arguments, FormArguments::resolve(form, info->parameters, "policy", info->offers.front().text));
  return info->make(arguments);
}

std::vector<std::string> known_policies() {
  std::vector<std::string> texts;
  for (const PolicyInfo& info : registry())
    for (const OfferedPolicy& offered : info.offers) texts.push_back(offered.text);
  return texts;
}

}  // namespace kvantage::inline policy
