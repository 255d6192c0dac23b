#include "ui/live/frontier/model/frontier_model.h"

#include <algorithm>
#include <cmath>

#include "core/policy/policy_info.h"
#include "core/ports/decode_eviction.h"
#include "ui/live/controls/model/fault_presets.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// What decides placements or service times; arrival rate and thresholds do not start a new point.
bool same_point(const SessionSettings& a, const SessionSettings& b) {
  return a.policy == b.policy && a.alpha == b.alpha && a.tiers == b.tiers && a.methods == b.methods &&
         a.removed_fractions == b.removed_fractions && a.quality_metric == b.quality_metric &&
         a.max_batch == b.max_batch && a.decode_eviction == b.decode_eviction && a.decode_options == b.decode_options;
}

/// The decode-time eviction that a request was served under.
std::string eviction_setting_of(const DecodingRecord& decoding) {
  if (decoding.choice) return std::string(planned_decode_eviction);
  return decoding.eviction.empty() ? "none" : decoding.eviction;
}

QString settings_lines(const SessionSettings& settings) {
  QStringList tiers, methods, fractions;
  for (const TierConfig& tier : settings.tiers) {
    QString part = QStringLiteral("%1 %2").arg(to_q(tier.name), budget_text(tier.budget));
    if (tier.throttle.bytes_per_second > 0)
      part = FrontierModel::tr("%1 throttled to %2").arg(part, rate_text(tier.throttle.bytes_per_second));
    if (tier.throttle.latency_seconds > 0)
      part = QStringLiteral("%1 + %2").arg(part, seconds_text(tier.throttle.latency_seconds));
    if (!tier.faults.empty()) part = QStringLiteral("%1, %2").arg(part, faults_text(tier.faults));
    tiers << part;
  }
  for (const std::string& method : settings.methods) methods << to_q(method);
  for (const double fraction : settings.removed_fractions) fractions << percent_text(fraction);
  QStringList lines;
  if (!tiers.isEmpty()) lines << FrontierModel::tr("budgets: %1").arg(tiers.join(", "));
  lines << (methods.isEmpty() ? FrontierModel::tr("methods: all profiled ones")
                              : FrontierModel::tr("methods: %1").arg(methods.join(", ")));
  if (!fractions.isEmpty()) lines << FrontierModel::tr("removed: %1").arg(fractions.join(", "));
  lines << FrontierModel::tr("max concurrency: %1").arg(settings.max_batch);
  if (settings.decode_eviction != "none")
    lines << FrontierModel::tr("decode eviction: %1").arg(to_q(settings.decode_eviction));
  return lines.join('\n');
}

FrontierMean between(const FrontierMean& a, const FrontierMean& b, double t) {
  // TTFT is drawn on a log axis: interpolating its logarithm keeps the marker on the drawn line.
  const double ttft = a.ttft_seconds > 0 && b.ttft_seconds > 0
                          ? std::exp(std::log(a.ttft_seconds) * (1 - t) + std::log(b.ttft_seconds) * t)
                          : a.ttft_seconds * (1 - t) + b.ttft_seconds * t;
  return {a.quality * (1 - t) + b.quality * t, ttft};
}

/// On the line that joins the samples (at least one), by log alpha; beyond them the nearest.
FrontierMean mean_at(const std::vector<FrontierSample>& samples, double alpha) {
  if (alpha <= samples.front().alpha) return samples.front().mean;
  if (alpha >= samples.back().alpha) return samples.back().mean;
  const auto above = std::ranges::lower_bound(samples, alpha, {}, &FrontierSample::alpha);
  const auto below = std::prev(above);
  const double t = below->alpha > 0 ? std::log(alpha / below->alpha) / std::log(above->alpha / below->alpha)
                                    : (alpha - below->alpha) / (above->alpha - below->alpha);
  return between(below->mean, above->mean, t);
}

}  // namespace

FrontierModel::FrontierModel(QObject* parent) : QObject(parent) {
  // Variants of one policy are close together, and the optimum is slow: they are shown on request.
  for (const PolicyInfo& info : policy_infos())
    for (const OfferedPolicy& offered : info.offers)
      if (!offered.is_shown) hidden_.insert(to_q(offered.text));
  draw_soon_.setSingleShot(true);
  connect(&draw_soon_, &QTimer::timeout, this, &FrontierModel::draw_intervals);
}

void FrontierModel::begin_run() {
  if (epochs_.empty() || epochs_.back().by_family.empty()) return;
  epochs_.push_back({epochs_.back().settings, {}, false, {}});
  if (epochs_.size() > max_points)
    epochs_.erase(epochs_.begin(), epochs_.end() - static_cast<std::ptrdiff_t>(max_points));
  emit measuredChanged();
}

void FrontierModel::forget_measured() {
  epochs_.clear();
  emit measuredChanged();
}

void FrontierModel::swap_content(FrontierModel& other) {
  std::swap(epochs_, other.epochs_);
  std::swap(curves_, other.curves_);
  std::swap(ahead_, other.ahead_);
  std::swap(simulated_, other.simulated_);
  std::swap(gap_, other.gap_);
  std::swap(levels_, other.levels_);
  std::swap(run_, other.run_);
  emit curvesChanged();
  emit measuredChanged();
  emit presentChanged();
}

