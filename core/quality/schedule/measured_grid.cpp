#include "core/quality/schedule/measured_grid.h"

#include <cmath>
#include <map>
#include <utility>

namespace kvantage::inline schedule {

CellAnswers answers_of(std::span<const double> scores) {
  CellAnswers answers{.n = static_cast<int>(scores.size()), .first = scores.empty() ? 0 : scores.front()};
  for (const double score : scores) {
    answers.sum += score;
    answers.squares += score * score;
  }
  return answers;
}

MeasuredGrid::MeasuredGrid(std::vector<GridForm> forms, std::vector<GridContext> contexts)
    : forms_(std::move(forms)), contexts_(std::move(contexts)), cells_(forms_.size() * contexts_.size()) {
  std::map<std::pair<std::string, long>, std::size_t> known;
  groups_.reserve(contexts_.size());
  for (const GridContext& context : contexts_) {
    const long length = std::lround(std::log2(context.tokens > 0 ? context.tokens : 1));
    groups_.push_back(known.try_emplace({context.family, length}, known.size()).first->second);
  }
  group_count_ = known.size();
}

std::size_t MeasuredGrid::form_of(const std::string& method, double removed_fraction) const {
  std::size_t form = 0;
  while (form < forms_.size() &&
         !(std::fabs(forms_[form].removed_fraction - removed_fraction) < 1e-9 && forms_[form].method == method))
    ++form;
  return form;
}

std::size_t MeasuredGrid::answers() const {
  std::size_t sum = 0;
  for (const CellAnswers& cell : cells_) sum += static_cast<std::size_t>(cell.n);
  return sum;
}

std::size_t MeasuredGrid::full_answers() const {
  std::size_t sum = 0;
  for (const GridContext& context : contexts_) sum += static_cast<std::size_t>(context.questions) * forms_.size();
  return sum;
}

}  // namespace kvantage::inline schedule
