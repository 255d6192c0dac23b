#include "core/report/chance_level.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/report/answer_basis.h"

namespace kvantage::inline report {
namespace {

using Finding = ChanceGate::Finding;

/// Scores of the answers that have the metric.
struct ScoredAnswers {
  std::vector<double> above, uncompressed, chance;  // where all of them are known
  std::vector<std::string> contexts;                // of these
  std::vector<double> without_chance;               // uncompressed, where chance is not known
  std::size_t count = 0;
  // By family.
  std::map<std::string_view, std::set<std::pair<std::string_view, std::string_view>>> questions;

  void add(const RequestRecord& record, const std::string& metric) {
    if (record.cancelled || !record.held_out || !record.quality.contains(metric)) return;
    ++count;
    questions[record.family].insert({record.context_id, record.question});
    const auto best = record.quality_uncompressed.find(metric), least = record.quality_chance.find(metric);
    if (best == record.quality_uncompressed.end()) return;
    if (least == record.quality_chance.end()) {
      without_chance.push_back(best->second);
      return;
    }
    above.push_back(best->second - least->second);
    uncompressed.push_back(best->second);
    chance.push_back(least->second);
    contexts.push_back(record.context_id);
  }
};

}  // namespace

ChanceGate chance_gate(const std::vector<const PolicyRun*>& runs, const std::string& metric) {
  ScoredAnswers answers;
  for (const PolicyRun* run : runs)
    for (const RequestRecord& record : run->records) answers.add(record, metric);
  if (answers.count == 0) return {};
  ChanceGate gate;
  if (answers.above.empty()) {
    const bool zero = !answers.without_chance.empty() &&
                      std::ranges::all_of(answers.without_chance, [](double score) { return score <= 0; });
    gate.finding = zero ? Finding::zero : Finding::unknown;
    gate.uncompressed = mean_of(answers.without_chance);
    gate.single_questions =
        std::ranges::all_of(answers.questions, [](const auto& family) { return family.second.size() == 1; });
    return gate;
  }
  const auto interval = bootstrap_interval(answers.above, answers.contexts);
  const bool above = interval ? interval->low > 0 : mean_of(answers.above) > 0;
  gate.finding = above ? Finding::above : Finding::not_above;
  gate.uncompressed = mean_of(answers.uncompressed);
  gate.chance = mean_of(answers.chance);
  return gate;
}

std::string unknown_chance_text(const ChanceGate& gate) {
  if (gate.finding != Finding::unknown && gate.finding != Finding::zero) return {};
  return gate.single_questions ? "chance unknown: one question a family" : "chance unknown: it was not measured";
}

std::vector<std::string> quality_notes(const RunReport& report, const std::vector<const PolicyRun*>& runs,
                                       const std::string& metric) {
  std::vector<std::string> notes;
  if (std::string basis = basis_note(report.basis); !basis.empty()) notes.push_back(std::move(basis));
  const auto scored = [&](const PolicyRow& row) { return row.quality.contains(metric); };
  if (std::ranges::count_if(report.rows, scored) < 2) return notes;  // nothing is compared
  if (std::string unknown = unknown_chance_text(chance_gate(runs, metric)); !unknown.empty())
    notes.push_back(std::move(unknown));
  return notes;
}

}  // namespace kvantage::inline report
