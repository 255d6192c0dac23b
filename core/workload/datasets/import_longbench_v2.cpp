// LongBench v2 (Bai et al. 2025, github.com/THUDM/LongBench): a list of {"_id", "domain", "sub_domain", "difficulty",
// "length", "question", "choice_A" to "choice_D", "answer", "context"}. The prompt is the published one without chain
// of thought (prompts/0shot.txt); an answer is its letter.
#include "core/workload/datasets/import_formats.h"
#include "core/workload/datasets/import_generic.h"

namespace kvantage::inline datasets {

bool is_longbench_v2(const Json& first) {
  std::vector<DataEntry> entries;
  add_entries(first, "", true, entries);
  if (entries.empty()) return false;
  const Json& entry = *entries.front().json;
  return entry.is_object() && entry.contains("context") && entry.contains("choice_A") && entry.contains("choice_D");
}

Status read_longbench_v2(ImportDocuments documents, const ImportPath&, const ImportOptions&, Imported& imported) {
  constexpr int choice_answer_tokens = 128;  // as its authors generate
  for (const DataEntry& entry : entries_of(documents)) {
    const Json& json = *entry.json;
    KV_ASSIGN(const auto text, json_field<std::string>(json, "context", entry.where));
    KV_ASSIGN(const auto question, json_field<std::string>(json, "question", entry.where));
    KV_ASSIGN(const auto answer, json_field_or<std::string>(json, "answer", entry.where, ""));
    KV_ASSIGN(const auto id, json_field_or<std::string>(json, "_id", entry.where, ""));
    KV_ASSIGN(auto family, json_field_or<std::string>(json, "domain", entry.where, "longbench-v2"));
    if (question.empty() || text.empty()) {
      ++imported.entries.read;
      ++imported.entries.dropped["empty question or text"];
      continue;
    }
    std::string asked = "What is the correct answer to this question: " + question + "\nChoices:";
    for (const char letter : {'A', 'B', 'C', 'D'}) {
      KV_ASSIGN(const auto choice, json_field<std::string>(json, std::string("choice_") + letter, entry.where));
      asked += std::string("\n(") + letter + ") " + choice;
    }
    asked += "\n\nFormat your response as follows: \"The correct answer is (insert answer here)\".";
    ImportedContext context{
        .id = id.empty() ? "longbench-v2" : "longbench-v2-" + id.substr(0, 80),
        .family = std::move(family),
        .text = "Please read the following text and answer the question below.\n\n<text>\n" + text + "\n</text>",
        .questions = {}};
    context.questions.push_back(
        {std::move(asked), answer.empty() ? std::vector<std::string>() : std::vector{answer}, choice_answer_tokens});
    take_context(std::move(context), "choice", imported);
  }
  return {};
}

}  // namespace kvantage::inline datasets
