#include <algorithm>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/compress/budgets/budget.h"
#include "core/compress/learned/learned.h"
#include "core/compress/leverage/leverage.h"
#include "core/compress/method.h"
#include "core/compress/method_form.h"
#include "core/compress/scorers/file_scorer.h"
#include "core/compress/scorers/scorers.h"
#include "core/compress/wrappers/wrappers.h"

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
// The order in which methods are listed.
// clang-format off
#include "core/compress/scorers/scorers.inl"
#include "core/compress/leverage/leverage.inl"
#include "core/compress/learned/learned.inl"
    // clang-format on
};
#undef KVANTAGE_SCORER

#define KVANTAGE_WRAPPER(name, parameters, summary, costs, source) \
  {#name, parameters, make_##name, summary, source, "", costs},
constexpr MethodRow<WrapperFactory> wrapper_table[] = {
#include "core/compress/wrappers/wrappers.inl"
};
#undef KVANTAGE_WRAPPER

// One row per budget.
constexpr MethodRow<BudgetFactory> budget_table[] = {
    {"uniform", "", make_uniform, "the same share of every head", "kvpress ScorerPress"},
    {"pyramid", "beta=20,window=64", make_pyramid, "more to lower layers; PyramidKV is pyramid(snapkv)",
     "Cai et al. 2024, arXiv 2406.02069; kvpress PyramidKVPress"},
    {"adakv", "safeguard=20", make_adakv, "the best of all heads of a layer, with a minimum per head",
     "Feng et al. 2024, arXiv 2407.11550; kvpress AdaKVPress"},
    {"global", "layerwise=no", make_global, "the best of all layers and heads",
     "Kim et al. 2025, arXiv 2505.23416; kvpress KVzipPress"},
    {"chunkkv", "length=20", make_chunkkv, "whole chunks of neighboring tokens",
     "Liu et al. 2025, arXiv 2502.00299; kvpress ChunkKVPress"},
    {"entropy_chunkkv", "length=10,spiky=4", make_entropy_chunkkv,
     "whole chunks, of those with few high scores only the best tokens", "kvpress EntropyGatedChunkKVPress"},
    {"per_layer", "removed=25/75", make_per_layer, "a share of its own for every layer",
     "kvpress PerLayerCompressionPress"},
    {"dms", "threshold=0.0,window=128", make_dms, "tokens above a score, and the most recent ones",
     "Lancucki et al. 2025, arXiv 2506.05345; kvpress DMSPress"},
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
  for (const auto& row : wrapper_table) names.emplace_back(row.name);
  for (const CodecInfo& codec : known_codecs()) names.push_back(codec.name);
  for (const Alias& alias : aliases) names.push_back(alias.name);
  names.push_back(rerotate_name);
  return names;
}

/// Names what is near or begins with it; else the first names, as all of them fill more than a line.
tl::unexpected<Error> unknown(const std::string& name) {
  constexpr std::size_t most_named = 12;
  const auto files = file_scorers();
  std::vector<std::string_view> names = all_names();
  for (const auto& file : files) names.push_back(file->facts().alias);
  const auto begun = static_cast<std::size_t>(
      std::ranges::count_if(names, [&](std::string_view known) { return known.starts_with(name); }));
  std::string first_names;
  if (begun == 0 || begun > most_named) {
    first_names = "choose one of ";
    for (const std::string_view known : std::span(names).first(most_named)) first_names.append(known).append(", ");
    first_names += "or see kvantage-cli methods; one of your own needs --method-file FILE";
  }
  return fail(ErrorCode::usage, "unknown method '" + name + "'; " + did_you_mean(name, names, first_names));
}

/// Calls a row's factory with the text's parameters; returns the result and its canonical text.
template <class Made>
struct Part {
  std::unique_ptr<Made> made;
  std::string text;
};
template <class Made, class Factory, class... Inner>
Expected<Part<Made>> make_part(const MethodRow<Factory>& row, const MethodText& text, Inner&&... inner) {
  KV_ASSIGN(const auto parameters, Parameters::resolve(text, row.parameters));
  KV_ASSIGN(auto made, row.make(parameters, std::forward<Inner>(inner)...));
  if constexpr (std::is_same_v<Made, Scorer>)
    if (const std::string digest = made->file_digest(); sizeof...(Inner) == 0 && !digest.empty()) {
      MethodText settled = text;  // the file that was read, not only its path
      std::erase_if(settled.values, [](const auto& value) { return value.first == "digest"; });
      settled.values.emplace_back("digest", digest);
      KV_ASSIGN(const auto with_digest, Parameters::resolve(settled, row.parameters));
      return Part<Made>{std::move(made), with_digest.canonical_text()};
    }
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

/// What a scorer of a file reads, in the words of scorers.inl.
std::string reads_of(const ScorerFileNeeds& needs) {
  std::string text;
  for (std::size_t i = 0; i < needs.reads.size(); ++i) {
    if (!needs.reads[i]) continue;
    std::string name = scorer_input_names[i];
    std::ranges::replace(name, '_', ' ');
    if (static_cast<ScorerInput>(i) == ScorerInput::queries || static_cast<ScorerInput>(i) == ScorerInput::attention)
      name += needs.window_queries == every_query ? " of all tokens"
                                                  : " of the last " + std::to_string(needs.window_queries) + " tokens";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "nothing" : text;
}

struct MadeScorer {
  std::unique_ptr<Scorer> scorer;
  MethodInfo info;  // of the scorer alone
};

/// What the table says of a scorer.
MethodInfo info_of(const MethodRow<ScorerFactory>& row) {
  MethodInfo info;
  info.name = row.name;
  info.parameters = row.parameters;
  info.summary = row.summary;
  info.source = row.source;
  info.reads = row.reads;
  info.costs = row.costs;
  info.removes_tokens = info.name != "none";
  return info;
}

MadeScorer scorer_of_file(const std::shared_ptr<ScorerHost>& host) {
  const ScorerFileFacts& facts = host->facts();
  MadeScorer made{make_file_scorer(host), {}};
  made.info.name = made.info.text = facts.name;
  made.info.summary = facts.summary;
  made.info.source = facts.source;
  made.info.reads = reads_of(facts.needs);
  made.info.costs = "code of a file, in a process of its own";
  made.info.needs = made.scorer->needs().observation();
  return made;
}

/// Whether a method of a file that is not loaded may be named: it can do everything but score.
enum class FileScorers { loaded, any };

/// A row of scorers.inl, or one of a file.
Expected<MadeScorer> make_scorer(const MethodText& text, FileScorers files) {
  if (const auto* row = find_row(scorer_table, text.name)) {
    KV_ASSIGN(auto part, make_part<Scorer>(*row, text));
    MadeScorer made{std::move(part.made), info_of(*row)};
    made.info.text = std::move(part.text);
    made.info.needs = made.scorer->needs().observation();
    return made;
  }
  if (find_row(budget_table, text.name) != nullptr || find_row(wrapper_table, text.name) != nullptr ||
      text.name == rerotate_name)
    return fail(ErrorCode::usage,
                "method '" + text.name + "': needs an inner method; give it one, e.g. " + text.name + "(snapkv)");
  if (const auto host = find_file_scorer(text.name)) {
    KV_TRY(Parameters::resolve(text, {}));  // it takes none
    return scorer_of_file(host);
  }
  if (names_file_scorer(text.name)) {
    if (files == FileScorers::loaded || !text.values.empty()) return file_not_loaded(text.name);
    MadeScorer made{make_unloaded_scorer(text.name), {}};
    made.info.name = made.info.text = text.name;
    return made;
  }
  return unknown(text.name);
}

/// A method while its text is read, from the scorer outwards.
struct Growing {
  MethodInfo info;
  std::unique_ptr<const Scorer> scorer;
  std::unique_ptr<const Budget> budget;
};

Status add_rerotation(const MethodText& text, Growing& method) {
  MethodInfo& info = method.info;
  const std::string whole = around("rerotate", info.text);
  if (!text.values.empty())
    return fail(ErrorCode::usage,
                "method 'rerotate': takes no parameters; give it a method alone, e.g. rerotate(streaming_llm)");
  if (info.rerotates)
    return fail(ErrorCode::usage, "method '" + whole + "': re-rotated twice; use rerotate once, outermost");
  if ((method.budget != nullptr && !method.budget->equal_heads()) ||
      (method.scorer->chooses() && !method.scorer->equal_heads()))
    return fail(ErrorCode::usage, "method '" + whole +
                                      "': heads keep different numbers of tokens; re-rotate a method that keeps "
                                      "the same number of tokens in every head");
  info.rerotates = true;
  info.text = whole;
  return {};
}

Status add_wrapper(const MethodRow<WrapperFactory>& row, const MethodText& text, Growing& method) {
  const std::string whole = text.name + "(" + method.info.text + ")";
  if (method.budget != nullptr || method.info.rerotates)
    return fail(ErrorCode::usage, "method '" + whole + "': takes a scorer; put budgets and rerotate around it, e.g. " +
                                      "adakv(criticalkv(snapkv))");
  if (method.scorer->depends_on_fraction() || method.scorer->chooses())
    return fail(ErrorCode::usage, "method '" + whole +
                                      "': takes a scorer whose scores are the same for every removed fraction, e.g. " +
                                      text.name + "(keydiff)");
  KV_ASSIGN(auto part, make_part<Scorer>(row, text, std::move(method.scorer)));
  method.scorer = std::move(part.made);
  method.info.needs = method.scorer->needs().observation();
  method.info.text = around(part.text, method.info.text);
  return {};
}

Status add_budget(const MethodRow<BudgetFactory>& row, const MethodText& text, Growing& method) {
  const std::string whole = text.name + "(" + method.info.text + ")";
  if (method.budget != nullptr || method.info.rerotates)
    return fail(ErrorCode::usage, "method '" + whole +
                                      "': a budget around something other than a scorer; give one budget around one "
                                      "scorer, e.g. adakv(snapkv)");
  if (method.scorer->chooses())
    return fail(ErrorCode::usage, "method '" + whole + "': '" + method.info.text +
                                      "' itself chooses how many tokens stay; write it alone");
  KV_ASSIGN(auto part, make_part<Budget>(row, text));
  method.budget = std::move(part.made);
  if (text.name != "uniform") method.info.text = around(part.text, method.info.text);  // the default, so it is omitted
  return {};
}

Expected<std::shared_ptr<const Codec>> add_codec(const std::string& text, MethodInfo& info) {
  KV_ASSIGN(auto codec, parse_codec(text));
  if (codec->layer_input_share() > 0 && info.name != "none")
    return fail(ErrorCode::usage,
                "method '" + info.text + "+" + codec->text() + "': layer_inputs keeps every token; write it alone");
  if (codec->is_identity()) return std::shared_ptr<const Codec>();
  info.codec = codec->text();
  info.lossless = codec->is_lossless();
  info.text = info.text == "none" ? info.codec : info.text + "+" + info.codec;
  info.needs.include({.window_queries = codec->channel_window()});
  return codec;
}

Expected<std::shared_ptr<const Method>> make(std::vector<MethodText> chain, const std::string& codec_text,
                                             FileScorers files = FileScorers::loaded) {
  for (MethodText& part : chain)
    for (const Alias& alias : aliases)
      if (part.name == alias.name) part.name = alias.means;
  for (const MethodText& outer : std::span(chain).first(chain.size() - 1))
    if (find_row(scorer_table, outer.name) != nullptr || find_file_scorer(outer.name) != nullptr)
      return fail(ErrorCode::usage, "method '" + outer.name + "': takes no inner method; not of the form " +
                                        outer.name + "(parameter=value,...), e.g. snapkv(window=32)");
  KV_ASSIGN(auto scorer, make_scorer(chain.back(), files));
  chain.pop_back();
  Growing method{std::move(scorer.info), std::move(scorer.scorer), nullptr};
  for (; !chain.empty(); chain.pop_back()) {
    const MethodText& text = chain.back();
    if (text.name == rerotate_name)
      KV_TRY(add_rerotation(text, method));
    else if (const auto* wrapper = find_row(wrapper_table, text.name))
      KV_TRY(add_wrapper(*wrapper, text, method));
    else if (const auto* budget = find_row(budget_table, text.name))
      KV_TRY(add_budget(*budget, text, method));
    else
      return unknown(text.name);
  }
  if (method.scorer->chooses())
    method.budget = make_chosen(method.scorer->equal_heads());
  else if (method.budget == nullptr)
    method.budget = make_uniform(Parameters{}).value();
  std::shared_ptr<const Codec> codec;
  if (!codec_text.empty()) {
    KV_ASSIGN(codec, add_codec(codec_text, method.info));
  }
  return std::make_shared<const Method>(std::move(method.info), std::move(method.scorer), std::move(method.budget),
                                        std::move(codec));
}

}  // namespace

std::vector<MethodInfo> known_methods() {
  std::vector<MethodInfo> methods;
  for (const auto& row : scorer_table)
    if (const auto made = make({MethodText{row.name, {}}}, {})) methods.push_back((*made)->info());
  for (const auto& host : file_scorers()) methods.push_back(scorer_of_file(host).info);
  return methods;
}

std::vector<MethodInfo> weight_methods() {
  std::vector<MethodInfo> methods;
  for (const auto& row : scorer_table)
    if (!make({MethodText{row.name, {}}}, {})) methods.push_back(info_of(row));
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
  for (const auto& row : wrapper_table)
    budgets.push_back({row.name, row.parameters, row.summary, row.source, row.costs});
  budgets.push_back({std::string(rerotate_name), "", "rotates kept keys to contiguous positions",
                     "Xiao et al. 2023, section 3.2; kvpress KeyRerotationPress",
                     "loads everything before the first layer, rotates every key"});
  return budgets;
}

Expected<std::shared_ptr<const Method>> parse_method(std::string_view text) {
  KV_ASSIGN(auto form, read_method_form(text, is_codec));
  return make(std::move(form.chain), form.codec);
}

Expected<std::shared_ptr<const Method>> parse_stored_method(std::string_view text) {
  KV_ASSIGN(auto form, read_method_form(text, is_codec));
  return make(std::move(form.chain), form.codec, FileScorers::any);
}

}  // namespace kvantage::inline compression
