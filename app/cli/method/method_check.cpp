// kvantage-cli method check: what a method file declares, and whether it does what every method must.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/json_output.h"
#include "app/cli/method/method_commands.h"
#include "app/cli/method/random_layers.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "app/wiring/method_files.h"
#include "core/base/counted.h"
#include "core/base/json.h"
#include "core/ports/decode_eviction.h"

namespace kvantage::cli {
namespace {

constexpr float same_score = 1e-4F;   // relative: another order of sums
constexpr double layer_seconds = 10;  // of at most 300 tokens

/// passed, failed: every method must; yes, no: it is good to know.
struct MethodCheck {
  std::string check, outcome, detail;
};

Expected<LayerScores> scores_of(const Method& method, const RandomLayers& layers) {
  return method.scores(layers.cache(), layers.observed());
}

/// A context of so many tokens for each length; the scorer's process checks shapes and finite numbers.
MethodCheck check_lengths(const Method& method) {
  for (const int tokens : {1, 2, 17, 64, 65, 300})
    if (const auto scores = scores_of(method, RandomLayers({.tokens = tokens})); !scores)
      return {"any length", "failed",
              counted(static_cast<std::size_t>(tokens), "token") + ": " + scores.error().message};
  return {"any length", "passed", {}};
}

MethodCheck check_numbers(const Method& method, const std::string& check, double scale) {
  const auto scores = scores_of(method, RandomLayers({}, scale));
  return {check, scores ? "passed" : "failed", scores ? std::string() : scores.error().message};
}

bool equal_scores(const LayerScores& a, const LayerScores& b) {
  for (std::size_t l = 0; l < a.layers.size(); ++l)
    for (std::size_t h = 0; h < a.layers[l].size(); ++h)
      if (a.layers[l][h].scores != b.layers[l][h].scores) return false;
  return true;
}

Expected<MethodCheck> check_repeated(const Method& method) {
  const RandomLayers layers({});
  KV_ASSIGN(const auto first, scores_of(method, layers));
  KV_ASSIGN(const auto second, scores_of(method, layers));
  if (equal_scores(first, second)) return MethodCheck{"same scores every time", "passed", {}};
  return MethodCheck{"same scores every time", "failed", "a second call gave others; keep no state between calls"};
}

bool nearly_equal(float a, float b) {
  return std::abs(a - b) <= same_score * std::max({1.0F, std::abs(a), std::abs(b)});
}

Expected<MethodCheck> check_heads(const Method& method) {
  const std::vector<int> order{2, 0, 1};
  KV_ASSIGN(const auto plain, scores_of(method, RandomLayers({})));
  KV_ASSIGN(const auto moved, scores_of(method, RandomLayers({}, 1, order)));
  bool same = true;
  for (std::size_t l = 0; l < plain.layers.size(); ++l)
    for (std::size_t h = 0; h < order.size(); ++h)
      same = same && std::ranges::equal(moved.layers[l][h].scores,
                                        plain.layers[l][static_cast<std::size_t>(order[h])].scores, nearly_equal);
  return MethodCheck{"heads in another order give the same scores", same ? "yes" : "no",
                     same ? "" : "heads see each other, or their number; budgets may mix them all the same"};
}

Expected<MethodCheck> check_prefix(const Method& method) {
  const RandomShape shape;
  KV_ASSIGN(const auto all, scores_of(method, RandomLayers(shape)));
  KV_ASSIGN(const auto first, scores_of(method, RandomLayers(shape, 1, {}, shape.tokens / 2)));
  bool same = true;
  for (std::size_t l = 0; l < all.layers.size(); ++l)
    for (std::size_t h = 0; h < all.layers[l].size(); ++h) {
      const auto& shorter = first.layers[l][h].scores;
      same = same && std::equal(shorter.begin(), shorter.end(), all.layers[l][h].scores.begin(), nearly_equal);
    }
  return MethodCheck{"later tokens do not change a score", same ? "yes" : "no", ""};
}

/// Layers of equal shapes and other contents.
Expected<MethodCheck> check_contents(const Method& method) {
  KV_ASSIGN(const auto scores, scores_of(method, RandomLayers({})));
  bool differ = scores.layers.size() < 2;
  for (std::size_t l = 1; l < scores.layers.size(); ++l)
    for (std::size_t h = 0; h < scores.layers[l].size(); ++h)
      differ = differ || scores.layers[l][h].scores != scores.layers.front()[h].scores;
  return MethodCheck{"scores depend on keys, values or queries", differ ? "yes" : "no",
                     differ ? "" : "warning: they are by position, or drawn at random, alike for every layer"};
}

/// A larger budget keeps what a smaller one keeps.
Expected<MethodCheck> check_budgets(const Method& method) {
  KV_ASSIGN(const auto scores, scores_of(method, RandomLayers({})));
  const auto few = method.keep_for(scores, 0.8), many = method.keep_for(scores, 0.3);
  bool nested = true;
  for (std::size_t l = 0; l < few.size(); ++l)
    for (std::size_t h = 0; h < few[l].size(); ++h) nested = nested && std::ranges::includes(many[l][h], few[l][h]);
  return MethodCheck{"larger budgets keep what smaller ones keep", nested ? "passed" : "failed", ""};
}

std::vector<MethodCheck> checks_of(const Method& method) {
  // What fails once fails in the others, too, for the same reason and as slowly.
  std::vector<MethodCheck> checks{check_lengths(method)};
  for (const auto& [name, scale] : {std::pair("keys and values of zero", 0.0), std::pair("large keys and values", 1e4)})
    if (checks.back().outcome != "failed") checks.push_back(check_numbers(method, name, scale));
  if (checks.back().outcome == "failed") return checks;
  for (const auto& check : {check_repeated(method), check_budgets(method), check_contents(method), check_heads(method),
                            check_prefix(method)})
    checks.push_back(check ? *check : MethodCheck{"scores", "failed", check.error().message});
  return checks;
}

struct MethodFileArguments {
  std::string file;
  bool json = false;
};

OrderedJson checks_json(const OpenedMethodFile& file, const Method& method, const std::vector<MethodCheck>& checks,
                        bool passed) {
  OrderedJson list = OrderedJson::array();
  for (const MethodCheck& check : checks)
    list.push_back({{"check", check.check}, {"outcome", check.outcome}, {"detail", check.detail}});
  return {{"name", file.name},
          {"alias", file.alias},
          {"digest", file.digest},
          {"summary", file.summary},
          {"needs", method.info().reads},
          {"decode_eviction", find_decode_method(file.name) != nullptr},
          {"confined", file.confined},
          {"passed", passed},
          {"checks", list}};
}

Expected<bool> check_method_file(const MethodFileArguments& arguments) {
  KV_ASSIGN(const auto file, open_method_file(arguments.file, true, layer_seconds));
  KV_ASSIGN(const auto method, parse_method(file.name));
  const std::vector<MethodCheck> checks = checks_of(*method);
  const bool passed = std::ranges::none_of(checks, [](const MethodCheck& check) { return check.outcome == "failed"; });
  if (arguments.json) {
    print_json(checks_json(file, *method, checks, passed));
    return passed;
  }
  std::string text = file.alias + "\n" + labeled_text("is", file.name) + labeled_text("does", file.summary) +
                     labeled_text("reads", method->info().reads) +
                     labeled_text("decodes", find_decode_method(file.name) != nullptr ? "yes" : "no");
  if (!file.confined) text += labeled_text("runs", "NOT confined: this system has no seccomp");
  std::vector<std::vector<std::string>> rows;
  rows.reserve(checks.size());
  for (const MethodCheck& check : checks)
    rows.push_back({check.outcome, check.check + (check.detail.empty() ? "" : ": " + check.detail)});
  std::printf("%s\n%s", text.c_str(), list_text({{}, {}}, rows).c_str());
  return passed;
}

}  // namespace

void add_method_check(CLI::App& method, CommandResult& result) {
  auto arguments = std::make_shared<MethodFileArguments>();
  CLI::App& command = *method.add_subcommand("check", "Check a method file, and print what it declares");
  command.add_option("FILE", arguments->file, "TorchScript file")->required();
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    const auto passed = check_method_file(*arguments);
    result.exit_code = !passed ? report_error(passed.error()) : *passed ? 0 : 3;
  });
}

}  // namespace kvantage::cli
