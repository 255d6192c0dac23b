// InfiniteBench (Zhang et al. 2024, github.com/OpenBMB/InfiniteBench): a line is {"id", "context", "input", "answer":
// text or list, "options": [...]}. The task is the file's name, which gives the length of answers and the metric that
// is nearest to its own.
#include <algorithm>
#include <array>

#include "core/workload/datasets/import_formats.h"

namespace kvantage::inline datasets {
namespace {

constexpr std::array<BenchmarkTask, 12> infinite_tasks{{{"passkey", "contains", 6},
                                                        {"number_string", "contains", 12},
                                                        {"kv_retrieval", "contains", 50},
                                                        {"longbook_sum_eng", "rouge_l", 1200},
                                                        {"longbook_choice_eng", "choice", 40},
                                                        {"longbook_qa_eng", "token_f1", 40},
                                                        {"longbook_qa_chn", "token_f1", 40},
                                                        {"longdialogue_qa_eng", "contains", 40},
                                                        {"math_find", "contains", 3},
                                                        {"math_calc", "word_recall", 30000},
                                                        {"code_run", "contains", 5},
                                                        {"code_debug", "choice", 5}}};

}  // namespace

bool is_infinitebench(const Json& first) {
  return first.is_object() && first.contains("context") && first.contains("input") && first.contains("answer") &&
         first.contains("options") && !first.contains("answers");
}

Status read_infinitebench(ImportDocuments documents, const ImportPath& file, const ImportOptions&, Imported& imported) {
  const std::string family = stem_of(file, "infinitebench");
  const auto task = std::ranges::find(infinite_tasks, family, &BenchmarkTask::name);
  const BenchmarkTask* known = task == infinite_tasks.end() ? nullptr : &*task;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Json& line = documents[i].json;
    const std::string& where = documents[i].where;
    KV_ASSIGN(auto text, json_field<std::string>(line, "context", where));
    KV_ASSIGN(const auto input, json_field_or<std::string>(line, "input", where, ""));
    // A summary is asked for without words.
    std::string asked = input.empty() && family.find("sum") != std::string::npos ? "Summarize the book." : input;
    KV_ASSIGN(auto made, question_of_task(line, std::move(asked), known, where));
    ImportedContext context{
        .id = family + "-" + std::to_string(i + 1), .family = family, .text = std::move(text), .questions = {}};
    context.questions.push_back(std::move(made.question));
    take_context(std::move(context), made.metric, imported);
  }
  return {};
}

}  // namespace kvantage::inline datasets
