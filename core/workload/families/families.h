// Synthetic long texts with questions whose answers occur in them. The default model is trained on the same generators
// that produce the sample workloads, so a quality loss under compression is a loss of retrieval and nothing else. One
// family = one file. Families differ in the form of a key, how often a fact is stated and how much filler separates
// facts, because that determines which compression hurts. Training and held-out texts share all words but no key: see
// split.h. Families without in_training are for measuring on texts that the model was not trained on.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/workload/families/split.h"

namespace kvantage::inline text_families {

struct GeneratedQuestion {
  std::string question;  // contains the key; no surrounding text
  std::string answer;    // as in the text, without a leading space
};

struct GeneratedContext {
  std::string family;
  std::string text;
  std::vector<GeneratedQuestion> questions;  // distinct, shuffled
};

struct FamilyParams {
  std::size_t target_tokens = 1024;  // the text exceeds this by at most two sentences
  double filler_fraction = 0.3;      // share of sentences without facts, [0, 1)
  std::size_t question_limit = 16;   // one per fact, at most this many
  KeySplit split = KeySplit::training;
  double name_share = 1.0;           // share of the lists of first and last names, from their start: fewer are easier
                                     // to learn
  double neighbor_fraction = 0.2;    // of keys that share a word with an earlier one, [0, 1]: more are harder
  double distractor_fraction = 0.2;  // of news: statements about people that no question asks about, [0, 1)
  std::size_t answer_tokens = 512;   // of the ledger: minimum answer length, or three quarters of the longest chain
};

struct Family {
  std::string_view name;
  std::string_view idea;  // one sentence, for help texts and reports
  GeneratedContext (*generate)(const FamilyParams&, Random&);
  bool long_answers = false;  // FamilyParams::answer_tokens rather than a few
  bool in_training = true;    // models are trained on it; false: used only where it is named
};

/// The families that models are trained on, in a fixed order: also those of calibration and of workloads that name
/// none.
std::span<const Family> families();
/// All families, in a fixed order: also those that are used only where they are named.
std::span<const Family> known_families();
/// The known family of that name, or a usage error that lists the names.
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
GeneratedContext generate_code(const FamilyParams& params, Random& random);

}  // namespace kvantage::inline text_families
