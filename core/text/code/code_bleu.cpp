#include "core/text/code/code_bleu.h"

#include <string>
#include <unordered_set>

#include "core/base/json_fields.h"
#include "core/text/code/code_tree.h"
#include "core/text/code/data_flow.h"
#include "core/text/code/ngram_match.h"
#include "core/text/code/python_comments.h"

namespace kvantage::inline code_quality {
namespace {

/// Subtrees of the reference that the answer has anywhere, as a share of them; 0 without any.
double syntax_match(const CodeTree& answer, const CodeTree& reference) {
  const std::unordered_set<std::string> known(answer.subtrees.begin(), answer.subtrees.end());
  std::size_t matches = 0;
  for (const std::string& subtree : reference.subtrees) matches += known.contains(subtree) ? 1 : 0;
  return reference.subtrees.empty() ? 0 : static_cast<double>(matches) / static_cast<double>(reference.subtrees.size());
}

}  // namespace

Expected<CodeBleu> code_bleu(std::string_view answer, std::string_view reference) {
  const std::string valid_answer = valid_utf8(answer), valid_reference = valid_utf8(reference);
  const std::string_view answered = stripped_code(valid_answer), expected = stripped_code(valid_reference);
  const auto answer_tokens = code_tokens(answered), reference_tokens = code_tokens(expected);
  const std::string answer_code = without_comments(answered).value_or(std::string(answered));
  const std::string reference_code = without_comments(expected).value_or(std::string(expected));
  KV_ASSIGN(const auto answer_tree, parse_code(answer_code));
  KV_ASSIGN(const auto reference_tree, parse_code(reference_code));
  return CodeBleu{.ngram_match = ngram_match(answer_tokens, reference_tokens),
                  .weighted_ngram_match = weighted_ngram_match(answer_tokens, reference_tokens),
                  .syntax_match = syntax_match(answer_tree, reference_tree),
                  .dataflow_match = dataflow_match(data_flow_of(answer_tree, answer_code),
                                                   data_flow_of(reference_tree, reference_code))};
}

}  // namespace kvantage::inline code_quality
