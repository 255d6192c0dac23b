#include "core/report/answer_basis.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kvantage::inline report {
namespace {

constexpr std::string_view quality_prefix = "quality, ", agreement_prefix = "agreement with uncompressed, ";

bool is_agreement(std::string_view metric, const AnswerBasis& basis) {
  return basis.agreement() && !compares_with_uncompressed(metric);
}

}  // namespace

// Records without either are of a question that could not be scored, or not of an engine.
bool lacks_reference_answer(const AskedQuestion& asked) {
  return asked.gold.empty() && !asked.reference_answer.empty();
}

bool compares_with_uncompressed(std::string_view metric) {
  constexpr std::array<std::string_view, 5> always{"cosine", "code_bleu", "logit_kl", "top1_agreement", "by_task"};
  return metric.ends_with("@prefill") || std::ranges::find(always, metric) != always.end();
}

AnswerBasis answer_basis(const std::vector<const RequestRecord*>& records) {
  using Question = std::pair<std::string_view, std::string_view>;
  std::set<Question> with, without;  // of two workloads, a question may be in both
  for (const RequestRecord* record : records) {
    if (record->cancelled || !record->held_out || record->quality.empty()) continue;
    if (!record->gold.empty())
      with.insert({record->context_id, record->question});
    else if (lacks_reference_answer(*record))
      without.insert({record->context_id, record->question});
  }
  return {with.size(), without.size()};
}

AnswerBasis answer_basis(const std::vector<const PolicyRun*>& runs) {
  std::vector<const RequestRecord*> records;
  for (const PolicyRun* run : runs)
    for (const RequestRecord& record : run->records) records.push_back(&record);
  return answer_basis(records);
}

std::string basis_note(const AnswerBasis& basis) {
  if (basis.agreement())
    return "no question has a reference answer: quality is the agreement with the answers of uncompressed caches";
  if (!basis.mixed()) return {};
  return "reference answers: of " + std::to_string(basis.with_reference) + " of " +
         std::to_string(basis.with_reference + basis.without_reference) + " questions; quality of the other " +
         std::to_string(basis.without_reference) + " is the agreement with the answers of uncompressed caches";
}

std::string quality_name(const std::string& metric, const AnswerBasis& basis) {
  return is_agreement(metric, basis) ? std::string(agreement_name) : metric;
}

std::string compared_quality_name(const std::string& metric, const AnswerBasis& basis) {
  return std::string(is_agreement(metric, basis) ? agreement_prefix : quality_prefix) + metric;
}

std::string_view compared_quality_metric(std::string_view name) {
  for (const std::string_view prefix : {quality_prefix, agreement_prefix})
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return {};
}

}  // namespace kvantage::inline report
