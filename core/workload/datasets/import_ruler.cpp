// RULER (Hsieh et al. 2024, github.com/NVIDIA/RULER): a line is a prompt with its outputs, {"index", "input",
// "outputs", "length", ...}, with "answer_prefix" in newer files. The prompt ends with its question, in a line of its
// own. RULER scores the share of the outputs that an answer contains, and in its question answering (qa_*) whether it
// contains one of them.
#include "core/workload/datasets/field_path.h"
#include "core/workload/datasets/import_formats.h"

namespace kvantage::inline datasets {
namespace {

std::string_view trimmed_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// Where the question begins: in the last line, or the one before where that only says "Answer:".
std::size_t question_start(std::string_view prompt) {
  constexpr std::size_t shortest = 12;
  std::size_t line = prompt.rfind('\n');
  if (line != std::string_view::npos && prompt.size() - line <= shortest && line > 0)
    line = prompt.rfind('\n', line - 1);
  return line == std::string_view::npos ? 0 : line + 1;
}

}  // namespace

bool is_ruler(const Json& first) {
  return first.is_object() && first.contains("index") && first.contains("input") && first.contains("outputs") &&
         !first.contains("context");
}

Status read_ruler(ImportDocuments documents, const ImportPath& file, const ImportOptions&, Imported& imported) {
  constexpr int ruler_answer_tokens = 128;
  const std::string family = stem_of(file, "ruler");
  const std::string folder = file.parent_path().filename().string();  // RULER writes TASK/validation.jsonl
  const bool is_answering = family.starts_with("qa") || folder.starts_with("qa");
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Json& line = documents[i].json;
    const std::string& where = documents[i].where;
    KV_ASSIGN(const auto input, json_field<std::string>(line, "input", where));
    KV_ASSIGN(const auto prefix, json_field_or<std::string>(line, "answer_prefix", where, ""));
    KV_ASSIGN(const auto outputs, json_value(line, "outputs", where));
    KV_ASSIGN(auto golds, texts_of_value(*outputs, where + ": field 'outputs'"));
    const std::string_view prompt = trimmed_end(input);
    const std::size_t at = question_start(prompt);
    ImportedContext context{.id = family + "-" + std::to_string(i + 1),
                            .family = family,
                            .text = std::string(trimmed_end(prompt.substr(0, at))),
                            .questions = {}};
    std::string question(prompt.substr(at));
    if (!question.empty() && !prefix.empty() && !question.ends_with(trimmed_end(prefix))) question += prefix;
    if (!is_answering && golds.size() > 1) {  // all of them are asked for
      std::string all;
      for (const std::string& gold : golds) all += (all.empty() ? "" : ", ") + gold;
      golds = {std::move(all)};
    }
    context.questions.push_back({std::move(question), std::move(golds), ruler_answer_tokens});
    take_context(std::move(context), is_answering ? "contains" : "word_recall", imported);
  }
  return {};
}

}  // namespace kvantage::inline datasets
