#include "core/base/json.h"
#include "core/compress/budgets/budget.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage {
namespace {

struct Row {
  const char* name;
  const char* parameters;  // with their defaults
  ScorerFactory make;
  const char* summary;
  const char* source;
};

// One line a method; docs/add-a-method.md.
constexpr Row table[] = {
    // clang-format off
    {"none",          "",                   make_none,          "keeps every token",                                "the uncompressed cache"},
    {"random",        "seed=0",             make_random,        "keeps tokens at random, the baseline",             "kvpress RandomPress"},
    {"knorm",         "keep=low",           make_knorm,         "keeps keys of low (or high) L2 norm",              "Devoto et al. 2024, arXiv 2406.11430; kvpress KnormPress"},
    {"keydiff",       "",                   make_keydiff,       "keeps keys unlike the mean key",                   "Park et al. 2025, arXiv 2504.15364; kvpress KeyDiffPress"},
    {"snapkv",        "window=64,kernel=5", make_snapkv,        "keeps what the last queries attend to",            "Li et al. 2024, arXiv 2404.14469; kvpress SnapKVPress"},
    {"streaming_llm", "sinks=4",            make_streaming_llm, "keeps the first tokens and the most recent ones",  "Xiao et al. 2023, arXiv 2309.17453; kvpress StreamingLLMPress"},
    // clang-format on
};

Expected<std::shared_ptr<const Method>> make(const Row& row, const MethodText& text) {
  const auto parameters = Parameters::resolve(text, row.parameters);
  if (!parameters) return tl::unexpected(parameters.error());
  auto scorer = row.make(*parameters);
  if (!scorer) return tl::unexpected(std::move(scorer).error());
  const std::string name = row.name;
  MethodInfo info{name,       parameters->canonical_text(),      row.parameters, row.summary,
                  row.source, (*scorer)->needs().window_queries, name != "none"};
  return std::make_shared<const Method>(std::move(info), std::move(*scorer), std::make_unique<UniformBudget>());
}

}  // namespace

std::vector<MethodInfo> known_methods() {
  std::vector<MethodInfo> methods;
  for (const Row& row : table) methods.push_back(make(row, MethodText{row.name, {}}).value()->info());
  return methods;
}

Expected<std::shared_ptr<const Method>> parse_method(std::string_view text) {
  const auto parts = read_method_text(text);
  if (!parts) return tl::unexpected(parts.error());
  std::vector<std::string_view> names;
  for (const Row& row : table) {
    if (parts->name == row.name) return make(row, *parts);
    names.emplace_back(row.name);
  }
  std::string hint = near_miss(parts->name, names);
  if (hint.empty()) {
    for (std::string_view name : names) hint += (hint.empty() ? "" : ", ") + std::string(name);
    return fail(ErrorCode::usage, "method '" + parts->name + "': unknown; known methods: " + hint);
  }
  return fail(ErrorCode::usage, "method '" + parts->name + "': unknown; did you mean '" + hint + "'?");
}

}  // namespace kvantage
