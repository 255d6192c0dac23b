// L-Eval (An et al. 2024, github.com/OpenLMLab/LEval): a line is a document with its instructions, {"instructions":
// [...], "outputs": [...], "input", "source", "evaluation"}. "exam" is scored by the letters of the answer where the
// reference is letters, else by equality; "f1" and "rouge" by these; what people or a model judged by token_f1.
#include <algorithm>

#include "core/workload/datasets/import_formats.h"

namespace kvantage::inline datasets {
namespace {

bool is_letters(const std::string& text) {
  return !text.empty() && text.size() <= 8 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'H'; });
}

std::string metric_of_evaluation(const std::string& evaluation, const std::string& gold) {
  if (evaluation == "exam") return is_letters(gold) ? "choice" : "exact_match";
  return evaluation == "rouge" ? "rouge_l" : "token_f1";
}

}  // namespace

bool is_leval(const Json& first) {
  return first.is_object() && first.contains("instructions") && first.contains("outputs") && first.contains("input");
}

Status read_leval(ImportDocuments documents, const ImportPath& file, const ImportOptions&, Imported& imported) {
  const std::string family = stem_of(file, "leval");
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Json& line = documents[i].json;
    const std::string& where = documents[i].where;
    KV_ASSIGN(auto text, json_field<std::string>(line, "input", where));
    KV_ASSIGN(const auto instructions, json_field<std::vector<std::string>>(line, "instructions", where));
    KV_ASSIGN(const auto outputs, json_field<std::vector<std::string>>(line, "outputs", where));
    KV_ASSIGN(const auto evaluation, json_field_or<std::string>(line, "evaluation", where, ""));
    if (instructions.size() != outputs.size())
      return fail(ErrorCode::rejected_input, where + ": has " + std::to_string(instructions.size()) +
                                                 " instructions and " + std::to_string(outputs.size()) +
                                                 " outputs; correct the line");
    ImportedContext context{
        .id = family + "-" + std::to_string(i + 1), .family = family, .text = std::move(text), .questions = {}};
    context.questions.reserve(instructions.size());
    for (std::size_t q = 0; q < instructions.size(); ++q)
      context.questions.push_back({instructions[q],
                                   outputs[q].empty() ? std::vector<std::string>() : std::vector{outputs[q]},
                                   evaluation == "exam" ? 64 : 512});
    take_context(std::move(context), metric_of_evaluation(evaluation, outputs.empty() ? "" : outputs.front()),
                 imported);
  }
  return {};
}

}  // namespace kvantage::inline datasets
