// Lost in the Middle (Liu et al. 2024, github.com/nelson-liu/lost-in-the-middle): a line is a question with documents,
// {"question", "answers": [...], "ctxs": [{"title", "text", ...}]}, or a key with records, {"ordered_kv_records":
// [[key, value], ...], "key", "value"}. Prompts are its prompts/qa.prompt and kv_retrieval.prompt; an answer is right
// if it contains a reference answer. HELMET (Yen et al. 2025) has its retrieval sets in the same form.
#include "core/workload/datasets/import_formats.h"

namespace kvantage::inline datasets {
namespace {

constexpr int retrieval_answer_tokens = 100;

Expected<ImportedContext> context_of_documents(const Json& line, const std::string& where) {
  KV_ASSIGN(const auto documents, json_list(line, "ctxs", where));
  KV_ASSIGN(const auto question, json_field<std::string>(line, "question", where));
  KV_ASSIGN(const auto answers, json_value(line, "answers", where));
  ImportedContext context;
  context.text =
      "Write a high-quality answer for the given question using only the provided search results (some of which might "
      "be irrelevant).\n";
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const std::string place = where + ": ctxs[" + std::to_string(i) + "]";
    KV_ASSIGN(const auto title, json_field_or<std::string>((*documents)[i], "title", place, ""));
    KV_ASSIGN(const auto text, json_field<std::string>((*documents)[i], "text", place));
    context.text += "\nDocument [" + std::to_string(i + 1) + "](Title: " + title + ") " + text;
  }
  ImportedQuestion asked{.question = {}, .golds = {}, .max_answer_tokens = retrieval_answer_tokens};
  if (!question.empty() && !documents->empty()) asked.question = "Question: " + question + "\nAnswer:";
  if (answers->is_string()) {
    asked.golds.push_back(answers->get<std::string>());
  } else {
    KV_ASSIGN(asked.golds, json_field<std::vector<std::string>>(line, "answers", where));
  }
  context.questions.push_back(std::move(asked));
  return context;
}

Expected<ImportedContext> context_of_records(const Json& line, const std::string& where) {
  KV_ASSIGN(const auto records, json_list(line, "ordered_kv_records", where));
  KV_ASSIGN(const auto key, json_field<std::string>(line, "key", where));
  KV_ASSIGN(const auto value, json_field<std::string>(line, "value", where));
  ImportedContext context;
  context.text = "Extract the value corresponding to the specified key in the JSON object below.\n\nJSON data:\n";
  for (std::size_t i = 0; i < records->size(); ++i) {
    const Json& record = (*records)[i];
    const std::string place = where + ": ordered_kv_records[" + std::to_string(i) + "]";
    if (!record.is_array() || record.size() != 2 || !record[0].is_string() || !record[1].is_string())
      return fail(ErrorCode::rejected_input, place + " is not a key and a value; correct it");
    context.text += (i == 0 ? "{\"" : " \"") + record[0].get<std::string>() + "\": \"" + record[1].get<std::string>() +
                    (i + 1 == records->size() ? "\"}" : "\",\n");
  }
  context.questions.push_back(
      {.question = key.empty() || records->empty() ? std::string() : "Key: \"" + key + "\"\nCorresponding value:",
       .golds = {value},
       .max_answer_tokens = retrieval_answer_tokens});
  return context;
}

}  // namespace

bool is_lost_in_the_middle(const Json& first) {
  if (!first.is_object()) return false;
  if (first.contains("ordered_kv_records")) return true;
  const auto documents = first.find("ctxs");
  return documents != first.end() && documents->is_array() && first.contains("question") && first.contains("answers");
}

Status read_lost_in_the_middle(ImportDocuments documents, const ImportPath& file, const ImportOptions&,
                               Imported& imported) {
  const std::string family = stem_of(file, "lost-in-the-middle");
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Json& line = documents[i].json;
    const bool has_records = line.is_object() && line.contains("ordered_kv_records");
    KV_ASSIGN(auto context, has_records ? context_of_records(line, documents[i].where)
                                        : context_of_documents(line, documents[i].where));
    context.id = family + "-" + std::to_string(i + 1);
    context.family = family;
    take_context(std::move(context), "contains", imported);
  }
  return {};
}

}  // namespace kvantage::inline datasets
