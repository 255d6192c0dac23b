#include "core/workload/workload.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/workload/arrivals.h"

namespace kvantage {

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
  // Behind all the rest and only where there is something: workloads without these keep the digest they always had.
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const WorkloadQuestion& question = questions[q];
    if (question.other_golds.empty() && question.phase == 0) continue;
    builder.add(static_cast<std::uint64_t>(q)).add(static_cast<std::uint64_t>(question.phase));
    builder.add(static_cast<std::uint64_t>(question.other_golds.size()));
    for (const std::string& gold : question.other_golds) builder.add(gold);
  }
  return builder.finish();
}

std::vector<WorkloadRequest> Workload::requests(std::uint64_t limit, std::uint64_t run_seed) const {
  const std::uint64_t count = limit == 0 ? arrivals.requests : limit;
  std::vector<std::vector<std::size_t>> held_out(contexts.size());
  for (std::size_t q = 0; q < questions.size(); ++q)
    if (questions[q].split == QuestionSplit::held_out) held_out[questions[q].context].push_back(q);
  std::vector<std::size_t> ranked;
  for (std::size_t c = 0; c < contexts.size(); ++c)
    if (!held_out[c].empty()) ranked.push_back(c);
  std::vector<WorkloadRequest> requests;
  if (ranked.empty()) return requests;

  // Who is popular belongs to the workload; which request comes when, to the run.
  Random ranking(derive_seed(seed, 1));
  ranking.shuffle(std::span(ranked));
  std::vector<double> cumulative;
  for (std::size_t rank = 0; rank < ranked.size(); ++rank)
    cumulative.push_back((cumulative.empty() ? 0.0 : cumulative.back()) +
                         std::pow(static_cast<double>(rank + 1), -arrivals.zipf_exponent));
  Random choice(derive_seed(seed ^ run_seed, 2));
  std::vector<std::size_t> asked(contexts.size(), 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double at = choice.uniform() * cumulative.back();
    const auto rank = static_cast<std::size_t>(std::ranges::upper_bound(cumulative, at) - cumulative.begin());
    const std::size_t context = ranked[std::min(rank, ranked.size() - 1)];
    // A context's questions in turn, so that none is asked twice before all were asked once.
    const auto& own = held_out[context];
    requests.push_back({.context = context, .question = own[asked[context]++ % own.size()], .arrival_seconds = 0});
  }
  space_requests(requests, arrivals.requests_per_second, seed ^ run_seed);
  return requests;
}

}  // namespace kvantage
