// How many tokens each request of a pass drafts (speculation). A draft costs its row of the pass, and gains a token if
// it is accepted. By measured times of passes and shares of accepted drafts, one more is drafted as long as that is
// expected to raise the tokens per second; so nothing is drafted where verifying does not pay off.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ports/speculation.h"
#include "core/request/decode_stage.h"

namespace kvantage::inline scheduler {

class SpeculationPace {
 public:
  /// Forgets what was measured if the setting is another one.
  void use(const SpeculationSetting& setting);
  const SpeculationSetting& setting() const { return setting_; }

  /// Of each request, by what it can draft.
  std::vector<int> choose(std::span<const DraftOffer> offers);
  /// After a whole pass of so many requests, and so many drafts of them together.
  void note_pass(std::size_t requests, int drafts, double seconds);
  /// What became of an offer; also teaches where nothing of it was drafted.
  void note_outcome(const DraftOutcome& outcome);

  /// Expected share of accepted drafts after a match of so many tokens; one half before any was seen.
  double acceptance(int matched) const;
  /// Seconds that a draft adds to a pass; below 0: not known yet.
  double row_seconds() const { return row_.count > 0 ? row_.mean : -1; }

 private:
  /// A mean of the latest values: each new one has a weight of at least 1/8.
  struct Recent {
    int count = 0;
    double mean = 0;
    void add(double value);
  };
  /// Counts that fade, so that the latest few hundred drafts decide.
  struct Share {
    double hits = 0, all = 0;
    void add(bool hit);
  };
  std::vector<int> best_drafts(std::span<const DraftOffer> offers, double pass_seconds, int at_least) const;

  SpeculationSetting setting_;
  std::array<Recent, 65> plain_ = {};  // seconds of a pass without drafts, by its requests; the last: of more
  Recent row_;
  std::array<Share, NgramLookup::longest_counted + 1> shares_ = {};  // by matched tokens
  int passed_over_ = 0;                                              // passes since the last draft, with offers
  int drafted_ = 0;                                                  // passes since the last one without a draft
  int trial_after_ = 0;                                              // 0: the first interval
};

}  // namespace kvantage::inline scheduler
