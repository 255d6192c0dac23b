// SCBench (Li et al. 2025, github.com/microsoft/MInference, scbench): a row is a context with the turns of a
// conversation about it, {"id", "context" (or "input"), "multi_turns": [{"input", "answer", "options"}]}. A turn is a
// question about the shared context; the answers before it are not part of it, as in the benchmark's mode of one
// context with different questions (scdq).
#include <algorithm>
#include <array>

#include "core/workload/datasets/choices.h"
#include "core/workload/datasets/field_path.h"
#include "core/workload/datasets/import_formats.h"

namespace kvantage::inline datasets {
namespace {

struct SharedTask {
  std::string_view name, metric;
  int answer_tokens;  // as its authors generate
};
constexpr std::array<SharedTask, 13> shared_tasks{{{"scbench_choice_eng", "choice", 40},
                                                   {"scbench_qa_eng", "token_f1", 40},
                                                   {"scbench_qa_chn", "token_f1", 40},
                                                   {"scbench_kv_hard", "contains", 150},
                                                   {"scbench_kv", "contains", 150},
                                                   {"scbench_hashhop", "contains", 150},
                                                   {"scbench_prefix_suffix", "contains", 150},
                                                   {"scbench_mf", "contains", 5},
                                                   {"scbench_passkey", "contains", 15},
                                                   {"scbench_vt", "word_recall", 30},
                                                   {"scbench_many_shot", "choice", 10},
                                                   {"scbench_repoqa", "token_f1", 1024},
                                                   {"scbench_summary", "rouge_l", 200}}};

Expected<ImportedQuestion> question_of_turn(const Json& turn, const std::string& where, const SharedTask* task,
                                            std::string_view& metric) {
  KV_ASSIGN(const auto input, json_field<std::string>(turn, "input", where));
  KV_ASSIGN(const auto answer, json_value(turn, "answer", where));
  KV_ASSIGN(auto golds, texts_of_value(*answer, where + ": field 'answer'"));
  KV_ASSIGN(const auto options, json_field_or<std::vector<std::string>>(turn, "options", where, {}));
  ImportedQuestion question{
      .question = input, .golds = {}, .max_answer_tokens = task != nullptr ? task->answer_tokens : 0};
  metric = task != nullptr ? task->metric : "token_f1";
  if (options.empty() || input.empty()) {
    question.golds = std::move(golds);
    return question;
  }
  ChoiceQuestion choice = choice_question(input, options, golds);
  if (choice.is_letter) metric = "choice";
  question.question = std::move(choice.question);
  question.golds = std::move(choice.golds);
  return question;
}

}  // namespace

bool is_scbench(const Json& first) {
  if (!first.is_object()) return false;
  const auto turns = first.find("multi_turns");
  return turns != first.end() && turns->is_array();
}

Status read_scbench(ImportDocuments documents, const ImportPath& file, const ImportOptions&, Imported& imported) {
  const std::string family = stem_of(file, "scbench");
  const auto found =
      std::ranges::find_if(shared_tasks, [&](const SharedTask& task) { return family.starts_with(task.name); });
  const SharedTask* task = found == shared_tasks.end() ? nullptr : &*found;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Json& row = documents[i].json;
    const std::string& where = documents[i].where;
    KV_ASSIGN(auto text, json_field<std::string>(row, row.contains("context") ? "context" : "input", where));
    KV_ASSIGN(const auto turns, json_list(row, "multi_turns", where));
    ImportedContext context{
        .id = family + "-" + std::to_string(i + 1), .family = family, .text = std::move(text), .questions = {}};
    context.questions.reserve(turns->size());
    std::string_view metric = "token_f1";
    for (std::size_t t = 0; t < turns->size(); ++t) {
      KV_ASSIGN(auto question,
                question_of_turn((*turns)[t], where + ": multi_turns[" + std::to_string(t) + "]", task, metric));
      context.questions.push_back(std::move(question));
    }
    take_context(std::move(context), metric, imported);
  }
  return {};
}

}  // namespace kvantage::inline datasets
