#include "core/workload/datasets/import_formats.h"

#include <array>

#include "core/base/did_you_mean.h"
#include "core/workload/datasets/choices.h"
#include "core/workload/datasets/field_path.h"
#include "core/workload/datasets/import_generic.h"
#include "core/workload/datasets/import_longbench.h"
#include "core/workload/datasets/import_qmsum.h"
#include "core/workload/datasets/import_squad.h"

namespace kvantage::inline datasets {
namespace {

constexpr std::array<ImportFormat, 11> known_imports{{
    {"longbench", "LongBench jsonl, and files of numbered prompts with reference answers", is_longbench,
     read_longbench},
    {"qmsum", "QMSum jsonl: meetings with general and specific queries", is_qmsum, read_qmsum},
    {"squad", "SQuAD v1.1 and v2.0 json", is_squad, read_squad},
    {"leval", "L-Eval jsonl: a text with lists of instructions and outputs", is_leval, read_leval},
    {"longbench-v2", "LongBench v2 json: a text, a question and four choices", is_longbench_v2, read_longbench_v2},
    {"lost-in-the-middle", "documents or keys with a question (also HELMET's retrieval sets)", is_lost_in_the_middle,
     read_lost_in_the_middle},
    {"scbench", "SCBench jsonl or Parquet: several turns about a context", is_scbench, read_scbench},
    {"infinitebench", "InfiniteBench jsonl: context, input, answer, options", is_infinitebench, read_infinitebench},
    {"ruler", "RULER jsonl: prompts and outputs", is_ruler, read_ruler},
    {"bamboo", "BAMBOO jsonl: content with an answer", is_bamboo, read_bamboo},
    {"generic", "any JSON, CSV or Parquet with a context and a question (--map)", is_generic, read_generic},
}};

std::string names_of_imports() {
  std::string names;
  for (const ImportFormat& format : known_imports) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

/// Of files that are often given here and that no map makes a data set; empty: none of them.
std::string what_it_looks_like(const Json& entry) {
  const auto has = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(entry.items(), [&](const auto& item) {
      return std::ranges::find(names, folded_field(item.key())) != names.end();
    });
  };
  std::string splits;
  for (const std::string_view split : split_names)
    if (const auto found = entry.find(split); found != entry.end() && found->is_array())
      splits += (splits.empty() ? "" : ", ") + std::string(split);
  if (!splits.empty()) return "it holds the splits " + splits + "; save the one that you want as a file of its own";
  if (has({"retrievalquestion", "goldstandardanswer"}))
    return "these look like needles of NeedleBench, whose haystack is in other files; join both into one field, or "
           "make such texts with kvantage-cli workload make";
  if (has({"hashids", "inputlength", "arrivaltimens", "numprefilltokens", "contexttokens", "requesttokens"}))
    return "it looks like a trace; give it to kvantage-cli trace info, trace import or simulate";
  if (const auto chat = entry.find("conversations"); chat != entry.end() && chat->is_array() && !chat->empty() &&
                                                     chat->front().contains("from") && chat->front().contains("value"))
    return "these are conversations of ShareGPT; take their texts as contexts with --map context=conversations.value";
  const auto is_value = [](const auto& field) { return is_cell_value(field.key()); };
  if (!entry.empty() && std::ranges::all_of(entry.items(), is_value))
    return "its first line has numbers and no names; if it is a trace, give it to kvantage-cli trace info with --map "
           "time=#1,context=#2,bytes=#3";
  return {};
}

/// Of a file that no format recognizes: what it lacks, and what to do. Names of formats help where there are no fields.
std::string why_unknown(const ImportDocument& first) {
  const std::string none = "is in none of the formats that can be imported";
  std::vector<DataEntry> entries;
  add_entries(first.json, first.where, true, entries);
  if (entries.empty() || !entries.front().json->is_object())
    return none + " (" + names_of_imports() +
           "): it holds no object with fields; give objects with a context and a question";
  std::string missing;
  for (const std::string& key : missing_keys(guessed_map(*entries.front().json), false))
    missing += (missing.empty() ? "" : " and ") + key;
  const std::string lacks = none + ": no field is known to hold " + missing +
                            " (its fields: " + listed_fields(field_paths(*entries.front().json)) + "); ";
  const std::string hint = what_it_looks_like(*entries.front().json);
  return lacks + (hint.empty() ? "name them with --map context=FIELD,question=FIELD,answers=FIELD" : hint);
}

}  // namespace

std::span<const ImportFormat> import_formats() { return known_imports; }

Expected<const ImportFormat*> import_format_of(const std::string& wanted, const ImportDocument& first,
                                               const FieldMap& map) {
  if (!map.empty() && (wanted == "auto" || wanted == "generic")) return &known_imports.back();
  if (!map.empty())
    return fail(ErrorCode::usage,
                "--map: a file in " + printable(wanted) + " has fields of its own; leave out --map, or --format");
  for (const ImportFormat& format : known_imports)
    if (wanted == format.name || (wanted == "auto" && format.recognizes(first.json))) return &format;
  if (wanted == "auto") return fail(ErrorCode::rejected_input, first.where + ": " + why_unknown(first));
  return fail(ErrorCode::usage, "--format: '" + printable(wanted) + "' is none of auto, " + names_of_imports() + "; " +
                                    did_you_mean(wanted, known_imports, "choose one", &ImportFormat::name));
}

Expected<ScoredQuestion> question_of_task(const Json& entry, std::string asked, const BenchmarkTask* task,
                                          const std::string& where) {
  KV_ASSIGN(const auto answer, json_value(entry, "answer", where));
  KV_ASSIGN(auto golds, texts_of_value(*answer, where + ": field 'answer'"));
  KV_ASSIGN(const auto options, json_field_or<std::vector<std::string>>(entry, "options", where, {}));
  ScoredQuestion made{{std::move(asked), std::move(golds), task != nullptr ? task->answer_tokens : 0},
                      task != nullptr ? task->metric : "token_f1"};
  ImportedQuestion& question = made.question;
  if (options.empty() || question.question.empty()) return made;
  ChoiceQuestion choice = choice_question(question.question, options, question.golds);
  question.question = std::move(choice.question);
  question.golds = std::move(choice.golds);
  if (choice.is_letter) made.metric = "choice";
  return made;
}

void take_context(ImportedContext context, std::string_view metric, Imported& imported) {
  const bool has_text = !is_blank_text(context.text);
  std::vector<ImportedQuestion> usable;
  usable.reserve(context.questions.size());
  for (ImportedQuestion& question : context.questions) {
    ++imported.entries.read;
    if (!has_text || is_blank_text(question.question)) {
      ++imported.entries.dropped["empty question or text"];
      continue;
    }
    if (!question.golds.empty()) ++imported.metrics[std::string(metric)];
    usable.push_back(std::move(question));
  }
  context.questions = std::move(usable);
  imported.contexts.push_back(std::move(context));
}

std::string stem_of(const ImportPath& file, const char* otherwise) {
  std::string stem = file.stem().string();
  return stem.empty() ? otherwise : stem;
}

}  // namespace kvantage::inline datasets
