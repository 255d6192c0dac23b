#include "ui/models/frontier_model.h"

#include <algorithm>
#include <cmath>

#include "core/policy/policy.h"
#include "ui/models/words.h"

namespace kvantage {
namespace {

/// What decides placements or service times; arrival rate, limits and thresholds do not start a new point.
bool same_point(const SessionSettings& a, const SessionSettings& b) {
  return a.policy == b.policy && a.alpha == b.alpha && a.tiers == b.tiers && a.methods == b.methods &&
         a.removed_fractions == b.removed_fractions && a.quality_metric == b.quality_metric;
}

QString settings_line(const SessionSettings& settings) {
  QStringList parts;
  for (const TierSetting& tier : settings.tiers) {
    QString part = to_q(tier.name) + " " + bytes_text(static_cast<double>(tier.budget_bytes));
    if (tier.shaped_bytes_per_second > 0) part += " shaped to " + rate_text(tier.shaped_bytes_per_second);
    parts << part;
  }
  return parts.join(", ");
}

FrontierMean between(const FrontierMean& a, const FrontierMean& b, double t) {
  // TTFT is drawn on a log axis: interpolating its logarithm keeps the marker on the drawn line.
  const double ttft = a.ttft_seconds > 0 && b.ttft_seconds > 0
                          ? std::exp(std::log(a.ttft_seconds) * (1 - t) + std::log(b.ttft_seconds) * t)
                          : a.ttft_seconds * (1 - t) + b.ttft_seconds * t;
  return {a.quality * (1 - t) + b.quality * t, ttft};
}

}  // namespace

FrontierModel::FrontierModel(QObject* parent) : QObject(parent) {
  // Variants of one policy lie close together, and the optimum takes its time: they are shown when asked for.
  for (const std::string& policy : known_policies())
    if (policy.starts_with("evicpress(") || policy.starts_with("adaptcache(") || policy == "optimal" || policy == "lfu" ||
        policy == "s3fifo" || policy == "gdsf")
      hidden_.insert(to_q(policy));
}

void FrontierModel::clear_measured() {
  const bool had = !epochs_.empty();
  const SessionSettings last = had ? epochs_.back().settings : SessionSettings{};
  epochs_.clear();
  if (had) epochs_.push_back({last, false, {}});
  emit measuredChanged();
}

void FrontierModel::set_committed(const SessionSettings& settings) {
  if (!epochs_.empty() && same_point(epochs_.back().settings, settings)) return;
  // A setting that served nothing leaves no trace.
  if (!epochs_.empty() && epochs_.back().by_family.empty()) epochs_.pop_back();
  epochs_.push_back({settings, false, {}});
  emit measuredChanged();
}

void FrontierModel::set_present(const QString& policy, double alpha) {
  if (policy == present_policy_ && alpha == present_alpha_) return;
  present_policy_ = policy;
  present_alpha_ = alpha;
  emit presentChanged();
}

void FrontierModel::set_prediction(const FrontierPrediction& prediction) {
  if (prediction.family != family_) return;
  curves_ = prediction.curves;
  if (prediction.modelled_known) modelled_ = prediction.modelled;
  if (prediction.modelled_known) gap_ = prediction.gap;
  emit curvesChanged();
  emit presentChanged();
}

void FrontierModel::add_request(const RequestRecord& record) {
  if (record.cancelled || epochs_.empty()) return;
  // Nobody can hold what was never asked for: predictions are of the steady state, and so is what they are held against.
  if (record.miss_reason == first_contact) return;
  // A request that began before a change finishes after it and belongs to the older point.
  auto epoch = std::find_if(epochs_.rbegin(), epochs_.rend(), [&](const Epoch& candidate) {
    return (record.policy.empty() || candidate.settings.policy == record.policy) &&
           candidate.settings.alpha == record.alpha;
  });
  if (epoch == epochs_.rend()) epoch = epochs_.rbegin();
  const auto quality = record.quality.find(epoch->settings.quality_metric);
  epoch->shaped = epoch->shaped || record.provenance == Provenance::shaped;
  for (const QString& family : {QString(), to_q(record.family)}) {
    Means& means = epoch->by_family[family];
    if (quality != record.quality.end()) means.quality.add(quality->second, record.context_id);
    means.ttft.add(record.timing.ttft_service_seconds, record.context_id);
    if (family.isEmpty() && record.family.empty()) break;
  }
  emit measuredChanged();
}

void FrontierModel::set_families(const std::vector<QString>& families) {
  if (families == families_) return;
  families_ = families;
  emit familiesChanged();
}

void FrontierModel::set_family(const QString& family) {
  if (family == family_) return;
  family_ = family;
  curves_.clear();  // of other contexts; the planner answers anew
  modelled_.clear();
  emit familyChanged();
  emit curvesChanged();
  emit presentChanged();
  emit measuredChanged();
}

void FrontierModel::set_hidden(const QString& policy, bool hidden) {
  if (hidden ? !hidden_.insert(policy).second : hidden_.erase(policy) == 0) return;
  emit hiddenChanged();
  emit curvesChanged();
}

std::optional<double> FrontierModel::present_gap() const {
  if (!gap_ || gap_->policy != present_policy_ || gap_->alpha != present_alpha_ || !family_.isEmpty()) return std::nullopt;
  return gap_->share;
}

std::optional<FrontierMean> FrontierModel::present() const {
  for (const FrontierCurve& curve : curves_) {
    if (curve.policy != present_policy_ || curve.samples.empty()) continue;
    const auto& samples = curve.samples;
    if (present_alpha_ <= samples.front().alpha) return samples.front().mean;
    if (present_alpha_ >= samples.back().alpha) return samples.back().mean;
    const auto above = std::lower_bound(samples.begin(), samples.end(), present_alpha_,
                                        [](const FrontierSample& s, double alpha) { return s.alpha < alpha; });
    const auto below = std::prev(above);
    const double t = below->alpha > 0 ? std::log(present_alpha_ / below->alpha) / std::log(above->alpha / below->alpha)
                                      : (present_alpha_ - below->alpha) / (above->alpha - below->alpha);
    return between(below->mean, above->mean, t);
  }
  for (const ModelledPoint& point : modelled_)
    if (point.policy == present_policy_ && !point.shadow) return point.mean;
  return std::nullopt;
}

std::vector<MeasuredPoint> FrontierModel::measured() const {
  std::vector<MeasuredPoint> points;
  for (std::size_t i = 0; i < epochs_.size(); ++i) {
    const auto means = epochs_[i].by_family.find(family_);
    if (means == epochs_[i].by_family.end() || means->second.quality.n() == 0) continue;
    MeasuredPoint point;
    point.epoch = static_cast<int>(i);
    point.policy = to_q(epochs_[i].settings.policy);
    point.settings = settings_line(epochs_[i].settings);
    point.alpha = epochs_[i].settings.alpha;
    point.knows_alpha = std::any_of(curves_.begin(), curves_.end(),
                                    [&](const FrontierCurve& curve) { return curve.policy == point.policy; });
    point.shaped = epochs_[i].shaped;
    point.current = i + 1 == epochs_.size();
    point.quality = means->second.quality.measured();
    point.ttft = means->second.ttft.measured();
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace kvantage