FrontierModel::Measurements FrontierModel::measurements() const {
  Measurements copy{epochs_, run_};
  for (Epoch& epoch : copy.epochs)
    for (auto& [family, means] : epoch.by_family) means = std::make_shared<Means>(*means);
  return copy;
}

void FrontierModel::set_measurements(const Measurements& measurements) {
  epochs_ = measurements.epochs;
  for (Epoch& epoch : epochs_)
    for (auto& [family, means] : epoch.by_family) means = std::make_shared<Means>(*means);
  run_ = measurements.run;
  emit measuredChanged();
}

void FrontierModel::set_committed(const SessionSettings& settings) {
  if (!epochs_.empty() && same_point(epochs_.back().settings, settings)) return;
  // A setting that served nothing leaves no trace.
  if (!epochs_.empty() && epochs_.back().by_family.empty()) epochs_.pop_back();
  epochs_.push_back({settings, {}, false, {}});
  emit measuredChanged();
}

void FrontierModel::set_present(const QString& policy, double alpha) {
  if (policy == present_policy_ && alpha == present_alpha_) return;
  present_policy_ = policy;
  present_alpha_ = alpha;
  emit presentChanged();
}

void FrontierModel::set_present(const SessionSettings& shown) {
  present_settings_ = settings_lines(shown);
  set_present(to_q(shown.policy), shown.alpha);
}

void FrontierModel::set_second_alpha(std::optional<double> alpha) {
  if (alpha == second_alpha_) return;
  second_alpha_ = alpha;
  emit presentChanged();
}

void FrontierModel::set_chosen(const QString& context, std::optional<FrontierMean> mean) {
  const bool same_mean =
      mean.has_value() == chosen_mean_.has_value() &&
      (!mean || (mean->quality == chosen_mean_->quality && mean->ttft_seconds == chosen_mean_->ttft_seconds));
  if (context == chosen_context_ && same_mean) return;
  chosen_context_ = context;
  chosen_mean_ = mean;
  emit presentChanged();
}

void FrontierModel::set_prediction(const FrontierPrediction& prediction) {
  if (prediction.family != family_) return;
  if (!prediction.ahead.samples.empty()) {
    if (ahead_.job <= prediction.ahead.job) ahead_ = prediction.ahead;
    emit presentChanged();
    return;
  }
  if (prediction.ahead_point) {
    const auto known = std::ranges::find_if(simulated_, [&](const SimulatedPoint& point) {
      return !point.what_if && point.policy == prediction.ahead_point->policy;
    });
    if (known != simulated_.end())
      *known = *prediction.ahead_point;
    else
      simulated_.push_back(*prediction.ahead_point);
    emit curvesChanged();
    emit presentChanged();
    return;
  }
  if (prediction.policies)
    std::erase_if(curves_, [&](const auto& curve) {
      return std::ranges::find(*prediction.policies, curve.policy) == prediction.policies->end();
    });
  for (const FrontierCurve& curve : prediction.curves) {
    if (ahead_.policy == curve.policy && ahead_.job <= curve.job) ahead_ = {};
    const auto known = std::ranges::find(curves_, curve.policy, &FrontierCurve::policy);
    if (known == curves_.end())
      curves_.push_back(curve);
    else if (known->job <= curve.job)
      *known = curve;
  }
  if (prediction.simulated_known) simulated_ = prediction.simulated;
  if (prediction.simulated_known) gap_ = prediction.gap;
  if (prediction.simulated_known) levels_ = prediction.levels;
  emit curvesChanged();
  emit presentChanged();
}

