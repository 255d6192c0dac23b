#include "core/workload/datasets/import_longbench.h"

#include <algorithm>

#include "core/workload/datasets/longbench_prompts.h"

namespace kvantage::inline datasets {
namespace {

std::string_view without_end(std::string_view text, std::string_view unwanted) {
  const std::size_t last = text.find_last_not_of(unwanted);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}
std::string_view without_start(std::string_view text, std::string_view unwanted) {
  const std::size_t first = text.find_first_not_of(unwanted);
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// White space at the boundary belongs to neither part: prompt templates add their own. The question keeps the
// indentation of its first line, which is significant in code.
LongbenchParts parts(std::string_view context, std::string_view question, bool known_task) {
  return {std::string(without_end(context, " \t\r\n")),
          std::string(without_end(without_start(question, "\r\n"), " \t\r\n")), known_task};
}

bool usable(const LongbenchParts& parts) {
  return parts.context.find_first_not_of(" \t\r\n") != std::string::npos &&
         parts.question.find_first_not_of(" \t\r\n") != std::string::npos;
}

Expected<std::vector<std::string>> texts_of(const Json& value, const std::string& where) {
  if (value.is_string()) return std::vector<std::string>{value.get<std::string>()};
  if (!value.is_array())
    return fail(ErrorCode::rejected_input,
                where + " has the wrong type (" + value.type_name() + "); it must be a text or a list of texts");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_string())
      return fail(ErrorCode::rejected_input, where + "[" + std::to_string(i) + "] has the wrong type (" +
                                                 value[i].type_name() + "); it must be a text");
    texts.push_back(value[i].get<std::string>());
  }
  return texts;
}

// A gold answer is a text, a list of texts, or an object with them and the classes of a classification.
Expected<std::vector<std::string>> golds_of(const Json& entry, const std::string& where) {
  KV_ASSIGN(const auto gold, json_value(entry, "gold", where));
  if (!gold->is_object()) return texts_of(*gold, where + ": field 'gold'");
  KV_ASSIGN(const auto answers, json_value(*gold, "answers", where + ": gold"));
  return texts_of(*answers, where + ": field 'gold.answers'");
}

// Task of a file's entries from its name, "MiniLongBench_trec.json" -> "trec".
std::string family_of(const std::filesystem::path& file) {
  std::string stem = file.stem().string();
  for (const LongbenchPrompt& prompt : longbench_prompts())
    if (stem.ends_with("_" + std::string(prompt.dataset))) return std::string(prompt.dataset);
  return stem.empty() ? "longbench" : stem;
}

/// Of the metrics that LongBench has for its tasks the one that is here.
const char* metric_of_task(std::string_view task) {
  for (const char* summary : {"gov_report", "qmsum", "multi_news", "vcsum", "samsum", "dureader"})
    if (task == summary) return "rouge_l";
  return "token_f1";
}

void add_prompt(std::optional<LongbenchParts> found, const std::string& id, const std::string& family,
                std::vector<std::string> golds, Imported& imported) {
  ++imported.entries.read;
  if (!found) {
    ++imported.entries.dropped["the question could not be separated from the context"];
  } else if (!usable(*found)) {
    ++imported.entries.dropped["empty question or text"];
  } else {
    imported.unknown_prompts += found->known_task ? 0 : 1;
    const auto prompts = longbench_prompts();
    const auto task = std::ranges::find(prompts, family, &LongbenchPrompt::dataset);
    const int answer_tokens = task == prompts.end() ? 0 : task->answer_tokens;
    if (!golds.empty()) ++imported.metrics[metric_of_task(family)];
    imported.contexts.push_back(
        {id, family, std::move(found->context), {{std::move(found->question), std::move(golds), answer_tokens}}});
  }
}

Status read_prompts(const ImportDocument& document, const std::filesystem::path& file, Imported& imported) {
  std::vector<std::string> keys;
  for (const auto& [key, ignored] : document.json.items()) keys.push_back(key);
  // Numeric order: "10" comes after "9".
  std::ranges::stable_sort(keys, [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  const std::string family = family_of(file);
  for (const std::string& key : keys) {
    const std::string where = document.where + ": entry '" + printable(key) + "'";
    const Json& entry = document.json.at(key);
    KV_ASSIGN(const auto prompt, json_field<std::string>(entry, "origin_prompt", where));
    KV_ASSIGN(auto golds, golds_of(entry, where));
    add_prompt(split_longbench_prompt(prompt), family + "-" + key, family, std::move(golds), imported);
  }
  return {};
}

Status read_line(const ImportDocument& document, const std::filesystem::path& file, std::size_t number,
                 Imported& imported) {
  const Json& line = document.json;
  KV_ASSIGN(const auto context, json_field<std::string>(line, "context", document.where));
  KV_ASSIGN(const auto input, json_field<std::string>(line, "input", document.where));
  KV_ASSIGN(const auto answers, json_value(line, "answers", document.where));
  KV_ASSIGN(auto golds, texts_of(*answers, document.where + ": field 'answers'"));
  KV_ASSIGN(const auto dataset, json_field_or<std::string>(line, "dataset", document.where, family_of(file)));
  add_prompt(longbench_parts(dataset, context, input), dataset + "-" + std::to_string(number), dataset,
             std::move(golds), imported);
  return {};
}

}  // namespace

std::optional<LongbenchParts> split_longbench_prompt(std::string_view prompt) {
  for (const LongbenchPrompt& task : longbench_prompts()) {
    if (!prompt.starts_with(task.before)) continue;
    const std::size_t at = prompt.rfind(task.question_start);
    if (at == std::string_view::npos || at < task.before.size()) continue;
    return parts(prompt.substr(0, at), prompt.substr(at), true);
  }
  const std::string_view body = without_end(prompt, " \t\r\n");
  const std::size_t at = body.rfind("\n\n");
  if (at == std::string_view::npos) return std::nullopt;
  return parts(body.substr(0, at), body.substr(at), false);
}

std::optional<LongbenchParts> longbench_parts(std::string_view dataset, std::string_view context,
                                              std::string_view input) {
  const auto prompts = longbench_prompts();
  const auto task = std::ranges::find(prompts, dataset, &LongbenchPrompt::dataset);
  if (context.empty()) return parts(context, input, true);
  if (task == prompts.end()) {
    if (input.empty()) return std::nullopt;
    return parts(context, input, false);
  }
  const std::string filled = std::string(task->between) + std::string(input) + std::string(task->behind);
  const bool code = task->between.empty();
  return parts(std::string(task->before) + std::string(context),
               code ? std::string_view(filled) : without_start(filled, " \t\r\n"), true);
}

bool is_longbench(const Json& first) {
  if (!first.is_object() || first.empty() || first.contains("multi_turns")) return false;
  // Others have these two fields, too, and answers under another name.
  if (first.contains("context") && first.contains("input"))
    return first.contains("answers") || !(first.contains("answer") || first.contains("outputs"));
  return std::ranges::all_of(first,
                             [](const Json& entry) { return entry.is_object() && entry.contains("origin_prompt"); });
}

Status read_longbench(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                      const ImportOptions&, Imported& imported) {
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const ImportDocument& document = documents[i];
    if (!document.json.is_object())
      return fail(ErrorCode::rejected_input,
                  document.where + ": expected an object {...}, found " + document.json.type_name() + "; correct it");
    const bool of_data_set = document.json.contains("context") || document.json.contains("input");
    KV_TRY(of_data_set ? read_line(document, file, i, imported) : read_prompts(document, file, imported));
  }
  return {};
}

}  // namespace kvantage::inline datasets
