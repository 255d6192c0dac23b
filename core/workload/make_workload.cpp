#include "core/workload/make_workload.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/workload/arrivals.h"
#include "core/workload/families/pieces.h"
#include "core/workload/recorded_arrivals.h"

namespace kvantage::inline workload {
namespace {

Status check_options(const MakeWorkloadOptions& options) {
  const auto usage = [](const std::string& message) { return fail(ErrorCode::usage, message); };
  if (options.contexts_per_family == 0) return usage("contexts per family: zero; give at least one");
  if (options.held_out_questions == 0) return usage("held-out questions: zero; requests need at least one");
  if (options.min_tokens < 32 || options.max_tokens < options.min_tokens)
    return usage("context tokens: the range must start at 32 or more and not end before its start; correct it");
  if (!(options.filler_fraction >= 0.0 && options.filler_fraction <= 0.95))
    return usage("filler fraction: must be between 0 and 0.95; correct it");
  if (!(options.distractor_fraction >= 0.0 && options.distractor_fraction <= 0.95))
    return usage("distractor fraction: must be between 0 and 0.95; correct it");
  if (!(options.neighbor_fraction >= 0.0 && options.neighbor_fraction <= 1.0))
    return usage("neighbor fraction: must be between 0 and 1; correct it");
  if (options.answer_tokens < 1 || options.answer_tokens > 10000)
    return usage("answer tokens: must be between 1 and 10000; correct it");
  if (options.arrivals.drift && options.mixes.empty() && options.drifted_questions == 0)
    return usage("drift: needs two kinds of questions; give a mix, like story+registry, or drifted questions");
  if (options.drifted_questions > 0 && !options.arrivals.drift)
    return usage("drifted questions: nothing drifts; leave them out, or give the drift's begin and end");
  return check(options.arrivals);
}

/// One family, or two whose texts are concatenated in one context.
struct Recipe {
  std::string name;
  std::vector<const Family*> parts;
};

Expected<std::vector<Recipe>> recipes_of(const MakeWorkloadOptions& options) {
  std::vector<Recipe> recipes;
  const auto add = [&](const std::string& name, const std::vector<std::string>& parts) -> Status {
    if (std::ranges::find(recipes, name, &Recipe::name) != recipes.end())
      return fail(ErrorCode::usage,
                  "family '" + name + "': is named twice; name it once and raise the contexts per family");
    Recipe recipe{name, {}};
    for (const std::string& part : parts) {
      KV_ASSIGN(const auto family, find_family(part));
      recipe.parts.push_back(family);
    }
    recipes.push_back(std::move(recipe));
    return {};
  };
  for (const std::string& name : options.families) KV_TRY(add(name, {name}));
  for (const std::string& mix : options.mixes) {
    const std::size_t plus = mix.find('+');
    if (plus == std::string::npos || mix.find('+', plus + 1) != std::string::npos)
      return fail(ErrorCode::usage, "mix '" + mix + "': is not two families; write it like story+registry");
    // Two texts of one family could give one key two values.
    if (mix.substr(0, plus) == mix.substr(plus + 1))
      return fail(ErrorCode::usage,
                  "mix '" + mix + "': is one family twice, whose texts could contradict each other; name two");
    KV_TRY(add(mix, {mix.substr(0, plus), mix.substr(plus + 1)}));
  }
  if (recipes.empty())
    for (const Family& family : families()) recipes.push_back({std::string(family.name), {&family}});
  return recipes;
}

struct Part {
  GeneratedContext context;
  std::size_t profile = 0, held_out = 0;  // number of questions, in this order
  int phase = 0;                          // of the held-out ones
  std::size_t drifted = 0;                // behind them, of phase 1: at most so many, as far as the text has them
  std::size_t wanted() const { return profile + held_out; }
};

// The questions required of each part: with drift, profiles know only the first part and requests move on to the
// second.
std::vector<Part> parts_wanted(const Recipe& recipe, const MakeWorkloadOptions& options) {
  const std::size_t profile = options.profile_questions, held_out = options.held_out_questions;
  std::vector<Part> parts(recipe.parts.size());
  if (parts.size() == 1) {
    parts[0].profile = profile;
    parts[0].held_out = held_out;
    if (options.arrivals.drift) parts[0].drifted = options.drifted_questions;
  } else if (options.arrivals.drift) {
    parts[0].profile = profile;
    parts[0].held_out = held_out;
    parts[1].held_out = options.drifted_questions > 0 ? options.drifted_questions : held_out;
    parts[1].phase = 1;
  } else {
    parts[0].profile = (profile + 1) / 2;
    parts[1].profile = profile / 2;
    parts[0].held_out = (held_out + 1) / 2;
    parts[1].held_out = held_out / 2;
  }
  return parts;
}

/// Where the text first mentions what a question is about: the word of the question that it has least often. The end of
/// the text where it has none of them.
std::size_t first_mention(const std::string& text, const std::string& question) {
  constexpr std::size_t shortest_word = 3;
  std::size_t least = 0, place = text.size(), begin = 0;
  while (begin < question.size()) {
    const std::size_t end = std::min(question.find_first_of(" ?.,()[]=:", begin), question.size());
    const std::string word = question.substr(begin, end - begin);
    begin = end + 1;
    if (word.size() < shortest_word) continue;
    const std::size_t first = text.find(word);
    std::size_t count = 0;
    const auto is_rarer = [&] { return least == 0 || count < least; };  // a word that is not is counted no further
    for (std::size_t at = first; at != std::string::npos && is_rarer(); at = text.find(word, at + 1)) ++count;
    if (count == 0 || !is_rarer()) continue;
    least = count;
    place = first;
  }
  return place;
}

/// Adds the questions of phase 1 behind the others: of those that `all` of the text's questions have besides, the ones
/// about its beginning, so that what is asked about moves on. The others are those of a workload without a drift.
void add_drifted(std::vector<GeneratedQuestion> all, Part& part) {
  std::vector<GeneratedQuestion>& questions = part.context.questions;
  std::set<std::string_view> asked;
  for (const GeneratedQuestion& question : questions) asked.insert(question.question);
  std::erase_if(all, [&asked](const GeneratedQuestion& question) { return asked.contains(question.question); });
  part.drifted = std::min(part.drifted, all.size());
  std::vector<std::pair<std::size_t, std::size_t>> mentions;  // and the question's place
  for (std::size_t q = 0; q < all.size(); ++q)
    mentions.emplace_back(first_mention(part.context.text, all[q].question), q);
  std::ranges::sort(mentions);
  questions.reserve(questions.size() + part.drifted);
  for (std::size_t i = 0; i < part.drifted; ++i) questions.push_back(std::move(all[mentions[i].second]));
}

// Long answers need a higher limit than short ones: the gold length plus a quarter as margin.
int longest_answer(const std::string& gold) {
  const std::size_t tokens = count_pieces(gold);
  return tokens > 40 ? static_cast<int>(tokens + tokens / 4) : 0;
}

/// One of `parts` texts of a context, with its questions.
Status generate(const Family& family, const MakeWorkloadOptions& options, std::size_t parts, Random& random,
                Part& part) {
  constexpr int tries = 50;
  FamilyParams params;
  Random before = random;  // the text
  for (int attempt = 0; attempt < tries && part.context.questions.size() < part.wanted(); ++attempt) {
    params.target_tokens = (options.min_tokens + random.below(options.max_tokens - options.min_tokens + 1)) / parts;
    params.filler_fraction = options.filler_fraction;
    params.neighbor_fraction = options.neighbor_fraction;
    params.distractor_fraction = options.distractor_fraction;
    params.answer_tokens = options.answer_tokens;
    params.question_limit = part.wanted();
    params.split = KeySplit::held_out;
    before = random;
    part.context = family.generate(params, random);
  }
  if (part.context.questions.size() < part.wanted())
    return fail(ErrorCode::usage,
                "family '" + part.context.family + "': a context of " + std::to_string(options.max_tokens / parts) +
                    " tokens has only " + std::to_string(part.context.questions.size()) + " of " +
                    std::to_string(part.wanted()) + " questions; ask for fewer or for longer contexts");
  if (part.drifted > 0) {
    params.question_limit = std::numeric_limits<std::size_t>::max();  // the text is the same with any
    add_drifted(family.generate(params, before).questions, part);
  }
  return {};
}

/// Of the context of this index.
void add_questions(Part& part, std::size_t index, std::vector<WorkloadQuestion>& questions) {
  for (std::size_t q = 0; q < part.wanted() + part.drifted; ++q) {
    GeneratedQuestion& made = part.context.questions[q];
    const bool profile = q < part.profile;
    const int phase = profile ? 0 : q < part.wanted() ? part.phase : 1;
    const int longest = longest_answer(made.answer);
    questions.push_back({index,
                         std::move(made.question),
                         std::move(made.answer),
                         profile ? QuestionSplit::profile : QuestionSplit::held_out,
                         {},
                         phase,
                         longest});
  }
}

Status use_recorded_arrivals(const std::string& name, Workload& workload) {
  if (name.empty() || name == "drawn") return {};
  KV_ASSIGN(const auto seconds, recorded_arrivals(name));
  if (workload.arrivals.requests > seconds.size())
    return fail(ErrorCode::usage, "arrivals '" + name + "': " + std::to_string(seconds.size()) +
                                      " arrival times are recorded, not " + std::to_string(workload.arrivals.requests) +
                                      "; make fewer requests per run");
  for (std::size_t i = 0; i < workload.arrivals.requests; ++i)
    workload.schedule.emplace_back().arrival_seconds = seconds[i];
  workload.arrivals.requests_per_second = recorded_rate(workload.schedule);
  return {};
}

}  // namespace

Expected<Workload> make_workload(const MakeWorkloadOptions& options) {
  KV_TRY(check_options(options));
  KV_ASSIGN(const auto recipes, recipes_of(options));

  Workload workload;
  workload.name = options.name;
  workload.description = options.description;
  workload.license = options.license;
  workload.seed = options.seed;
  workload.arrivals = options.arrivals;
  KV_TRY(use_recorded_arrivals(options.recorded_arrivals, workload));
  for (const Recipe& recipe : recipes) {
    // Independent of the other families' numbers: removing one does not change the rest.
    Random random(derive_seed(options.seed, digest_of(recipe.name).low));
    for (std::size_t i = 0; i < options.contexts_per_family; ++i) {
      const std::size_t index = workload.contexts.size();
      WorkloadContext context{recipe.name + "-" + std::to_string(i), recipe.name, {}};
      std::vector<Part> parts = parts_wanted(recipe, options);
      std::vector<WorkloadQuestion> questions;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        KV_TRY(generate(*recipe.parts[p], options, parts.size(), random, parts[p]));
        context.text += (p > 0 ? " " : "") + parts[p].context.text;
        add_questions(parts[p], index, questions);
      }
      workload.contexts.push_back(std::move(context));
      // The two families of a mix may produce the same question; the file format rejects that.
      for (WorkloadQuestion& question : questions) {
        const bool again =
            std::any_of(workload.questions.rbegin(), workload.questions.rend(), [&](const WorkloadQuestion& other) {
              return other.context == question.context && other.question == question.question;
            });
        if (!again) workload.questions.push_back(std::move(question));
      }
    }
  }
  return workload;
}

}  // namespace kvantage::inline workload
