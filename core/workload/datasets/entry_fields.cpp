// Where the entries of a document are, and which of their fields hold what, by known names.
#include <algorithm>
#include <array>

#include "core/workload/datasets/field_path.h"
#include "core/workload/datasets/import_generic.h"

namespace kvantage::inline datasets {
namespace {

// In order of preference, as folded_field() has them.
constexpr std::array<std::string_view, 20> context_names{
    "context",  "contexts", "ctx",      "ctxs",  "longcontext", "haystack", "document", "documents", "doc",  "passage",
    "passages", "article",  "articles", "story", "transcript",  "report",   "book",     "paragraph", "text", "content"};
/// Taken where neither one of those nor "input" is there.
constexpr std::array<std::string_view, 6> weak_context_names{"body",     "source", "sources",
                                                             "dialogue", "facts",  "background"};
constexpr std::array<std::string_view, 15> question_names{
    "question", "questions", "query", "queries",    "instruction", "instructions", "retrievalquestion", "q",
    "prompt",   "problem",   "claim", "hypothesis", "userquery",   "task",         "statement"};
constexpr std::array<std::string_view, 27> answer_names{"answers",
                                                        "answer",
                                                        "outputs",
                                                        "output",
                                                        "golds",
                                                        "gold",
                                                        "goldanswers",
                                                        "goldanswer",
                                                        "targets",
                                                        "target",
                                                        "references",
                                                        "reference",
                                                        "labels",
                                                        "label",
                                                        "responses",
                                                        "response",
                                                        "expectedanswer",
                                                        "expectedoutput",
                                                        "expected",
                                                        "solution",
                                                        "groundtruth",
                                                        "groundtruths",
                                                        "goldstandardanswer",
                                                        "referenceanswer",
                                                        "correctanswer",
                                                        "finalanswer",
                                                        "summary"};
constexpr std::array<std::string_view, 4> choice_names{"choices", "options", "candidates", "endings"};
constexpr std::array<std::string_view, 6> id_names{"id", "qid", "uid", "exampleid", "questionid", "docid"};
constexpr std::array<std::string_view, 9> list_names{"data",    "rows",  "examples", "instances", "entries",
                                                     "samples", "items", "records",  "questions"};

/// The field that comes first in `names`; empty: none. `taken`: fields that have another role.
std::string named_field(const Json& entry, std::span<const std::string_view> names,
                        const std::vector<std::string>& taken = {}) {
  std::string best;
  std::size_t rank = names.size();
  for (const auto& [name, value] : entry.items()) {
    if (value.is_null() || std::ranges::find(taken, name) != taken.end()) continue;
    const auto found = static_cast<std::size_t>(std::ranges::find(names, folded_field(name)) - names.begin());
    if (found < rank) {
      rank = found;
      best = name;
    }
  }
  return best;
}

/// "choice_A", "choice_B", ... or "optionA", ...: joined as a map has them.
std::string lettered_choices(const Json& entry) {
  for (const std::string_view stem : {"choice", "option", "answer", "ans", ""}) {
    std::string joined;
    int found = 0;
    for (const char letter : {'a', 'b', 'c', 'd', 'e'}) {
      const std::string wanted = std::string(stem) + letter;
      const auto member = std::ranges::find_if(entry.items(), [&](const auto& item) {
        return folded_field(item.key()) == wanted && item.value().is_string();
      });
      if (member == entry.items().end()) break;
      joined += (joined.empty() ? "" : "+") + (*member).key();
      ++found;
    }
    if (found >= 3) return joined;
  }
  return {};
}

/// A list of objects with questions, such as the turns of a conversation about one context.
void guess_nested(const Json& entry, FieldMap& map) {
  for (const auto& [name, value] : entry.items()) {
    if (!value.is_array() || value.empty() || !value.front().is_object()) continue;
    const Json& item = value.front();
    std::string question = named_field(item, question_names);
    if (question.empty() && item.contains("input")) question = "input";
    const std::string answers = named_field(item, answer_names, {question});
    if (question.empty() || answers.empty()) continue;
    map.set("question", name + "." + question);
    map.set("answers", name + "." + answers);
    if (const std::string choices = named_field(item, choice_names); !choices.empty())
      map.set("choices", name + "." + choices);
    return;
  }
}

bool is_numbered(const Json& object) {
  return !object.empty() && std::ranges::all_of(object.items(), [](const auto& item) {
    return item.value().is_object() && !item.key().empty() &&
           item.key().find_first_not_of("0123456789") == std::string::npos;
  });
}

/// Entries by their ids: several objects that have most of the first one's fields. Splits are none.
bool is_keyed(const Json& object) {
  if (object.size() < 2 || !object.front().is_object() || object.front().empty()) return false;
  const Json& first = object.front();
  return std::ranges::all_of(object.items(), [&](const auto& item) {
    if (!item.value().is_object() || std::ranges::find(split_names, item.key()) != split_names.end()) return false;
    const auto shared = static_cast<std::size_t>(
        std::ranges::count_if(first.items(), [&](const auto& field) { return item.value().contains(field.key()); }));
    return 2 * shared > first.size() && 2 * shared > item.value().size();
  });
}

void add_list(const Json& list, const std::string& where, std::vector<DataEntry>& entries) {
  entries.reserve(entries.size() + list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& item = list[i];
    // As the server of Hugging Face data sets lists them.
    const auto row = item.is_object() && item.contains("row_idx") ? item.find("row") : item.end();
    const bool is_row = item.is_object() && row != item.end() && row->is_object();
    entries.push_back({is_row ? &*row : &item, where + ": [" + std::to_string(i) + "]"});
  }
}

}  // namespace

void add_entries(const Json& json, const std::string& where, bool is_only_one, std::vector<DataEntry>& entries) {
  if (json.is_array()) return add_list(json, where, entries);
  const bool lacks_fields = is_only_one && json.is_object() && !missing_keys(guessed_map(json), false).empty();
  if (const bool numbered = json.is_object() && is_only_one && is_numbered(json);
      numbered || (lacks_fields && is_keyed(json))) {
    std::vector<std::string> keys;
    keys.reserve(json.size());
    for (const auto& [key, ignored] : json.items()) keys.push_back(key);
    // Numeric order: "10" comes after "9".
    if (numbered)
      std::ranges::stable_sort(keys, [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
    for (const std::string& key : keys) entries.push_back({&json.at(key), where + ": entry '" + printable(key) + "'"});
    return;
  }
  std::string list = lacks_fields ? named_field(json, list_names) : std::string();
  if (lacks_fields && list.empty() &&
      std::ranges::count_if(split_names, [&](std::string_view split) { return json.contains(split); }) == 1)
    list = named_field(json, split_names);
  if (!list.empty() && json.at(list).is_array() && !json.at(list).empty() && json.at(list).front().is_object())
    add_list(json.at(list), where + ": " + list, entries);
  else
    entries.push_back({&json, where});
}

std::vector<DataEntry> entries_of(std::span<const ImportDocument> documents) {
  std::vector<DataEntry> entries;
  entries.reserve(documents.size());
  for (const ImportDocument& document : documents)
    add_entries(document.json, document.where, documents.size() == 1, entries);
  return entries;
}

FieldMap guessed_map(const Json& entry) {
  FieldMap map;
  if (!entry.is_object()) return map;
  std::string context = named_field(entry, context_names), question = named_field(entry, question_names);
  std::string answers = named_field(entry, answer_names);
  const bool has_input = entry.contains("input") && !entry.at("input").is_null();
  if (question.empty()) guess_nested(entry, map);
  const bool has_question = !question.empty() || map.find("question") != nullptr;
  // "input" is what the others leave: the text that is asked about, or the question.
  if (has_input && context.empty() && has_question)
    context = "input";
  else if (has_input && !context.empty() && !has_question)
    question = "input";
  if (context.empty()) context = named_field(entry, weak_context_names, {question});
  if (!context.empty()) map.set("context", context);
  if (!question.empty()) map.set("question", question);
  if (!answers.empty() && map.find("answers") == nullptr) map.set("answers", answers);
  if (map.find("choices") == nullptr) {
    const std::string choices = named_field(entry, choice_names), lettered = lettered_choices(entry);
    if (!choices.empty() || !lettered.empty()) map.set("choices", choices.empty() ? lettered : choices);
  }
  if (const std::string id = named_field(entry, id_names); !id.empty()) map.set("id", id);
  return map;
}

FieldMap completed_map(const FieldMap& given, const Json& entry) {
  FieldMap map = given;
  const FieldMap guessed = guessed_map(entry);
  for (const auto& [key, field] : guessed.fields) {
    const bool is_taken = std::ranges::any_of(given.fields, [&](const auto& one) { return one.second == field; });
    if (map.find(key) == nullptr && !is_taken) map.set(key, field);
  }
  return map;
}

}  // namespace kvantage::inline datasets
