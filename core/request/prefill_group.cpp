#include "core/request/prefill_group.h"

#include "core/model/batch/batch_prefill.h"

namespace kvantage::inline requests {

std::optional<PrefillGroup::Member> PrefillGroup::member_of(RequestTask& task) {
  if (task.needs() != RequestTask::Need::compute) return std::nullopt;
  PrefillTask* prefill = nullptr;
  if (task.phase_ == RequestTask::Phase::context_prefill && task.offload_ == nullptr)
    prefill = task.context_->shareable();
  else if (task.phase_ == RequestTask::Phase::question_prefill)
    prefill = task.question_->shareable();
  if (prefill == nullptr) return std::nullopt;
  return Member{&task, prefill, task.state_.next_step(*prefill)};
}

bool PrefillGroup::fits(const Member& member) const {
  if (members_.empty()) return true;
  const bool whole = member.step.tokens >= member.task->state_.runtime.chunk_tokens();
  return !whole && member.step.layer == members_.front().step.layer && tokens_ + member.step.tokens <= max_tokens_;
}

bool PrefillGroup::fits(RequestTask& task) const {
  const auto member = member_of(task);
  return member && fits(*member);
}

bool PrefillGroup::take(RequestTask& task) {
  const auto member = member_of(task);
  if (!member || !fits(*member)) return false;
  tokens_ += member->step.tokens;
  members_.push_back(*member);
  return true;
}

std::vector<PrefillGroup::Outcome> PrefillGroup::compute() {
  std::vector<PrefillTask*> prefills;
  prefills.reserve(members_.size());
  for (const Member& member : members_) {
    if (member.task->phase_ == RequestTask::Phase::context_prefill) member.task->context_->begin();
    prefills.push_back(member.prefill);
  }
  const std::int64_t start = clock_.monotonic_ns();
  const std::vector<Status> statuses = step_together(prefills);
  const std::int64_t end = clock_.monotonic_ns();
  std::vector<Outcome> outcomes(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    PrefillStep& step = members_[i].step;
    step.start_ns = start;
    step.end_ns = end;
    step.batch_tokens = members_.size() > 1 ? tokens_ : 0;
    outcomes[i].computed = statuses[i].has_value();
    outcomes[i].status = outcomes[i].computed ? members_[i].task->compute(&step) : statuses[i];
  }
  return outcomes;
}

}  // namespace kvantage::inline requests
