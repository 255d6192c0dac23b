#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "core/base/form_text.h"
#include "core/policy/adaptcache.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

/// Methods that differ only in bits or parameters are one kind: "kivi" for kivi8, kivi4 and kivi2.
std::string kind_of_method(const std::string& method) {
  if (method == "none") return {};
  std::string kind(FormText::name_of(method));
  const auto last = kind.find_last_not_of("0123456789");
  return last == std::string::npos ? kind : kind.substr(0, last + 1);
}

}  // namespace

AdaptCacheForms::AdaptCacheForms(const Snapshot& snapshot, const AdaptCacheOptions& options)
    : problem(snapshot), forms(snapshot.contexts.size()) {
  for (std::size_t i = 0; i < forms.size(); ++i) {
    read(snapshot, i, options.pool == AdaptCacheOptions::Pool::paper);
    whole.push_back(form_of(i, {0, "none", 0}));
    present.push_back(form_of(i, snapshot.contexts[i].placement));
  }
  if (options.quality == AdaptCacheOptions::Quality::dataset) take_dataset_quality(snapshot);
}

void AdaptCacheForms::read(const Snapshot& snapshot, std::size_t index, bool paper_pool) {
  const PlanningItem& item = problem.items()[index];
  prefill_quality.push_back(item.prefill_quality);
  for (std::uint32_t o = item.first; o < item.first + item.count; ++o) {
    const Configuration made = problem.configuration(index, o, 0);
    const std::string kind = kind_of_method(made.method);
    Form form{o, problem.bytes(o), problem.quality(o), made.method, made.removed_fraction, kind_of(kind)};
    const bool outside = paper_pool && !kind.empty() && kind != "kivi" && kind != "streaming_llm";
    const Configuration& now = snapshot.contexts[index].placement;
    const bool is_now =
        now.stored() && now.method == form.method && same_fraction(now.removed_fraction, form.removed_fraction);
    if (!outside || is_now) forms[index].push_back(std::move(form));
  }
}

std::uint32_t AdaptCacheForms::kind_of(const std::string& name) {
  const auto known = static_cast<std::size_t>(std::find(kinds_.begin(), kinds_.end(), name) - kinds_.begin());
  if (known == kinds_.size()) kinds_.push_back(name);
  return static_cast<std::uint32_t>(known);
}

std::size_t AdaptCacheForms::form_of(std::size_t index, const Configuration& configuration) const {
  for (std::size_t f = 0; f < forms[index].size(); ++f)
    if (forms[index][f].method == configuration.method &&
        same_fraction(forms[index][f].removed_fraction, configuration.removed_fraction))
      return f;
  return no_form;
}

void AdaptCacheForms::take_dataset_quality(const Snapshot& snapshot) {
  struct Mean {
    double sum = 0;
    std::size_t n = 0;
  };
  std::map<std::tuple<std::string, std::string, std::int64_t>, Mean> means;
  const auto of = [&](std::size_t i, const std::string& method, double fraction) -> Mean& {
    return means[{snapshot.contexts[i].family, method, static_cast<std::int64_t>(std::llround(fraction * 1e9))}];
  };
  std::map<std::string_view, std::size_t> estimated;  // contexts by family; the snapshot's are ascending by key
  for (std::size_t i = 0; i < snapshot.contexts.size(); ++i) {
    if (!snapshot.contexts[i].profile || ++estimated[snapshot.contexts[i].family] > estimator_contexts) continue;
    for (const ProfilePoint& point : snapshot.contexts[i].profile->points) {
      Mean& mean = of(i, point.method, point.removed_fraction);
      const double quality = point.estimate(snapshot.read_by(QualityReading::raw));
      mean.sum += std::isfinite(quality) ? quality : 0;
      ++mean.n;
    }
  }
  // All contexts of a family have these means, those without a profile as well.
  for (std::size_t i = 0; i < forms.size(); ++i) {
    for (Form& form : forms[i])
      if (const Mean& mean = of(i, form.method, form.removed_fraction); mean.n > 0)
        form.quality = mean.sum / static_cast<double>(mean.n);
    if (const Mean& mean = of(i, "none", 0); mean.n > 0) prefill_quality[i] = mean.sum / static_cast<double>(mean.n);
  }
}

}  // namespace kvantage::inline policy
