#include <algorithm>
#include <optional>

#include "core/policy/adaptcache.h"
#include "core/policy/plan_text.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

constexpr std::uint32_t undecided = static_cast<std::uint32_t>(-1);

}  // namespace

AdaptCacheGreedy::AdaptCacheGreedy(const Snapshot& snapshot, const AdaptCacheForms& forms,
                                   const AdaptCacheOptions& options, double alpha, EvictionMemory& memory,
                                   Reasons reasons)
    : snapshot_(snapshot),
      known_(forms),
      options_(options),
      alpha_(alpha),
      cascade_(snapshot, memory, reasons),
      with_reasons_(reasons == Reasons::told),
      form_(forms.present),
      kinds_(snapshot.contexts.size(), undecided),
      cheapest_(kinds_.size()),
      is_changed_(kinds_.size(), false) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) changed(i);
}

double AdaptCacheGreedy::utility_of(std::size_t index, const Form& form, std::size_t tier) const {
  const double frequency = known_.problem.items()[index].frequency, worth = alpha_ * form.quality;
  const double delay = known_.problem.ttft_seconds(form.option, tier);
  return options_.utility == AdaptCacheOptions::Utility::printed ? frequency * worth - delay
                                                                 : frequency * (worth - delay);
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
      cascade_.drop(i, "not requested yet");
      changed(i);
    }
}

void AdaptCacheGreedy::assume(std::size_t index, const Configuration& configuration) {
  if (configuration.stored())
    cascade_.put(index, configuration, "as decided before");
  else
    cascade_.drop(index, "as decided before");
  form_[index] = known_.form_of(index, configuration);
  changed(index);
}

void AdaptCacheGreedy::arrive(std::size_t index) {
  if (snapshot_.tiers.empty()) return;
  const std::size_t whole = known_.whole[index];
  const Configuration entering{0, "none", 0};
  const std::uint64_t bytes = whole != AdaptCacheForms::no_form
                                  ? known_.forms[index][whole].bytes
                                  : configuration_bytes(snapshot_, snapshot_.contexts[index], entering);
  cascade_.put(index, entering, bytes, with_reasons_ ? "just computed: enters uncompressed" : "");
  form_[index] = whole;
  changed(index);
}

void AdaptCacheGreedy::settle() {
  if (snapshot_.tiers.empty()) return;
  shrink_fast_tier();
  cascade_.shrink_to_budgets(1);
}

/// The kind whose best step from the uncompressed form costs the least per byte.
std::uint32_t AdaptCacheGreedy::kind_for(std::size_t index) {
  std::uint32_t& kind = kinds_[index];
  if (kind != undecided) return kind;
  kind = AdaptCacheForms::uncompressed;
  const auto& forms = known_.forms[index];
  if (known_.whole[index] == AdaptCacheForms::no_form) return kind;
  const Form* whole = &forms[known_.whole[index]];
  double least = 0;
  for (const Form& form : forms) {
    if (form.kind == AdaptCacheForms::uncompressed || form.bytes >= whole->bytes) continue;
    const double marginal =
        (utility_of(index, *whole, 0) - utility_of(index, form, 0)) / static_cast<double>(whole->bytes - form.bytes);
    if (kind != AdaptCacheForms::uncompressed && marginal >= least) continue;
    least = marginal;
    kind = form.kind;
  }
  return kind;
}

