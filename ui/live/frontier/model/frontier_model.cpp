#include "ui/live/frontier/model/frontier_model.h"

#include <algorithm>
#include <cmath>

#include "core/policy/policy_info.h"
#include "ui/live/frontier/model/point_settings_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

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
  if (segments_.begin_run()) emit measuredChanged();
}

void FrontierModel::forget_measured() {
  segments_.clear();
  emit measuredChanged();
}

void FrontierModel::swap_content(FrontierModel& other) {
  std::swap(segments_, other.segments_);
  std::swap(curves_, other.curves_);
  std::swap(ahead_, other.ahead_);
  std::swap(simulated_, other.simulated_);
  std::swap(gap_, other.gap_);
  std::swap(levels_, other.levels_);
  emit curvesChanged();
  emit measuredChanged();
  emit presentChanged();
}

void FrontierModel::set_measurements(const Measurements& measurements) {
  segments_ = measurements;
  emit measuredChanged();
}

void FrontierModel::set_committed(const SessionSettings& settings) {
  if (segments_.set_committed(settings)) emit measuredChanged();
}

void FrontierModel::set_split(const SegmentSplit& split) {
  if (split == split_) return;
  split_ = split;
  emit splitChanged();
  emit measuredChanged();
}

void FrontierModel::set_present(const QString& policy, double alpha) {
  if (policy == present_policy_ && alpha == present_alpha_) return;
  present_policy_ = policy;
  present_alpha_ = alpha;
  emit presentChanged();
}

void FrontierModel::set_present(const SessionSettings& shown) {
  present_settings_ = point_settings_text(shown);
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
  if (segments_.add(record)) emit measuredChanged();
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

std::vector<MeasuredPoint> FrontierModel::points(const RunSegments::IntervalOf& interval) const {
  std::vector<MeasuredPoint> points = segments_.points({family_, split_}, interval);
  for (MeasuredPoint& point : points)
    point.uses_alpha =
        std::ranges::any_of(curves_, [&](const FrontierCurve& curve) { return curve.policy == point.policy; });
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
    std::weak_ptr<const RunSegments::Means> means;
    std::vector<GroupSum> quality, ttft;
  };
  std::vector<Drawn> behind;
  for (const auto& means : segments_.means({family_, split_}))
    if (means->quality.drawn() != means->quality.n() || means->ttft.drawn() != means->ttft.n())
      behind.push_back({means, means->quality.sums(), means->ttft.sums()});
  if (behind.empty()) return;
  if (!drawer_) drawer_ = std::make_unique<LatestJob>();
  drawing_ = true;
  drawer_->start([this, behind = std::move(behind)](const LatestJob::GivenUp& given_up) {
    std::vector<std::pair<GrowingMean::Reach, GrowingMean::Reach>> reaches;
    for (const Drawn& drawn : behind) {
      if (given_up()) return;
      reaches.emplace_back(GrowingMean::reach_of(drawn.quality), GrowingMean::reach_of(drawn.ttft));
    }
    std::vector<std::weak_ptr<const RunSegments::Means>> owners;
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
