// Synthetic long texts with questions whose answers stand in them. The same generators make what the default
// model is trained on and what the sample workloads ask, so that a loss of quality under compression is a loss of
// reading and nothing else. One family = one file; a family differs from the next in what a key looks like, how
// often a fact is told and how much filler lies between facts, because that is what decides which compression
// hurts. Training and held-out texts share all words and no key: see split.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/workload/families/split.h"

namespace kvantage {

struct GeneratedQuestion {
  std::string question;  // names the key; no text around it
  std::string answer;    // as it stands in the text, without a leading space
};

struct GeneratedContext {
  std::string family;
  std::string text;
  std::vector<GeneratedQuestion> questions;  // distinct, shuffled
};

struct FamilyParams {
  std::size_t target_tokens = 1024;  // the text ends at most two sentences after it reaches this
  double filler_fraction = 0.3;      // share of sentences that state nothing asked for, [0, 1)
  std::size_t question_limit = 16;   // as many as there are facts for, at most this
  KeySplit split = KeySplit::training;
  double name_share = 1.0;           // of the lists of first and last names, from their start: fewer are sooner learned
  double neighbour_fraction = 0.2;   // of keys that share a word with an earlier one, [0, 1]: the more, the harder
  double distractor_fraction = 0.2;  // of news: statements about people nobody asks for, [0, 1)
  std::size_t answer_tokens =
      512;  // of the ledger: an answer has at least so many, or three quarters of the longest chain
};

struct Family {
  std::string_view name;
  std::string_view idea;  // in a sentence, for help texts and reports
  GeneratedContext (*generate)(const FamilyParams&, Random&);
  bool long_answers = false;  // of FamilyParams::answer_tokens rather than a few
};

/// All families, in a fixed order.
std::span<const Family> families();
/// The family of that name, or a usage error that lists the names.
Expected<const Family*> find_family(std::string_view name);

GeneratedContext generate_registry(const FamilyParams& params, Random& random);
GeneratedContext generate_inventory(const FamilyParams& params, Random& random);
GeneratedContext generate_news(const FamilyParams& params, Random& random);
GeneratedContext generate_story(const FamilyParams& params, Random& random);
GeneratedContext generate_meeting(const FamilyParams& params, Random& random);
GeneratedContext generate_config(const FamilyParams& params, Random& random);
GeneratedContext generate_fewshot(const FamilyParams& params, Random& random);
GeneratedContext generate_needle(const FamilyParams& params, Random& random);
GeneratedContext generate_ledger(const FamilyParams& params, Random& random);

}  // namespace kvantage
