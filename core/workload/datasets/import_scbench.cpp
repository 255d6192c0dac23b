// SCBench (Li et al. 2025, github.com/microsoft/MInference, scbench): a row is a context with the turns of a
// conversation about it, {"id", "context" (or "input"), "multi_turns": [{"input", "answer", "options"}]}. A turn is a
// question about the shared context; the answers before it are not part of it, as in the benchmark's mode of one
// context with different questions (scdq).
#include <algorithm>
#include <array>

#include "core/workload/datasets/import_formats.h"

namespace kvantage::inline datasets {
namespace {

constexpr std::array<BenchmarkTask, 13> shared_tasks{{{"scbench_choice_eng", "choice", 40},
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

}  // namespace

bool is_scbench(const Json& first) {
  if (!first.is_object()) return false;
  const auto turns = first.find("multi_turns");
  return turns != first.end() && turns->is_array();
}

Status read_scbench(ImportDocuments documents, const ImportPath& file, const ImportOptions&, Imported& imported) {
  const std::string family = stem_of(file, "scbench");
  const auto found =
      std::ranges::find_if(shared_tasks, [&](const BenchmarkTask& task) { return family.starts_with(task.name); });
  const BenchmarkTask* task = found == shared_tasks.end() ? nullptr : &*found;
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
      const std::string place = where + ": multi_turns[" + std::to_string(t) + "]";
      KV_ASSIGN(auto input, json_field<std::string>((*turns)[t], "input", place));
      KV_ASSIGN(auto made, question_of_task((*turns)[t], std::move(input), task, place));
      metric = made.metric;
      context.questions.push_back(std::move(made.question));
    }
    take_context(std::move(context), metric, imported);
  }
  return {};
}

}  // namespace kvantage::inline datasets
