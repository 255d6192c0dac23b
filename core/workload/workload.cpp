#include "core/workload/workload.h"

#include <array>

#include "core/base/random.h"
#include "core/workload/arrivals.h"
#include "core/workload/popularity.h"

namespace kvantage::inline workload {

Digest128 Workload::digest() const {
  DigestBuilder builder;
  builder.add(static_cast<std::uint64_t>(contexts.size()));
  for (const WorkloadContext& context : contexts) builder.add(context.id).add(context.family).add(context.text);
  builder.add(static_cast<std::uint64_t>(questions.size()));
  for (const WorkloadQuestion& question : questions)
    builder.add(static_cast<std::uint64_t>(question.context))
        .add(question.question)
        .add(question.gold)
        .add(static_cast<std::uint64_t>(question.split));
  // Last, and only if present: workloads without these keep their earlier digest.
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const WorkloadQuestion& question = questions[q];
    if (question.other_golds.empty() && question.phase == 0) continue;
    builder.add(static_cast<std::uint64_t>(q)).add(static_cast<std::uint64_t>(question.phase));
    builder.add(static_cast<std::uint64_t>(question.other_golds.size()));
    for (const std::string& gold : question.other_golds) builder.add(gold);
  }
  for (std::size_t q = 0; q < questions.size(); ++q)
    if (questions[q].max_answer_tokens != 0)
      builder.add("max_answer_tokens")
          .add(static_cast<std::uint64_t>(q))
          .add(static_cast<std::uint64_t>(questions[q].max_answer_tokens));
  return builder.finish();
}

namespace {

/// Rotates through a context's questions, each phase separately, so that none repeats before all were asked once.
class Turns {
 public:
  explicit Turns(const Workload& workload) : phases_(workload.contexts.size()) {
    for (std::size_t q = 0; q < workload.questions.size(); ++q) {
      const WorkloadQuestion& question = workload.questions[q];
      if (question.split == QuestionSplit::held_out)
        phases_[question.context][question.phase == 0 ? 0 : 1].own.push_back(q);
    }
  }
  bool any(std::size_t context) const { return !phases_[context][0].own.empty() || !phases_[context][1].own.empty(); }
  std::size_t next(std::size_t context, int phase) {
    auto& both = phases_[context];
    const auto due = static_cast<std::size_t>(phase);
    Phase& chosen = both[due].own.empty() ? both[1 - due] : both[due];
    return chosen.own[chosen.asked++ % chosen.own.size()];
  }

 private:
  struct Phase {
    std::vector<std::size_t> own;
    std::size_t asked = 0;
  };
  std::vector<std::array<Phase, 2>> phases_;
};

}  // namespace

std::vector<WorkloadRequest> Workload::requests(std::uint64_t limit, std::uint64_t run_seed) const {
  const std::uint64_t count = limit == 0 ? (schedule.empty() ? arrivals.requests : schedule.size()) : limit;
  Turns turns(*this);
  std::vector<std::size_t> ranked;
  for (std::size_t c = 0; c < contexts.size(); ++c)
    if (turns.any(c)) ranked.push_back(c);
  std::vector<WorkloadRequest> requests;
  if (ranked.empty()) return requests;
  const std::vector<std::size_t> first = arrivals.each_context_first ? ranked : std::vector<std::size_t>{};

  // Popularity and drift order belong to the workload; the request order belongs to the run. Each schedule has its own
  // random stream: adding one does not change the draws of another.
  Random ranking(derive_seed(seed, 1));
  ranking.shuffle(std::span(ranked));
  const Popularity popularity(ranked.size(), arrivals.zipf_exponent, arrivals.tail_share);
  Random choice(derive_seed(seed ^ run_seed, 2));
  std::optional<BurstWalk> bursts;
  if (arrivals.bursts) bursts.emplace(*arrivals.bursts, ranked.size(), derive_seed(seed ^ run_seed, 3));
  std::optional<DriftWalk> drift;
  if (arrivals.drift)
    drift.emplace(*arrivals.drift, contexts.size(), arrivals.requests, derive_seed(seed, 4),
                  derive_seed(seed ^ run_seed, 5));

  requests.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t popular = popularity.rank_at(choice.uniform());
    const BurstWalk::Step burst = bursts ? bursts->next() : BurstWalk::Step{};
    const ScheduledRequest* due = schedule.empty() ? nullptr : &schedule[i % schedule.size()];
    const std::size_t drawn = i < first.size() ? first[i] : ranked[burst.context.value_or(popular)];
    const std::size_t context = due != nullptr && due->context ? *due->context : drawn;
    const int phase = drift ? drift->next(context) : 0;
    const std::size_t question = due != nullptr && due->question ? *due->question : turns.next(context, phase);
    requests.push_back({.context = context,
                        .question = question,
                        .arrival_seconds = 0,
                        .gap = due != nullptr ? scheduled_gap(schedule, i) : -1,
                        .pace = burst.pace});
  }
  space_requests(requests, arrivals.requests_per_second, seed ^ run_seed);
  return requests;
}

void keep_profile_questions(Workload& workload, std::size_t most) {
  if (most == 0) return;
  std::vector<std::size_t> profiled(workload.contexts.size(), 0), moved(workload.questions.size(), 0);
  std::vector<WorkloadQuestion> kept;
  for (std::size_t i = 0; i < workload.questions.size(); ++i) {
    moved[i] = kept.size();
    WorkloadQuestion& question = workload.questions[i];
    if (question.split == QuestionSplit::profile && ++profiled[question.context] > most) continue;
    kept.push_back(std::move(question));
  }
  workload.questions = std::move(kept);
  for (ScheduledRequest& request : workload.schedule)
    if (request.question) request.question = moved[*request.question];
}

}  // namespace kvantage::inline workload
