#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>

#include "core/policy/adaptcache.h"
#include "core/policy/plan_words.h"
#include "core/policy/utility.h"

namespace kvantage {

namespace {

constexpr const char* undecided = "?";

/// Methods that differ in bits or parameters alone are one kind: "kivi" for kivi8, kivi4 and kivi2.
std::string kind_of_method(const std::string& method) {
  if (method == "none") return {};
  std::string kind = method.substr(0, method.find('('));
  const auto last = kind.find_last_not_of("0123456789");
  return last == std::string::npos ? kind : kind.substr(0, last + 1);
}

}  // namespace

AdaptCacheGreedy::AdaptCacheGreedy(const Snapshot& snapshot, const AdaptCacheOptions& options, EvictionMemory& memory)
    : snapshot_(snapshot), options_(options), problem_(snapshot), cascade_(snapshot, memory),
      forms_(snapshot.contexts.size()), kinds_(snapshot.contexts.size(), undecided) {
  for (std::size_t i = 0; i < forms_.size(); ++i) read_forms(i);
  if (options.quality == AdaptCacheOptions::Quality::dataset) take_dataset_quality();
}

void AdaptCacheGreedy::read_forms(std::size_t index) {
  const PlanningItem& item = problem_.items()[index];
  prefill_quality_.push_back(item.prefill_quality);
  for (std::uint32_t o = item.first; o < item.first + item.count; ++o) {
    const Configuration made = problem_.configuration(index, o, 0);
    Form form{o, problem_.bytes(o), problem_.quality(o), made.method, made.removed_fraction, kind_of_method(made.method)};
    const bool outside = options_.pool == AdaptCacheOptions::Pool::paper && !form.kind.empty() && form.kind != "kivi" &&
                         form.kind != "streaming_llm";
    const Configuration& now = snapshot_.contexts[index].placement;
    const bool is_now = now.stored() && now.method == form.method && same_fraction(now.removed_fraction, form.removed_fraction);
    if (!outside || is_now) forms_[index].push_back(std::move(form));
  }
}

void AdaptCacheGreedy::take_dataset_quality() {
  struct Mean {
    double sum = 0;
    std::size_t n = 0;
  };
  std::map<std::tuple<std::string, std::string, std::int64_t>, Mean> means;
  const auto of = [&](std::size_t i, const std::string& method, double fraction) -> Mean& {
    return means[{snapshot_.contexts[i].family, method, static_cast<std::int64_t>(fraction * 1e9 + 0.5)}];
  };
  for (std::size_t i = 0; i < snapshot_.contexts.size(); ++i) {
    if (!snapshot_.contexts[i].profile) continue;
    for (const ProfilePoint& point : snapshot_.contexts[i].profile->points) {
      Mean& mean = of(i, point.method, point.removed_fraction);
      mean.sum += std::isfinite(point.quality) ? point.quality : 0;
      ++mean.n;
    }
  }
  // A context without a profile takes the means of its family, too, where there are any.
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    for (Form& form : forms_[i])
      if (const Mean& mean = of(i, form.method, form.removed_fraction); mean.n > 0)
        form.quality = mean.sum / static_cast<double>(mean.n);
    if (const Mean& mean = of(i, "none", 0); mean.n > 0) prefill_quality_[i] = mean.sum / static_cast<double>(mean.n);
  }
}

double AdaptCacheGreedy::utility_of(std::size_t index, const Form& form, std::size_t tier) const {
  const double frequency = problem_.items()[index].frequency, worth = snapshot_.alpha * form.quality;
  const double delay = problem_.ttft_seconds(form.option, tier);
  return options_.utility == AdaptCacheOptions::Utility::printed ? frequency * worth - delay : frequency * (worth - delay);
}

double AdaptCacheGreedy::unstored_utility(std::size_t index) const {
  const PlanningItem& item = problem_.items()[index];
  const double worth = snapshot_.alpha * prefill_quality_[index];
  return options_.utility == AdaptCacheOptions::Utility::printed ? item.frequency * worth - item.prefill_seconds
                                                                 : item.frequency * (worth - item.prefill_seconds);
}

void AdaptCacheGreedy::start_empty() {
  for (std::size_t i = 0; i < snapshot_.contexts.size(); ++i)
    if (snapshot_.contexts[i].archived && !snapshot_.contexts[i].pinned) cascade_.drop(i, "not asked for yet");
}

void AdaptCacheGreedy::assume(std::size_t index, const Configuration& configuration) {
  if (configuration.stored())
    cascade_.put(index, configuration, "as decided before");
  else
    cascade_.drop(index, "as decided before");
}

void AdaptCacheGreedy::arrive(std::size_t index) {
  if (snapshot_.tiers.empty()) return;
  cascade_.put(index, {0, "none", 0}, "just computed: enters uncompressed");
}

void AdaptCacheGreedy::settle() {
  if (snapshot_.tiers.empty()) return;
  shrink_fast_tier();
  cascade_.shrink_to_budgets(1);
}

std::size_t AdaptCacheGreedy::present_form(std::size_t index) const {
  const Configuration& now = cascade_.targets()[index].configuration;
  for (std::size_t f = 0; f < forms_[index].size(); ++f)
    if (forms_[index][f].method == now.method && same_fraction(forms_[index][f].removed_fraction, now.removed_fraction))
      return f;
  return forms_[index].size();
}

/// The kind whose best step from the uncompressed form costs the least per byte.
const std::string& AdaptCacheGreedy::kind_for(std::size_t index) {
  std::string& kind = kinds_[index];
  if (kind != undecided) return kind;
  kind.clear();
  const auto& forms = forms_[index];
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
  const auto& forms = forms_[index];
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

void AdaptCacheGreedy::shrink_fast_tier() {
  struct Entry {
    Step step;
    std::size_t index;
    bool operator>(const Entry& other) const {
      return step.marginal != other.step.marginal ? step.marginal > other.step.marginal : index > other.index;
    }
  };
  if (cascade_.used(0) <= snapshot_.tiers[0].budget_bytes) return;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t i = 0; i < snapshot_.contexts.size(); ++i)
    if (cascade_.targets()[i].configuration.tier == 0 && !snapshot_.contexts[i].pinned) queue.push({cheapest_step(i), i});
  while (cascade_.used(0) > snapshot_.tiers[0].budget_bytes && !queue.empty()) {
    const auto [step, index] = queue.top();
    queue.pop();
    ++steps_;
    std::string reason = snapshot_.tiers[0].name + " full: least drop per byte " + short_number(step.marginal);
    if (!queue.empty())
      reason += "; next: " + snapshot_.contexts[queue.top().index].id + ", " + short_number(queue.top().step.marginal);
    if (step.dropped) {
      cascade_.drop(index, reason + "; prefilling is worth more than the next tier");
    } else {
      const Form& form = forms_[index][step.form];
      if (step.stays)
        cascade_.put(index, {0, form.method, form.removed_fraction}, reason);
      else
        cascade_.insert(index, form.method, form.removed_fraction, reason, 1);
    }
    cascade_.targets()[index].utility_drop = step.drop;
    if (step.stays) queue.push({cheapest_step(index), index});
  }
}

}  // namespace kvantage