void FrontierModel::add_request(const RequestRecord& record) {
  if (record.cancelled || epochs_.empty()) return;
  // No policy can store what was never requested. Predictions are of the steady state, and so are the measured points.
  if (record.miss_reason == compulsory_miss) return;
  // A request that began before a change finishes after it and belongs to the older point.
  auto epoch = std::find_if(epochs_.rbegin(), epochs_.rend(), [&](const Epoch& candidate) {
    return (record.policy.empty() || candidate.settings.policy == record.policy) &&
           candidate.settings.alpha == record.alpha &&
           candidate.settings.decode_eviction == eviction_setting_of(record.decoding);
  });
  if (epoch == epochs_.rend()) epoch = epochs_.rbegin();
  const auto quality = record.quality.find(epoch->settings.quality_metric);
  if (epoch->run.isEmpty()) epoch->run = run_;
  epoch->throttled = epoch->throttled || record.provenance == Provenance::throttled;
  epoch->simulated = epoch->simulated || record.provenance == Provenance::simulated;
  for (const QString& family : {QString(), to_q(record.family)}) {
    std::shared_ptr<Means>& known = epoch->by_family[family];
    if (!known) known = std::make_shared<Means>();
    Means& means = *known;
    if (quality != record.quality.end()) means.quality.add(quality->second, record.context_id);
    means.ttft.add(record.timing.ttft_service_seconds, record.context_id);
    if (record.predicted_quality >= 0 && record.predicted_ttft_seconds >= 0) {
      means.predicted_quality += record.predicted_quality;
      means.predicted_ttft_seconds += record.predicted_ttft_seconds;
      ++means.predicted;
    }
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
  curves_.clear();  // of other contexts; the planner computes new ones
  ahead_ = {};
  simulated_.clear();
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
  if (!gap_ || gap_->policy != present_policy_ || gap_->alpha != present_alpha_ || !family_.isEmpty())
    return std::nullopt;
  return gap_->share;
}

std::optional<FrontierMean> FrontierModel::on_curve(double alpha) const {
  const auto holds = [&](const FrontierCurve& curve) {
    return curve.policy == present_policy_ && !curve.samples.empty();
  };
  if (holds(ahead_) && alpha >= ahead_.samples.front().alpha && alpha <= ahead_.samples.back().alpha)
    return mean_at(ahead_.samples, alpha);
  const auto curve = std::ranges::find_if(curves_, holds);
  return curve == curves_.end() ? std::nullopt : std::optional(mean_at(curve->samples, alpha));
}

std::optional<FrontierMean> FrontierModel::second() const {
  return second_alpha_ ? on_curve(*second_alpha_) : std::nullopt;
}

std::optional<FrontierMean> FrontierModel::present() const {
  if (const auto mean = on_curve(present_alpha_)) return mean;
  for (const SimulatedPoint& point : simulated_)
    if (point.policy == present_policy_ && !point.what_if) return point.mean;
  return std::nullopt;
}

template <class Interval>
std::vector<MeasuredPoint> FrontierModel::points(Interval interval) const {
  std::vector<MeasuredPoint> points;
  for (std::size_t i = 0; i < epochs_.size(); ++i) {
    const auto found = epochs_[i].by_family.find(family_);
    if (found == epochs_[i].by_family.end() || found->second->quality.n() == 0) continue;
    const Means& means = *found->second;
    MeasuredPoint point;
    point.epoch = static_cast<int>(i);
    point.policy = to_q(epochs_[i].settings.policy);
    point.settings = settings_lines(epochs_[i].settings);
    point.run = epochs_[i].run;
    if (means.predicted > 0) {
      const double n = static_cast<double>(means.predicted);
      point.predicted = FrontierMean{means.predicted_quality / n, means.predicted_ttft_seconds / n};
    }
    point.alpha = epochs_[i].settings.alpha;
    point.uses_alpha = std::any_of(curves_.begin(), curves_.end(),
                                   [&](const FrontierCurve& curve) { return curve.policy == point.policy; });
    point.throttled = epochs_[i].throttled;
    point.simulated = epochs_[i].simulated;
    point.current = i + 1 == epochs_.size();
    point.quality = interval(means.quality);
    point.ttft = interval(means.ttft);
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<MeasuredPoint> FrontierModel::measured() const {
  return points([](const GrowingMean& mean) { return mean.measured(); });
}

std::vector<MeasuredPoint> FrontierModel::measured_so_far() {
  bool behind = false, never = false;
  std::vector<MeasuredPoint> all = points([&](const GrowingMean& mean) {
    behind = behind || mean.drawn() != mean.n();
    never = never || mean.drawn() == 0;
    return mean.so_far();
  });
  if (behind && !draw_soon_.isActive() && !drawing_) draw_soon_.start(never ? 0 : interval_pause_ms);
  return all;
}

void FrontierModel::draw_intervals() {
  struct Drawn {
    std::weak_ptr<Means> means;
    std::vector<GroupSum> quality, ttft;
  };
  std::vector<Drawn> behind;
  for (const Epoch& epoch : epochs_)
    if (const auto found = epoch.by_family.find(family_); found != epoch.by_family.end()) {
      const Means& means = *found->second;
      if (means.quality.drawn() != means.quality.n() || means.ttft.drawn() != means.ttft.n())
        behind.push_back({found->second, means.quality.sums(), means.ttft.sums()});
    }
  if (behind.empty()) return;
  if (!drawer_) drawer_ = std::make_unique<LatestJob>();
  drawing_ = true;
  drawer_->start([this, behind = std::move(behind)](const LatestJob::GivenUp& given_up) {
    std::vector<std::pair<GrowingMean::Reach, GrowingMean::Reach>> reaches;
    for (const Drawn& drawn : behind) {
      if (given_up()) return;
      reaches.emplace_back(GrowingMean::reach_of(drawn.quality), GrowingMean::reach_of(drawn.ttft));
    }
    std::vector<std::weak_ptr<Means>> owners;
    for (const Drawn& drawn : behind) owners.push_back(drawn.means);
    QMetaObject::invokeMethod(
        this,
        [this, owners, reaches] {
          drawing_ = false;
          for (std::size_t i = 0; i < owners.size(); ++i)
            if (const auto means = owners[i].lock()) {
              means->quality.take(reaches[i].first);
              means->ttft.take(reaches[i].second);
            }
          emit measuredChanged();
        },
        Qt::QueuedConnection);
  });
}

}  // namespace kvantage