AdaptCacheGreedy::Step AdaptCacheGreedy::cheapest_step(std::size_t index) {
  const Target& now = cascade_.targets()[index];
  const auto& forms = known_.forms[index];
  const std::size_t at = form_[index];
  const double bytes = std::max(static_cast<double>(now.bytes), 1.0);
  // A form that is no longer a candidate is worth as much as prefill: first to be evicted.
  const double worth = at < forms.size() ? utility_of(index, forms[at], 0) : unstored_utility(index);
  const std::uint32_t kind =
      at < forms.size() && forms[at].kind != AdaptCacheForms::uncompressed ? forms[at].kind : kind_for(index);

  Step step;
  double away = unstored_utility(index);
  step.dropped = true;
  if (snapshot_.tiers.size() > 1)
    for (std::size_t f = 0; f < forms.size(); ++f) {
      if (forms[f].bytes > now.bytes || (forms[f].kind != AdaptCacheForms::uncompressed && forms[f].kind != kind))
        continue;
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
    auto entry = by_cost_.extract({cheapest_[index].marginal, index});
    if (cascade_.targets()[index].configuration.tier != 0 || snapshot_.contexts[index].pinned) continue;
    cheapest_[index] = cheapest_step(index);
    const std::pair<double, std::size_t> cost{cheapest_[index].marginal, index};
    if (entry.empty()) {
      by_cost_.insert(cost);
    } else {
      entry.value() = cost;
      by_cost_.insert(std::move(entry));
    }
  }
  changed_.clear();
}

/// Reason for the cheapest step.
std::string AdaptCacheGreedy::reason_for_step() const {
  if (!with_reasons_) return {};
  const auto first = by_cost_.begin(), next = std::next(first);
  const Step& step = cheapest_[first->second];
  std::string reason =
      snapshot_.tiers[0].name + " was full: lowest utility drop per byte " + short_number(step.marginal);
  if (next != by_cost_.end())
    reason += "; runner-up: " + snapshot_.contexts[next->second].id + " (" + short_number(next->first) + ")";
  if (step.dropped) reason += "; recomputing beats storing on the next tier";
  return reason;
}

void AdaptCacheGreedy::shrink_fast_tier() {
  while (cascade_.used(0) > snapshot_.tiers[0].budget_bytes) {
    look_at_changed();
    if (by_cost_.empty()) return;
    const std::size_t index = by_cost_.begin()->second;
    const Step step = cheapest_[index];
    ++steps_;
    if (step.dropped) {
      cascade_.drop(index, reason_for_step());
    } else {
      const Form& form = known_.forms[index][step.form];
      if (step.stays)
        cascade_.put(index, {0, form.method, form.removed_fraction}, form.bytes, reason_for_step());
      else
        cascade_.insert(index, {1, form.method, form.removed_fraction}, form.bytes, reason_for_step());
      form_[index] = step.form;
    }
    cascade_.targets()[index].utility_drop = step.drop;
    changed(index);
  }
}

FrontierPoint AdaptCacheGreedy::prediction() const {
  FrontierPoint sum{alpha_};
  double total_frequency = 0, weights = 0;
  for (const ContextState& context : snapshot_.contexts) total_frequency += context.frequency;
  std::optional<double> fallback;
  for (std::size_t i = 0; i < form_.size(); ++i) {
    const ContextState& context = snapshot_.contexts[i];
    const Target& target = cascade_.targets()[i];
    const PlanningItem& item = known_.problem.items()[i];
    const bool stored = target.configuration.stored();
    double quality = item.prefill_quality, seconds = item.prefill_seconds;
    if (stored && form_[i] != AdaptCacheForms::no_form) {
      const std::uint32_t option = known_.forms[i][form_[i]].option;
      quality = known_.problem.quality(option);
      seconds = known_.problem.ttft_seconds(option, static_cast<std::size_t>(target.configuration.tier));
    } else if (stored) {  // left by another policy, in a form that is not a candidate
      if (!fallback) fallback = mean_uncompressed_quality(snapshot_);
      const Prediction predicted = predict(snapshot_, context, target.configuration, *fallback);
      quality = predicted.quality;
      seconds = predicted.ttft_seconds;
    }
    const double weight = total_frequency > 0 ? context.frequency : 1;
    weights += weight;
    sum.mean_quality += weight * quality;
    sum.mean_ttft_seconds += weight * seconds;
    sum.utility += utility(alpha_, quality, seconds, context.frequency);
  }
  if (weights > 0) {
    sum.mean_quality /= weights;
    sum.mean_ttft_seconds /= weights;
  }
  return sum;
}

}  // namespace kvantage::inline policy
