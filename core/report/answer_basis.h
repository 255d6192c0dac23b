// What scores of word metrics rest on: the workload's reference answers or, for questions without one, the answer of
// the uncompressed cache. Such a score is the agreement with that answer: 1 for every uncompressed cache, whether or
// not its answer is right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/report.h"

namespace kvantage::inline report {

/// Whether the answer was scored without a reference answer. Nothing else is scored so: a metric that always compares
/// with the uncompressed answer says that by its name.
bool lacks_reference_answer(const AskedQuestion& asked);
/// cosine, code_bleu, logit_kl, top1_agreement, by_task and "...@prefill": whatever reference answers there are.
bool compares_with_uncompressed(std::string_view metric);

/// Of the held-out answers that were scored; each question counts once.
AnswerBasis answer_basis(const std::vector<const RequestRecord*>& records);
AnswerBasis answer_basis(const std::vector<const PolicyRun*>& runs);
/// What a reader has to know of it; empty where every question has a reference answer.
std::string basis_note(const AnswerBasis& basis);

/// "token_f1", or agreement_name for a word metric where no question has a reference answer.
std::string quality_name(const std::string& metric, const AnswerBasis& basis);
inline constexpr std::string_view agreement_name = "agreement with uncompressed";
/// The same in a comparison, which has all metrics side by side: "quality, token_f1", "agreement with uncompressed,
/// token_f1".
std::string compared_quality_name(const std::string& metric, const AnswerBasis& basis);
/// "token_f1" of such a name; empty for other metrics of a comparison.
std::string_view compared_quality_metric(std::string_view name);

}  // namespace kvantage::inline report
