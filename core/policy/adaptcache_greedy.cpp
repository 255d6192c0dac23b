#include <algorithm>
#include <algorithm>
#include <cmath>

#include "core/policy/adaptcache.h"
#include "core/policy/plan_words.h"
#include "core/policy/utility.h"

namespace kvantage {

namespace {

constexpr const char* undecided = "?";

}  // namespace

AdaptCacheGreedy::AdaptCacheGreedy(const Snapshot& snapshot, const AdaptCacheForms& forms, const AdaptCacheOptions& options, double alpha,
                                   EvictionMemory& memory)
    : snapshot_(snapshot), known_(forms), options_(options), alpha_(alpha), cascade_(snapshot, memory),
      kinds_(snapshot.contexts.size(), undecided), cheapest_(kinds_.size()), is_changed_(kinds_.size(), false) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) changed(i);
}

double AdaptCacheGreedy::utility_of(std::size_t index, const Form& form, std::size_t tier) const {
  const double frequency = known_.problem.items()[index].frequency, worth = alpha_ * form.quality;
  const double delay = known_.problem.ttft_seconds(form.option, tier);
  return options_.utility == AdaptCacheOptions::Utility::printed ? frequency * worth - delay : frequency * (worth - delay);
}

double AdaptCacheGreedy::unstored_utility(std::size_t index) const {
  const PlanningItem& item = known_.problem.items()[index];
  const double worth = alpha_ * known_.prefill_quality[index];
  return options_.utility == AdaptCacheOptions::Utility::printed ? item.frequency * worth - item.prefill_seconds
                                                                 : item.frequency * (worth - item.prefill_seconds);
}

void AdaptCacheGreedy::start_empty() {
  for (std::size_t i = 0; i < snapshot_.contexts.size(); ++i)
    if (snapshot_.contexts[i].archived && !snapshot_.contexts[i].pinned) {
      cascade_.drop(i, "not asked for yet");
      changed(i);
    }
}

void AdaptCacheGreedy::assume(std::size_t index, const Configuration& configuration) {
  if (configuration.stored())
    cascade_.put(index, configuration, "as decided before");
  else
    cascade_.drop(index, "as decided before");
  changed(index);
}

void AdaptCacheGreedy::arrive(std::size_t index) {
  if (snapshot_.tiers.empty()) return;
  cascade_.put(index, {0, "none", 0}, "just computed: enters uncompressed");
  changed(index);
}

void AdaptCacheGreedy::settle() {
  if (snapshot_.tiers.empty()) return;
  shrink_fast_tier();
  cascade_.shrink_to_budgets(1);
}

std::size_t AdaptCacheGreedy::present_form(std::size_t index) const {
  const Configuration& now = cascade_.targets()[index].configuration;
  for (std::size_t f = 0; f < known_.forms[index].size(); ++f)
    if (known_.forms[index][f].method == now.method && same_fraction(known_.forms[index][f].removed_fraction, now.removed_fraction))
      return f;
  return known_.forms[index].size();
}

/// The kind whose best step from the uncompressed form costs the least per byte.
const std::string& AdaptCacheGreedy::kind_for(std::size_t index) {
  std::string& kind = kinds_[index];
  if (kind != undecided) return kind;
  kind.clear();
  const auto& forms = known_.forms[index];
  const auto whole = std::find_if(forms.begin(), forms.end(), [](const Form& form) {
    return form.kind.empty() && same_fraction(form.removed_fraction, 0);
  });
  if (whole == forms.end()) return kind;
  double least = 0;
  for (const Form& form : forms) {
    if (form.kind.empty() || form.bytes >= whole->bytes) continue;
    const double marginal = (utility_of(index, *whole, 0) - utility_of(index, form, 0)) /
                            static_cast<double>(whole->bytes - form.bytes);
    if (!kind.empty() && marginal >= least) continue;
    least = marginal;
    kind = form.kind;
  }
  return kind;
}

AdaptCacheGreedy::Step AdaptCacheGreedy::cheapest_step(std::size_t index) {
  const Target& now = cascade_.targets()[index];
  const auto& forms = known_.forms[index];
  const std::size_t at = present_form(index);
  const double bytes = std::max(static_cast<double>(now.bytes), 1.0);
  // In a form that is no candidate any more, it is worth what prefilling is: the first to go.
  const double worth = at < forms.size() ? utility_of(index, forms[at], 0) : unstored_utility(index);
  const std::string& kind = at < forms.size() && !forms[at].kind.empty() ? forms[at].kind : kind_for(index);

  Step step;
  double away = unstored_utility(index);
  step.dropped = true;
  if (snapshot_.tiers.size() > 1)
    for (std::size_t f = 0; f < forms.size(); ++f) {
      if (forms[f].bytes > now.bytes || (!forms[f].kind.empty() && forms[f].kind != kind)) continue;
      const double there = utility_of(index, forms[f], 1);
      if (there <= away) continue;
      away = there;
      step.form = f;
      step.dropped = false;
    }
  step.drop = worth - away;
  step.marginal = step.drop / bytes;
  for (std::size_t f = 0; f < forms.size(); ++f) {
    if (forms[f].bytes >= now.bytes || forms[f].kind != kind) continue;
    const double drop = worth - utility_of(index, forms[f], 0);
    const double marginal = drop / static_cast<double>(now.bytes - forms[f].bytes);
    if (marginal >= step.marginal) continue;
    step = {marginal, drop, f, true, false};
  }
  return step;
}

void AdaptCacheGreedy::changed(std::size_t index) {
  if (is_changed_[index]) return;
  is_changed_[index] = true;
  changed_.push_back(index);
}

void AdaptCacheGreedy::look_at_changed() {
  for (const std::size_t index : changed_) {
    is_changed_[index] = false;
    by_cost_.erase({cheapest_[index].marginal, index});
    if (cascade_.targets()[index].configuration.tier != 0 || snapshot_.contexts[index].pinned) continue;
    cheapest_[index] = cheapest_step(index);
    by_cost_.insert({cheapest_[index].marginal, index});
  }
  changed_.clear();
}

void AdaptCacheGreedy::shrink_fast_tier() {
  while (cascade_.used(0) > snapshot_.tiers[0].budget_bytes) {
    look_at_changed();
    if (by_cost_.empty()) return;
    const std::size_t index = by_cost_.begin()->second;
    const Step step = cheapest_[index];
    ++steps_;
    std::string reason = snapshot_.tiers[0].name + " full: least drop per byte " + short_number(step.marginal);
    if (const auto next = std::next(by_cost_.begin()); next != by_cost_.end())
      reason += "; next: " + snapshot_.contexts[next->second].id + ", " + short_number(next->first);
    if (step.dropped) {
      cascade_.drop(index, reason + "; prefilling is worth more than the next tier");
    } else {
      const Form& form = known_.forms[index][step.form];
      if (step.stays)
        cascade_.put(index, {0, form.method, form.removed_fraction}, reason);
      else
        cascade_.insert(index, form.method, form.removed_fraction, reason, 1);
    }
    cascade_.targets()[index].utility_drop = step.drop;
    changed(index);
  }
}

}  // namespace kvantage
