#include <algorithm>
#include <iterator>
#include <span>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/compress/budgets/budget.h"
#include "core/compress/method.h"
#include "core/compress/method_form.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline compression {
namespace {

template <class Factory>
struct MethodRow {
  const char* name;
  const char* parameters;  // with their defaults
  Factory make;
  const char* summary;
  const char* source;
  const char* reads = "";
  const char* costs = "";
};

#define KVANTAGE_SCORER(name, parameters, summary, reads, costs, source) \
  {#name, parameters, make_##name, summary, source, reads, costs},
constexpr MethodRow<ScorerFactory> scorer_table[] = {
#include "core/compress/scorers/scorers.inl"
};
#undef KVANTAGE_SCORER

// One row per budget.
constexpr MethodRow<BudgetFactory> budget_table[] = {
    {"uniform", "", make_uniform, "the same share of every head", "kvpress ScorerPress"},
    {"pyramid", "beta=20,window=64", make_pyramid, "more to lower layers; PyramidKV is pyramid(snapkv)",
     "Cai et al. 2024, arXiv 2406.02069; kvpress PyramidKVPress"},
    {"adakv", "safeguard=20", make_adakv, "the best of all heads of a layer, with a minimum per head",
     "Feng et al. 2024, arXiv 2407.11550; kvpress AdaKVPress"},
    {"global", "", make_global, "the best of all layers and heads",
     "Kim et al. 2025, arXiv 2505.23416; kvpress KVzipPress"},
    {"chunkkv", "length=20", make_chunkkv, "whole chunks of neighboring tokens",
     "Liu et al. 2025, arXiv 2502.00299; kvpress ChunkKVPress"},
    {"absolute", "tokens=512", make_absolute, "a number of tokens instead of a share",
     "papers on generation, e.g. arXiv 2509.04377"},
    {"impress", "probes=3", make_impress, "tokens that a few probe heads agree on, for all heads of the layer",
     "Chen et al. 2025, IMPRESS, FAST '25"},
};
constexpr std::string_view rerotate_name = "rerotate";

// Aliases, replaced when parsed: equal methods have equal text.
struct Alias {
  std::string_view name, means;
};
constexpr Alias aliases[] = {{"inverse_key_norm", "knorm"}};  // its name in PagedEviction (section 5.2)

template <class Factory, std::size_t count>
const MethodRow<Factory>* find_row(const MethodRow<Factory> (&table)[count], std::string_view name) {
  const auto at = std::ranges::find_if(table, [name](const auto& row) { return row.name == name; });
  return at == std::end(table) ? nullptr : at;
}

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const auto& row : scorer_table) names.emplace_back(row.name);
  for (const auto& row : budget_table) names.emplace_back(row.name);
  for (const CodecInfo& codec : known_codecs()) names.push_back(codec.name);
  for (const Alias& alias : aliases) names.push_back(alias.name);
  names.push_back(rerotate_name);
  return names;
}

tl::unexpected<Error> unknown(const std::string& name) {
  return fail(ErrorCode::usage, "unknown method '" + name + "'; " + did_you_mean(name, all_names()));
}

/// Calls a row's factory with the text's parameters; returns the result and its canonical text.
template <class Made>
struct Part {
  std::unique_ptr<Made> made;
  std::string text;
};
template <class Made, class Factory>
Expected<Part<Made>> make_part(const MethodRow<Factory>& row, const MethodText& text) {
  KV_ASSIGN(const auto parameters, Parameters::resolve(text, row.parameters));
  KV_ASSIGN(auto made, row.make(parameters));
  return Part<Made>{std::move(made), parameters.canonical_text()};
}

/// "adakv(safeguard=30)" around "snapkv": "adakv(snapkv,safeguard=30)".
std::string around(const std::string& wrapper, const std::string& inner) {
  const auto open = wrapper.find('(');
  return open == std::string::npos ? wrapper + "(" + inner + ")"
                                   : wrapper.substr(0, open + 1) + inner + "," + wrapper.substr(open + 1);
}

bool is_codec(std::string_view name) {
  const auto codecs = known_codecs();
  return std::ranges::find(codecs, name, &CodecInfo::name) != codecs.end();
}

