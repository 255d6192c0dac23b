#include "core/ports/decode_eviction.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <mutex>

#include "core/base/did_you_mean.h"
#include "core/base/duration.h"
#include "core/base/form_text.h"
#include "core/base/json.h"
#include "core/base/text_form.h"

namespace kvantage::inline ports {
namespace {

constexpr std::array loop_keys{"budget", "cadence", "table", "compaction", "compact_every", "compact_ms", "cut"};
constexpr int default_compact_every = 128, max_page_tokens = 4096;

tl::unexpected<Error> refuse_eviction(std::string_view text, const std::string& reason) {
  return fail(ErrorCode::usage, "decode eviction '" + std::string(text) + "': " + reason);
}

Expected<DecodeBudget> budget_of(std::string_view text, const std::string& value) {
  const bool percent = value.ends_with('%');
  double number = 0;
  const char* last = value.data() + value.size() - (percent ? 1 : 0);
  const auto [end, error] = std::from_chars(value.data(), last, number);
  const bool whole = std::floor(number) == number;
  if (error != std::errc{} || end != last || !(number > 0) || (percent ? number > 100 : !whole || number > 1e9))
    return refuse_eviction(
        text, "budget=" + value +
                  " cannot be used; give a share of the prompt above 0 % and up to 100 %, like 25%, or a number of "
                  "tokens, like 512");
  return percent ? DecodeBudget{.percent = number} : DecodeBudget{.tokens = static_cast<int>(number)};
}

/// Moves the loop's arguments out of `form`.
MethodText take_loop_arguments(MethodText& form) {
  MethodText loop{form.name, {}};
  std::erase_if(form.values, [&loop](const auto& pair) {
    const bool of_loop = std::ranges::find(loop_keys, pair.first) != loop_keys.end();
    if (of_loop) loop.values.push_back(pair);
    return of_loop;
  });
  return loop;
}

std::vector<std::string> keys_of(std::string_view parameters) {
  std::vector<std::string> keys;
  for (const std::string_view piece : split_outside_parentheses(parameters, ','))
    if (!piece.empty()) keys.emplace_back(FormText::argument_of(piece).key);
  return keys;
}

/// What is left of the arguments must be the method's own; an unknown one may have been meant for the loop.
Status check_keys(std::string_view text, const MethodText& form, const DecodeMethodInfo& method) {
  const std::vector<std::string> own = keys_of(method.parameters);
  std::vector<std::string> all = keys_of(loop_parameters(method));
  all.insert(all.end(), own.begin(), own.end());
  for (const auto& [key, value] : form.values)
    if (std::ranges::find(own, key) == own.end())
      return refuse_eviction(text, "unknown parameter '" + printable(key) + "'; " + did_you_mean(key, all));
  return {};
}

BlockTableScope default_table(const DecodeMethodInfo& method) {
  return method.pages ? BlockTableScope::layer : BlockTableScope::head;
}

/// Those of the method with their defaults; usage error: `key` is not one of them.
Expected<Parameters> own_parameters(const std::string& method, std::string_view key) {
  KV_ASSIGN(const MethodText form, read_method_text(method));
  const DecodeMethodInfo* info = find_decode_method(form.name);
  const auto keys = info == nullptr ? std::vector<std::string>() : keys_of(info->parameters);
  if (std::ranges::find(keys, key) == keys.end())
    return refuse_eviction(method, "the method has no parameter '" + std::string(key) + "'; choose another method");
  return Parameters::resolve(form, info->parameters);
}

/// The same, one changed.
Expected<Parameters> with_parameter(const std::string& method, std::string_view key, const std::string& value) {
  KV_TRY(own_parameters(method, key));
  KV_ASSIGN(MethodText form, read_method_text(method));
  std::erase_if(form.values, [key](const auto& pair) { return pair.first == key; });
  form.values.emplace_back(key, value);
  return Parameters::resolve(form, find_decode_method(form.name)->parameters);
}

template <class Choice>
Expected<Choice> choice_of(const Parameters& parameters, std::string_view key, const std::vector<Choice>& choices) {
  std::vector<std::string_view> words;
  words.reserve(choices.size());
  for (const Choice choice : choices) words.emplace_back(to_string(choice));
  KV_ASSIGN(const auto word, parameters.word(key, words));
  return choices[static_cast<std::size_t>(std::ranges::find(words, word) - words.begin())];
}

Status read_loop(const MethodText& arguments, const DecodeMethodInfo& method, DecodeEvictionSetting& read) {
  KV_ASSIGN(const auto parameters, Parameters::resolve(arguments, loop_parameters(method)));
  if (method.selects) return {};
  read.cadence = method.cadence;
  if (!method.pages) {
    KV_ASSIGN(read.cadence, parameters.integer("cadence", 1, 65536));
  }
  // Only pages are chosen for a whole sequence: other methods score the rows of one layer.
  std::vector tables{BlockTableScope::head, BlockTableScope::layer};
  if (method.pages) tables.push_back(BlockTableScope::sequence);
  KV_ASSIGN(read.table, choice_of(parameters, "table", tables));
  KV_ASSIGN(read.compaction,
            choice_of(parameters, "compaction",
                      std::vector{CompactionKind::repack, CompactionKind::hole_fill, CompactionKind::none}));
  KV_ASSIGN(read.compact_every, parameters.integer("compact_every", 1, 65536));
  KV_ASSIGN(read.compact_ms, parameters.real("compact_ms", 0, 1000));
  KV_ASSIGN(read.cut, choice_of(parameters, "cut", std::vector{PromptCut::first_token, PromptCut::prefill}));
  return {};
}

/// Takes the budget out of the loop's arguments: a share is no number, so the table of parameters cannot hold it.
Expected<DecodeBudget> take_budget(std::string_view text, MethodText& loop) {
  std::string value = shortest_number(default_decode_budget_percent) + "%";
  std::size_t given = 0;
  std::erase_if(loop.values, [&](const auto& pair) {
    if (pair.first != "budget") return false;
    value = pair.second;
    ++given;
    return true;
  });
  if (given > 1) return refuse_eviction(text, "'budget' is given twice; keep one");
  return budget_of(text, value);
}

}  // namespace

const char* to_string(BlockTableScope scope) {
  switch (scope) {
    case BlockTableScope::head:
      return "head";
    case BlockTableScope::layer:
      return "layer";
    case BlockTableScope::sequence:
      return "sequence";
  }
  return "head";
}

const char* to_string(CompactionKind kind) {
  switch (kind) {
    case CompactionKind::none:
      return "none";
    case CompactionKind::repack:
      return "repack";
    case CompactionKind::hole_fill:
      return "hole_fill";
  }
  return "none";
}

const char* to_string(PromptCut cut) { return cut == PromptCut::prefill ? "prefill" : "first_token"; }

const char* to_string(EvictWhen when) { return when == EvictWhen::page_full ? "page_full" : "above_budget"; }

int DecodeBudget::of_prompt(int prompt_tokens) const {
  return std::max(1, percent > 0 ? static_cast<int>(std::lround(percent / 100 * prompt_tokens)) : tokens);
}

std::string to_string(const DecodeBudget& budget) {
  return budget.percent > 0 ? shortest_number(budget.percent) + "%" : std::to_string(budget.tokens);
}

std::string DecodeEvictionSetting::name() const { return std::string(FormText::name_of(method)); }

bool DecodeEvictionSetting::selects_pages() const {
  const DecodeMethodInfo* info = find_decode_method(name());
  return info != nullptr && info->selects;
}

std::optional<int> DecodeEvictionSetting::page() const {
  const auto own = own_parameters(method, "page");
  const auto tokens = own ? own->integer("page", 0, max_page_tokens) : tl::unexpected(own.error());
  return tokens ? std::optional(*tokens) : std::nullopt;
}

Expected<DecodeEvictionSetting> DecodeEvictionSetting::with_page(int tokens) const {
  KV_ASSIGN(const auto parameters, with_parameter(method, "page", std::to_string(tokens)));
  KV_TRY(parameters.integer("page", 0, max_page_tokens));
  DecodeEvictionSetting changed = *this;
  changed.method = parameters.canonical_text();
  return changed;
}

std::optional<EvictWhen> DecodeEvictionSetting::evict_when() const {
  const auto own = own_parameters(method, "evict_when");
  const std::vector all{EvictWhen::above_budget, EvictWhen::page_full};
  const auto when = own ? choice_of(*own, "evict_when", all) : tl::unexpected(own.error());
  return when ? std::optional(*when) : std::nullopt;
}

Expected<DecodeEvictionSetting> DecodeEvictionSetting::with_evict_when(EvictWhen when) const {
  KV_ASSIGN(const auto parameters, with_parameter(method, "evict_when", to_string(when)));
  DecodeEvictionSetting changed = *this;
  changed.method = parameters.canonical_text();
  return changed;
}

std::string DecodeEvictionSetting::text() const {
  std::string text = method;
  if (text.ends_with(')'))
    text.back() = ',';
  else
    text += '(';
  text += "budget=" + to_string(budget);
  const DecodeMethodInfo* info = find_decode_method(name());
  if (info == nullptr || info->selects) return text + ')';
  if (!info->pages && cadence != info->cadence) text += ",cadence=" + std::to_string(cadence);
  if (table != default_table(*info)) text += std::string(",table=") + to_string(table);
  if (compaction != CompactionKind::repack) text += std::string(",compaction=") + to_string(compaction);
  if (compact_every != default_compact_every) text += ",compact_every=" + std::to_string(compact_every);
  if (compact_ms != 0) text += ",compact_ms=" + shortest_number(compact_ms);
  if (cut != PromptCut::first_token) text += std::string(",cut=") + to_string(cut);
  return text + ')';
}

Expected<std::optional<DecodeEvictionSetting>> parse_decode_eviction(std::string_view text) {
  auto parsed = read_method_text(text);
  if (!parsed)
    return refuse_eviction(text, "is not method(budget=SHARE); write one such as paged_eviction(budget=25%)");
  MethodText form = std::move(*parsed);
  if (form.name == "none" && form.values.empty()) return std::nullopt;
  const DecodeMethodInfo* method = find_decode_method(form.name);
  if (method == nullptr) {
    std::vector<std::string_view> names{"none"};
    for (const DecodeMethodInfo& known : all_decode_methods()) names.push_back(known.name);
    return refuse_eviction(text, "unknown method '" + form.name + "'; " + did_you_mean(form.name, names));
  }
  form.name = method->name;
  MethodText loop = take_loop_arguments(form);
  KV_TRY(check_keys(text, form, *method));
  KV_ASSIGN(const auto own, Parameters::resolve(form, method->parameters));
  DecodeEvictionSetting read{.method = own.canonical_text()};
  KV_ASSIGN(read.budget, take_budget(text, loop));
  KV_TRY(read_loop(loop, *method, read));
  return read;
}

const std::vector<DecodeMethodInfo>& decode_methods() {
  static const std::vector<DecodeMethodInfo> methods{
#define KV_DECODE_METHOD(name, parameters, attention, cadence, summary, source) \
  {#name, parameters, summary, source, attention, cadence},
#define KV_PAGE_METHOD(name, parameters, summary, source) {#name, parameters, summary, source, false, 1, true},
#define KV_PAGE_SELECTOR(name, parameters, summary, source) {#name, parameters, summary, source, false, 1, true, true},
#include "core/ports/decode_methods.inl"
#undef KV_DECODE_METHOD
#undef KV_PAGE_METHOD
#undef KV_PAGE_SELECTOR
  };
  return methods;
}

namespace {

/// A row with what its texts are views of.
struct AddedDecodeMethod {
  std::string name, alias, summary, source;
  DecodeMethodInfo info = {};
};
struct AddedDecodeMethods {
  std::mutex mutex;
  std::deque<AddedDecodeMethod> rows;  // never moved: find_decode_method() hands out their addresses
};
AddedDecodeMethods& added_decode_methods() {
  static AddedDecodeMethods added;
  return added;
}

}  // namespace

std::vector<DecodeMethodInfo> all_decode_methods() {
  std::vector<DecodeMethodInfo> methods = decode_methods();
  AddedDecodeMethods& added = added_decode_methods();
  const std::scoped_lock lock(added.mutex);
  methods.reserve(methods.size() + added.rows.size());
  for (const AddedDecodeMethod& row : added.rows) methods.push_back(row.info);
  return methods;
}

void add_decode_method(const DecodeMethodInfo& method, std::string_view alias) {
  AddedDecodeMethods& added = added_decode_methods();
  const std::scoped_lock lock(added.mutex);
  for (AddedDecodeMethod& row : added.rows)
    if (row.alias == alias) row.alias.clear();
  for (AddedDecodeMethod& row : added.rows)
    if (row.name == method.name) {  // of the same file: nothing but the alias can have changed
      row.alias = alias;
      return;
    }
  AddedDecodeMethod& row = added.rows.emplace_back();
  row = {std::string(method.name), std::string(alias), std::string(method.summary), std::string(method.source), method};
  row.info.name = row.name;
  row.info.summary = row.summary;
  row.info.source = row.source;
}

const DecodeMethodInfo* find_decode_method(std::string_view name) {
  if (name == "inverse_key_norm") name = "knorm";  // its name in PagedEviction
  const auto found = std::ranges::find(decode_methods(), name, &DecodeMethodInfo::name);
  if (found != decode_methods().end()) return &*found;
  AddedDecodeMethods& added = added_decode_methods();
  const std::scoped_lock lock(added.mutex);
  for (const AddedDecodeMethod& row : added.rows)
    if (row.name == name || (!row.alias.empty() && row.alias == name)) return &row.info;
  return nullptr;
}

std::string loop_parameters(const DecodeMethodInfo& method) {
  std::string text = "budget=" + shortest_number(default_decode_budget_percent) + "%";
  if (method.selects) return text;
  if (!method.pages) text += ",cadence=" + std::to_string(method.cadence);
  return text + ",table=" + to_string(default_table(method)) +
         ",compaction=repack,compact_every=" + std::to_string(default_compact_every) +
         ",compact_ms=0.0,cut=first_token";
}

}  // namespace kvantage::inline ports
