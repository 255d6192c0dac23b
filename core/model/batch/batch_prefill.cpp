#include "core/model/batch/batch_prefill.h"

#include <algorithm>
#include <cstddef>

#include "core/model/prefill.h"
#include "core/model/prefill_pass.h"

namespace kvantage::inline model_batch {
namespace {

using Member = PrefillTask::State;

/// A task and the place of its status.
struct Joined {
  Member* member = nullptr;
  Status* status = nullptr;
};

bool joins(const Transformer::Impl& model) { return model.products.has_value() && model.device == nullptr; }

void step_in_a_pass(std::span<const Joined> joined) {
  std::vector<Member*> members;
  for (const Joined& one : joined) members.push_back(one.member);
  std::vector<Status> statuses;
  const Status ran = guarded([&]() -> Status {
    statuses = PrefillPass(members).run();
    return {};
  });
  for (std::size_t i = 0; i < joined.size(); ++i) {
    *joined[i].status = ran ? statuses[i] : ran;
    if (*joined[i].status) members[i]->advance();
  }
}

/// In passes of at most max_shared_pass_rows.
void step_in_passes(std::span<const Joined> joined) {
  for (std::size_t first = 0, last = 0; first < joined.size(); first = last) {
    int rows = 0;
    for (; last < joined.size(); ++last) {
      rows += joined[last].member->chunk_size();
      if (last > first && rows > max_shared_pass_rows) break;
    }
    step_in_a_pass(joined.subspan(first, last - first));
  }
}

}  // namespace

bool prefills_together(const Transformer& model) { return joins(model.impl()); }

std::vector<Status> step_together(std::span<PrefillTask* const> tasks) {
  std::vector<Status> statuses(tasks.size());
  if (tasks.empty()) return statuses;
  const Member& front = tasks.front()->state();
  if (std::ranges::any_of(tasks, [&front](PrefillTask* task) {
        return &task->state().model != &front.model || task->state().layer != front.layer || task->done();
      })) {
    std::ranges::fill(statuses, fail(ErrorCode::internal,
                                     "prefills stepped together must be of one model, at one layer, and not done"));
    return statuses;
  }
  if (tasks.size() == 1 || !joins(front.model) || front.model.input_sink != nullptr) {  // a sink is for one task
    std::ranges::transform(tasks, statuses.begin(), [](PrefillTask* task) { return task->step(); });
    return statuses;
  }
  std::vector<Joined> joined;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Member& member = tasks[i]->state();
    statuses[i] = guarded([&member] { return member.begin_step(); });
    if (statuses[i]) joined.push_back({&member, &statuses[i]});
  }
  step_in_passes(joined);
  return statuses;
}

}  // namespace kvantage::inline model_batch
