#include "core/quality/drift_watch.h"

#include <algorithm>
#include <cmath>

namespace kvantage::inline quality {

void DriftWatch::reset(std::size_t contexts) {
  contexts_.assign(contexts, {});
  waiting_.clear();
}

std::optional<DriftFinding> DriftWatch::note(std::size_t context, std::size_t question, double achieved,
                                             double profiled) {
  Watched& watched = contexts_[context];
  std::erase(watched.questions, question);
  watched.questions.push_back(question);
  if (watched.questions.size() > rule_.max_questions) watched.questions.pop_front();
  const double fade = std::exp2(-1 / rule_.half_life_answers);
  watched.weight = watched.weight * fade + 1;
  watched.achieved = watched.achieved * fade + achieved;
  watched.profiled = watched.profiled * fade + profiled;
  ++watched.answers;
  if (watched.waits || watched.answers < rule_.min_answers ||
      !rule_.when.falls_short(watched.achieved, watched.profiled, watched.weight))
    return std::nullopt;
  watched.waits = true;
  waiting_.push_back(context);
  return DriftFinding{watched.achieved / watched.weight, watched.profiled / watched.weight, watched.answers};
}

std::vector<std::size_t> DriftWatch::questions(std::size_t context) const {
  return {contexts_[context].questions.begin(), contexts_[context].questions.end()};
}

void DriftWatch::settle(std::size_t context) {
  Watched& watched = contexts_[context];
  watched.weight = watched.achieved = watched.profiled = 0;
  watched.answers = 0;
  watched.waits = false;
  std::erase(waiting_, context);
}

}  // namespace kvantage::inline quality
