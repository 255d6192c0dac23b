#include "core/workload/make_workload.h"

#include "core/workload/arrivals.h"

namespace kvantage {
namespace {

Status check(const MakeWorkloadOptions& options) {
  const auto usage = [](const std::string& message) { return fail(ErrorCode::usage, message); };
  if (options.contexts_per_family == 0) return usage("contexts per family: zero; give at least one");
  if (options.held_out_questions == 0) return usage("held-out questions: zero; requests need at least one");
  if (options.least_tokens < 32 || options.most_tokens < options.least_tokens)
    return usage("context tokens: the range must begin at 32 or later and not end before it begins; correct it");
  if (!(options.filler_fraction >= 0.0 && options.filler_fraction <= 0.95))
    return usage("filler fraction: must lie between 0 and 0.95; correct it");
  return check(options.arrivals);
}

}  // namespace

Expected<Workload> make_workload(const MakeWorkloadOptions& options) {
  KV_TRY(check(options));
  std::vector<const Family*> chosen;
  for (const std::string& name : options.families) {
    const auto family = find_family(name);
    if (!family) return tl::unexpected(family.error());
    chosen.push_back(*family);
  }
  if (chosen.empty())
    for (const Family& family : families()) chosen.push_back(&family);

  Workload workload;
  workload.name = options.name;
  workload.licence = options.licence;
  workload.seed = options.seed;
  workload.arrivals = options.arrivals;
  const std::size_t wanted = options.profile_questions + options.held_out_questions;
  for (const Family* family : chosen) {
    // Apart from the other families' numbers: leaving one out does not change the rest.
    Random random(derive_seed(options.seed, digest_of(family->name).low));
    for (std::size_t i = 0; i < options.contexts_per_family; ++i) {
      constexpr int tries = 50;
      GeneratedContext context;
      for (int attempt = 0; attempt < tries && context.questions.size() < wanted; ++attempt) {
        FamilyParams params;
        params.target_tokens = options.least_tokens + random.below(options.most_tokens - options.least_tokens + 1);
        params.filler_fraction = options.filler_fraction;
        params.question_limit = wanted;
        params.split = KeySplit::held_out;
        context = family->generate(params, random);
      }
      if (context.questions.size() < wanted)
        return fail(ErrorCode::usage, "family '" + context.family + "': a context of " +
                                          std::to_string(options.most_tokens) + " tokens has only " +
                                          std::to_string(context.questions.size()) + " of " + std::to_string(wanted) +
                                          " questions; ask for fewer or for longer contexts");
      const std::size_t index = workload.contexts.size();
      workload.contexts.push_back({context.family + "-" + std::to_string(i), context.family, std::move(context.text)});
      for (std::size_t q = 0; q < wanted; ++q)
        workload.questions.push_back(
            {index, std::move(context.questions[q].question), std::move(context.questions[q].answer),
             q < options.profile_questions ? QuestionSplit::profile : QuestionSplit::held_out});
    }
  }
  return workload;
}

}  // namespace kvantage
