#include "core/scheduler/speculation_pace.h"

#include <algorithm>
#include <numeric>

namespace kvantage::inline scheduler {
namespace {

constexpr int learning_passes = 2;                    // with all drafts, before the cost of one is known
constexpr int trial_drafts = 3;                       // where drafting does not pay off, now and then
constexpr int first_trial = 32, latest_trial = 1024;  // passes until such a trial; doubled after each
constexpr int refresh_after = 64;                     // passes with drafts until one without: its cost changes, too

}  // namespace

void SpeculationPace::Recent::add(double value) {
  constexpr int latest = 8;
  count = std::min(count + 1, latest);
  mean += (value - mean) / count;
}

void SpeculationPace::Share::add(bool hit) {
  constexpr double fading = 0.99;
  hits = hits * fading + (hit ? 1 : 0);
  all = all * fading + 1;
}

void SpeculationPace::use(const SpeculationSetting& setting) {
  if (setting == setting_) return;
  *this = SpeculationPace();
  setting_ = setting;
}

double SpeculationPace::acceptance(int matched) const {
  const Share& share = shares_[static_cast<std::size_t>(std::clamp(matched, 0, NgramLookup::longest_counted))];
  return (share.hits + 1) / (share.all + 2);
}

std::vector<int> SpeculationPace::choose(std::span<const DraftOffer> offers) {
  std::vector<int> all(offers.size());
  std::ranges::transform(offers, all.begin(), &DraftOffer::tokens);
  const int offered = std::accumulate(all.begin(), all.end(), 0);
  if (setting_.mode != SpeculationMode::automatic || offered == 0) return all;
  const Recent& plain = plain_[std::min(offers.size(), plain_.size() - 1)];
  if (plain.count == 0 || drafted_ >= refresh_after) {
    drafted_ = 0;
    return std::vector<int>(offers.size(), 0);
  }
  if (row_.count < learning_passes) {
    ++drafted_;
    return all;
  }
  const int trial_after = std::max(trial_after_, first_trial);
  const bool trial = passed_over_ >= trial_after;
  std::vector<int> drafts = best_drafts(offers, plain.mean, trial ? trial_drafts : 0);
  if (std::ranges::all_of(drafts, [](int count) { return count == 0; })) {
    ++passed_over_;
    drafted_ = 0;
    return drafts;
  }
  passed_over_ = 0;
  ++drafted_;
  trial_after_ = trial ? std::min(2 * trial_after, latest_trial) : first_trial;
  return drafts;
}

// A request's drafts are worth less one after the other, and each costs the same, so the best one is added while it
// raises the tokens per second.
std::vector<int> SpeculationPace::best_drafts(std::span<const DraftOffer> offers, double pass_seconds,
                                              int at_least) const {
  std::vector<int> drafts(offers.size(), 0);
  std::vector<double> gain(offers.size());
  for (std::size_t i = 0; i < offers.size(); ++i) gain[i] = acceptance(offers[i].matched);
  double tokens = static_cast<double>(offers.size()), seconds = pass_seconds;
  for (int total = 0;; ++total) {
    std::size_t best = offers.size();
    for (std::size_t i = 0; i < offers.size(); ++i)
      if (drafts[i] < offers[i].tokens && (best == offers.size() || gain[i] > gain[best])) best = i;
    if (best == offers.size()) return drafts;
    if (total >= at_least && gain[best] * seconds <= tokens * row_.mean) return drafts;
    ++drafts[best];
    tokens += gain[best];
    seconds += row_.mean;
    gain[best] *= acceptance(offers[best].matched + drafts[best]);
  }
}

void SpeculationPace::note_pass(std::size_t requests, int drafts, double seconds) {
  constexpr int known = 4;  // values that a mean needs before it tells what is an outlier
  constexpr double outlier = 3;
  Recent& plain = plain_[std::min(requests, plain_.size() - 1)];
  if (drafts == 0)
    plain.add(plain.count < known ? seconds : std::min(seconds, outlier * plain.mean));
  else if (plain.count > 0)
    row_.add(std::clamp((seconds - plain.mean) / drafts, 0.0, plain.mean));
}

void SpeculationPace::note_outcome(const DraftOutcome& outcome) {
  if (outcome.matched == 0) return;
  const auto share = [&](int matched) -> Share& {
    return shares_[static_cast<std::size_t>(std::min(matched, NgramLookup::longest_counted))];
  };
  for (int i = 0; i < outcome.agreed; ++i) share(outcome.matched + i).add(true);
  if (outcome.differed) share(outcome.matched + outcome.agreed).add(false);
}

}  // namespace kvantage::inline scheduler