Expected<std::shared_ptr<const Method>> make(std::vector<MethodText> chain, const std::string& codec_text) {
  for (MethodText& part : chain)
    for (const Alias& alias : aliases)
      if (part.name == alias.name) part.name = alias.means;
  for (const MethodText& outer : std::span(chain).first(chain.size() - 1))
    if (find_row(scorer_table, outer.name) != nullptr)
      return fail(ErrorCode::usage, "method '" + outer.name + "': takes no inner method; not of the form " +
                                        outer.name + "(parameter=value,...), e.g. snapkv(window=32)");
  const auto* row = find_row(scorer_table, chain.back().name);
  if (row == nullptr) {
    if (find_row(budget_table, chain.back().name) != nullptr || chain.back().name == rerotate_name)
      return fail(ErrorCode::usage, "method '" + chain.back().name + "': needs an inner method; give it one, e.g. " +
                                        chain.back().name + "(snapkv)");
    return unknown(chain.back().name);
  }
  KV_ASSIGN(auto scorer, make_part<Scorer>(*row, chain.back()));
  chain.pop_back();
  const ScorerNeeds needs = scorer.made->needs();
  MethodInfo info{row->name,           scorer.text, row->parameters, row->summary, row->source, {}, {},
                  needs.observation(), true,        false,           {},           true};
  info.reads = row->reads;
  info.costs = row->costs;
  info.removes_tokens = info.name != "none";
  std::unique_ptr<Budget> budget;
  for (; !chain.empty(); chain.pop_back()) {
    const MethodText& text = chain.back();
    if (text.name == rerotate_name) {
      if (!text.values.empty())
        return fail(ErrorCode::usage,
                    "method 'rerotate': takes no parameters; give it a method alone, e.g. rerotate(streaming_llm)");
      if (info.rerotates)
        return fail(ErrorCode::usage,
                    "method '" + around("rerotate", info.text) + "': re-rotated twice; use rerotate once, outermost");
      if (budget != nullptr && !budget->equal_heads())
        return fail(ErrorCode::usage, "method '" + around("rerotate", info.text) +
                                          "': heads keep different numbers of tokens; re-rotate a method that keeps "
                                          "the same number of tokens in every head");
      info.rerotates = true;
      info.text = around("rerotate", info.text);
      continue;
    }
    const auto* budget_row = find_row(budget_table, text.name);
    if (budget_row == nullptr) return unknown(text.name);
    if (budget != nullptr || info.rerotates)
      return fail(ErrorCode::usage, "method '" + text.name + "(" + info.text +
                                        ")': a budget around something other than a scorer; give one budget around one "
                                        "scorer, e.g. adakv(snapkv)");
    KV_ASSIGN(auto part, make_part<Budget>(*budget_row, text));
    budget = std::move(part.made);
    if (text.name != "uniform") info.text = around(part.text, info.text);  // the default, so it is omitted
  }
  if (budget == nullptr) budget = make_uniform(Parameters{}).value();
  std::shared_ptr<const Codec> codec;
  if (!codec_text.empty()) {
    KV_ASSIGN(auto parsed, parse_codec(codec_text));
    if (parsed->layer_input_share() > 0 && info.name != "none")
      return fail(ErrorCode::usage,
                  "method '" + info.text + "+" + parsed->text() + "': layer_inputs keeps every token; write it alone");
    if (!parsed->is_identity()) {
      codec = std::move(parsed);
      info.codec = codec->text();
      info.lossless = codec->is_lossless();
      info.text = info.text == "none" ? info.codec : info.text + "+" + info.codec;
    }
  }
  return std::make_shared<const Method>(std::move(info), std::move(scorer.made), std::move(budget), std::move(codec));
}

}  // namespace

std::vector<MethodInfo> known_methods() {
  std::vector<MethodInfo> methods;
  for (const auto& row : scorer_table) methods.push_back(make({MethodText{row.name, {}}}, {}).value()->info());
  return methods;
}

std::vector<std::pair<std::string, std::string>> method_aliases() {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Alias& alias : aliases) pairs.emplace_back(alias.name, alias.means);
  return pairs;
}

std::vector<BudgetInfo> known_budgets() {
  std::vector<BudgetInfo> budgets;
  for (const auto& row : budget_table)
    budgets.push_back({row.name, row.parameters, row.summary, row.source, "nothing"});
  budgets.push_back({std::string(rerotate_name), "", "rotates kept keys to contiguous positions",
                     "Xiao et al. 2023, section 3.2; kvpress KeyRerotationPress",
                     "loads everything before the first layer, rotates every key"});
  return budgets;
}

Expected<std::shared_ptr<const Method>> parse_method(std::string_view text) {
  KV_ASSIGN(auto form, read_method_form(text, is_codec));
  return make(std::move(form.chain), form.codec);
}

}  // namespace kvantage::inline compression
