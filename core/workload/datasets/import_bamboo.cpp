// BAMBOO (Dong et al. 2024, github.com/RUCAIBox/BAMBOO): a line has "content" and "answer", and by its task "question"
// with "options", "hypothesis", "events", or nothing else. Questions are those of its prompt.json, behind the content.
#include "core/workload/datasets/choices.h"
#include "core/workload/datasets/field_path.h"
#include "core/workload/datasets/import_formats.h"

namespace kvantage::inline datasets {
namespace {

/// "[0] first\n[1] second", as the prompts number paragraphs and events.
std::string numbered(const std::vector<std::string>& texts, std::size_t first) {
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i)
    all += (i == 0 ? "[" : "\n[") + std::to_string(i + first) + "] ```" + texts[i] + "```";
  return all;
}

/// "[2] > [0] > [1]" of a list of numbers.
Expected<std::string> order_text(const Json& order, const std::string& where) {
  KV_ASSIGN(const auto numbers, texts_of_value(order, where));
  std::string text;
  for (const std::string& number : numbers) text += (text.empty() ? "[" : " > [") + number + "]";
  return text;
}

struct BambooEntry {
  std::string text;
  ImportedQuestion question;
  const char* metric = "exact_match";
};

Expected<BambooEntry> sorting_entry(const Json& line, const std::string& where) {
  BambooEntry entry;
  const char* key = line.contains("answer") ? "answer" : line.contains("order") ? "order" : "original_order";
  KV_ASSIGN(const auto order, json_value(line, key, where));
  KV_ASSIGN(auto gold, order_text(*order, where + ": field '" + key + "'"));
  if (line.contains("events")) {
    KV_ASSIGN(entry.text, json_field<std::string>(line, "content", where));
    KV_ASSIGN(const auto events, json_field<std::vector<std::string>>(line, "events", where));
    entry.question.question = "Events: " + numbered(events, 1) +
                              "\n\nGive the reorder results, only give the ordered identifiers of the five events [] > "
                              "[] > [] > [] > []: ";
  } else {
    KV_ASSIGN(const auto chapters, json_field<std::vector<std::string>>(line, "content", where));
    entry.text = "Chapters:\n" + numbered(chapters, 0);
    entry.question.question =
        "Give the original order of the paragraphs before being shuffled, only give the ordered identifiers [] > [] > "
        "[] > [] > []: ";
  }
  entry.question.golds = {std::move(gold)};
  entry.question.max_answer_tokens = 32;
  return entry;
}

Expected<BambooEntry> answering_entry(const Json& line, const std::string& where, const std::string& family) {
  BambooEntry entry;
  KV_ASSIGN(entry.text, json_field<std::string>(line, "content", where));
  KV_ASSIGN(const auto answer, json_value(line, "answer", where));
  KV_ASSIGN(auto golds, texts_of_value(*answer, where + ": field 'answer'"));
  entry.question.max_answer_tokens = 32;
  if (line.contains("question") && line.contains("options")) {
    KV_ASSIGN(const auto question, json_field<std::string>(line, "question", where));
    KV_ASSIGN(const auto options, json_field<std::vector<std::string>>(line, "options", where));
    ChoiceQuestion choice = choice_question("Question: " + question + "\nOptions:", options, golds);
    entry.question.question = std::move(choice.question);
    entry.question.golds = std::move(choice.golds);
    entry.metric = choice.is_letter ? "choice" : "exact_match";
    return entry;
  }
  if (line.contains("hypothesis")) {
    KV_ASSIGN(const auto hypothesis, json_field<std::string>(line, "hypothesis", where));
    entry.question.question = "Hypothesis: ```" + hypothesis + "```\nAnswer (\"Yes.\" or \"No.\"):";
    if (answer->is_boolean()) golds = {answer->get<bool>() ? "Yes." : "No."};
  } else if (line.contains("question")) {
    KV_ASSIGN(const auto question, json_field<std::string>(line, "question", where));
    entry.question.question = "Question: " + question + "\nAnswer:";
    entry.metric = "token_f1";
  } else if (family.find("altqa") != std::string::npos) {
    entry.question.question =
        "You should only give an number as the answer, without any explanations and other words.\nAnswer: ";
  } else {
    entry.question.question = "Predicted speaker of the last conversation (only the name of speaker): ";
  }
  entry.question.golds = std::move(golds);
  return entry;
}

}  // namespace

bool is_bamboo(const Json& first) {
  if (!first.is_object() || !first.contains("content") || first.contains("context")) return false;
  return first.contains("answer") || first.contains("order") || first.contains("original_order");
}

Status read_bamboo(ImportDocuments documents, const ImportPath& file, const ImportOptions&, Imported& imported) {
  const std::string family = stem_of(file, "bamboo");
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Json& line = documents[i].json;
    const std::string& where = documents[i].where;
    KV_ASSIGN(const auto content, json_value(line, "content", where));
    const bool is_sorting = content->is_array() || line.contains("events");
    KV_ASSIGN(auto entry, is_sorting ? sorting_entry(line, where) : answering_entry(line, where, family));
    ImportedContext context{
        .id = family + "-" + std::to_string(i + 1), .family = family, .text = std::move(entry.text), .questions = {}};
    context.questions.push_back(std::move(entry.question));
    take_context(std::move(context), entry.metric, imported);
  }
  return {};
}

}  // namespace kvantage::inline datasets
