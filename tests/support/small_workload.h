// A workload in the words of the test model, small enough to be served in seconds.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/workload/workload.h"

namespace kvantage::test {

/// Contexts of `sentences` facts each, in the words of the model's registry family; questions ask for one in
/// `ask_every` of them.
inline Workload small_workload(int contexts, int sentences, std::uint64_t seed, int ask_every = 4) {
  static const std::vector<std::string> first{"Ada",  "Edith", "Helen",  "Ruth", "Vera",
                                              "Iris", "Tom",   "Victor", "Alma", "Leon"};
  static const std::vector<std::string> last{"Holt",  "Moss", "Lane",  "York", "Shaw",
                                             "Drake", "Pike", "Crane", "Cole", "Marsh"};
  Workload workload;
  workload.name = "small";
  workload.license = "CC0-1.0";
  workload.seed = seed;
  workload.arrivals = {.requests_per_second = 0, .zipf_exponent = 0.8, .requests = 20};
  Random random(seed);
  for (int c = 0; c < contexts; ++c) {
    WorkloadContext context{.id = "c" + std::to_string(c), .family = c % 2 == 0 ? "even" : "odd", .text = {}};
    std::set<std::string> told;
    for (int s = 0; s < sentences; ++s) {
      std::string who;
      do
        who = first[random.below(first.size())] + " " + last[random.below(last.size())] + " " +
              std::to_string(random.below(10));
      while (!told.insert(who).second);
      const std::string number = std::to_string(1000 + random.below(9000));
      context.text += (s > 0 ? " The badge of " : "The badge of ") + who + " is " + number + " .";
      if (s % ask_every == 0)
        workload.questions.push_back(
            {.context = static_cast<std::size_t>(c),
             .question = "What is the badge of " + who + " ?",
             .gold = number,
             .split = s % (2 * ask_every) == 0 ? QuestionSplit::profile : QuestionSplit::held_out});
    }
    workload.contexts.push_back(std::move(context));
  }
  return workload;
}

/// One context, and another that begins with it: a session that grew by a turn. The same questions for both.
inline Workload growing_session(int sentences, std::uint64_t seed) {
  Workload workload = small_workload(1, sentences, seed);
  WorkloadContext longer = workload.contexts[0];
  longer.id = "longer";
  longer.text += " The badge of Ada Holt is 4321 .";
  workload.contexts.push_back(longer);
  const std::size_t questions = workload.questions.size();
  for (std::size_t q = 0; q < questions; ++q) {
    WorkloadQuestion question = workload.questions[q];
    question.context = 1;
    workload.questions.push_back(question);
  }
  return workload;
}

}  // namespace kvantage::test
