#include "ui/live/contexts/model/sensitivity_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/policy/utility.h"
#include "ui/text/words.h"

namespace kvantage {

std::optional<double> relative_drop(const ContextState& context, const std::string& method, double removed_fraction) {
  const ProfilePoint* base = find_point(context, "none", 0);
  const ProfilePoint* point = find_point(context, method, removed_fraction);
  if (!base || !point || base->quality <= 0) return std::nullopt;
  return 1 - point->quality / base->quality;
}

SensitivityModel::SensitivityModel(QObject* parent) : QObject(parent) {}

// Frequencies change with every request; only profiles and placements show here, and only profiles name methods.
void SensitivityModel::set_snapshot(const std::shared_ptr<const Snapshot>& snapshot) {
  if (!snapshot || snapshot == snapshot_) return;
  const std::shared_ptr<const Snapshot> before = std::exchange(snapshot_, snapshot);
  const auto same = [&](auto member) {
    return before && std::ranges::equal(before->contexts, snapshot->contexts, {}, member, member);
  };
  const bool same_profiles = same(&ContextState::profile);
  if (!same_profiles) {
    take_profiles();
    behind_ = find_behind();
  }
  if (same_profiles && same(&ContextState::placement)) return;
  if (!chosen_by_user_) follow_placements();
  if (context_.isEmpty() && !snapshot->contexts.empty()) {
    // The most frequent context is what a user most likely looks for first.
    const auto busiest = std::max_element(snapshot->contexts.begin(), snapshot->contexts.end(),
                                          [](const auto& a, const auto& b) { return a.frequency < b.frequency; });
    context_ = to_q(busiest->id);
    emit contextChanged(context_);
  }
  emit changed();
}

void SensitivityModel::take_profiles() {
  std::set<std::string> methods;
  std::set<double> fractions;
  profiled_ = without_base_ = 0;
  QStringList contexts;
  for (const ContextState& context : snapshot_->contexts) {
    contexts << to_q(context.id);
    if (!context.profile || context.profile->empty()) continue;
    ++profiled_;
    const ProfilePoint* base = find_point(context, "none", 0);
    if (!base || base->quality <= 0) ++without_base_;
    for (const ProfilePoint& point : context.profile->points) {
      if (point.removed_fraction <= 0) continue;
      methods.insert(point.method);
      fractions.insert(point.removed_fraction);
    }
  }
  contexts.sort();
  if (contexts != contexts_) contexts_ = std::move(contexts);
  methods_.clear();
  for (const std::string& method : methods) methods_.push_back(to_q(method));
  fractions_.assign(fractions.begin(), fractions.end());
  if (!chosen_by_user_ || std::find(methods_.begin(), methods_.end(), method_) == methods_.end()) {
    if (!methods_.empty()) method_ = methods.contains("keydiff") ? QStringLiteral("keydiff") : methods_.front();
    if (!fractions_.empty()) fraction_ = fractions_.back();
  }
}

void SensitivityModel::set_candidates(const std::vector<std::string>& methods) {
  if (methods == candidates_) return;
  candidates_ = methods;
  const std::optional<Behind> before = std::exchange(behind_, find_behind());
  if (behind_ != before) emit changed();
}

std::optional<SensitivityModel::Behind> SensitivityModel::find_behind() const {
  std::optional<Behind> least;
  if (!snapshot_) return least;
  for (const std::string& method : candidates_) {
    const auto has_it = [&](const ContextState& context) {
      return context.profile &&
             std::ranges::find(context.profile->points, method, &ProfilePoint::method) != context.profile->points.end();
    };
    const auto count = static_cast<int>(std::ranges::count_if(snapshot_->contexts, has_it));
    if (count < profiled_ && (!least || count < least->contexts)) least = Behind{to_q(method), count};
  }
  return least;
}

// The method of most placements: the heat map outlines them. It stays as long as there is one of it.
void SensitivityModel::follow_placements() {
  std::map<std::string, int> placed;
  for (const ContextState& context : snapshot_->contexts)
    if (context.placement.stored() && context.placement.removed_fraction > 0) ++placed[context.placement.method];
  if (placed.empty() || placed.contains(from_q(method_))) return;
  const auto most = std::ranges::max_element(placed, {}, [](const auto& one) { return one.second; });
  if (std::ranges::find(methods_, to_q(most->first)) != methods_.end()) method_ = to_q(most->first);
}

void SensitivityModel::set_selection(const QString& method, double removed_fraction) {
  if (method == method_ && removed_fraction == fraction_) return;
  method_ = method;
  fraction_ = removed_fraction;
  chosen_by_user_ = true;
  emit changed();
}

void SensitivityModel::set_context(const QString& context_id) {
  if (context_id.isEmpty() || (marked_ && context_id == context_)) return;
  const bool other = context_id != context_;
  context_ = context_id;
  marked_ = true;
  if (other) emit contextChanged(context_id);
  emit changed();
}

void SensitivityModel::unmark() {
  if (!marked_) return;
  marked_ = false;
  emit changed();
}

std::vector<SensitivityModel::FamilyDistribution> SensitivityModel::distributions() const {
  std::map<QString, std::vector<std::pair<double, QString>>> drops;
  if (snapshot_)
    for (const ContextState& context : snapshot_->contexts)
      if (const auto drop = relative_drop(context, from_q(method_), fraction_))
        drops[to_q(context.family)].emplace_back(*drop, to_q(context.id));
  std::vector<FamilyDistribution> all;
  for (auto& [family, known] : drops) {
    std::sort(known.begin(), known.end());
    FamilyDistribution distribution;
    std::vector<double> values;
    for (const auto& [drop, context] : known) {
      values.push_back(drop);
      distribution.names << context;
    }
    distribution.family = family;
    distribution.contexts = static_cast<int>(values.size());
    const double n = static_cast<double>(values.size());
    distribution.cdf.emplace_back(values.front(), 0.0);
    double mean = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      distribution.cdf.emplace_back(values[i], static_cast<double>(i) / n);
      distribution.cdf.emplace_back(values[i], static_cast<double>(i + 1) / n);
      mean += values[i] / n;
    }
    double variance = 0;
    for (double value : values) variance += (value - mean) * (value - mean) / std::max(1.0, n - 1);
    distribution.median =
        values.size() % 2 ? values[values.size() / 2] : (values[values.size() / 2 - 1] + values[values.size() / 2]) / 2;
    distribution.coefficient_of_variation = mean != 0 ? std::sqrt(variance) / std::abs(mean) : 0;
    all.push_back(std::move(distribution));
  }
  return all;
}

const ContextState* SensitivityModel::find_context() const {
  if (!snapshot_) return nullptr;
  const std::string id = from_q(context_);
  for (const ContextState& context : snapshot_->contexts)
    if (context.id == id) return &context;
  return nullptr;
}

std::optional<Configuration> SensitivityModel::choice() const {
  const ContextState* context = find_context();
  if (!context || !context->placement.stored()) return std::nullopt;
  return context->placement;
}

SensitivityModel::Baselines SensitivityModel::baselines() const {
  Baselines result;
  const ContextState* context = find_context();
  if (!context || !context->profile) return result;
  if (const ProfilePoint* base = find_point(*context, "none", 0); base && base->n > 0)
    result.uncompressed = ProfileChance{base->quality, base->quality_low, base->quality_high, base->n};
  if (context->profile->chance.n > 0) result.chance = context->profile->chance;
  return result;
}

std::vector<SensitivityModel::MethodCurve> SensitivityModel::curves() const {
  std::vector<MethodCurve> all;
  const ContextState* context = find_context();
  if (!context || !context->profile) return all;
  const ProfilePoint* base = find_point(*context, "none", 0);
  const Configuration& placed = context->placement;
  const auto make = [&](const ProfilePoint& point) {
    CurvePoint made;
    made.removed_fraction = point.removed_fraction;
    made.kept_bytes = static_cast<double>(point.bytes);
    made.quality = point.quality;
    made.low = point.quality_low;
    made.high = point.quality_high;
    made.n = point.n;
    made.pooled = point.pooled();
    made.chosen = placed.stored() && std::abs(placed.removed_fraction - point.removed_fraction) < 1e-6 &&
                  (point.removed_fraction <= 0 || placed.method == point.method);
    return made;
  };
  for (const QString& method : methods_) {
    MethodCurve curve;
    curve.method = method;
    if (base) curve.points.push_back(make(*base));
    for (const ProfilePoint& point : context->profile->points)
      if (point.removed_fraction > 0 && to_q(point.method) == method) curve.points.push_back(make(point));
    if (curve.points.size() < (base ? 2u : 1u)) continue;
    std::sort(curve.points.begin(), curve.points.end(),
              [](const CurvePoint& a, const CurvePoint& b) { return a.removed_fraction < b.removed_fraction; });
    all.push_back(std::move(curve));
  }
  return all;
}

std::vector<SensitivityModel::HeatRow> SensitivityModel::heat_rows() const {
  std::vector<HeatRow> rows;
  if (!snapshot_) return rows;
  const std::string method = from_q(method_);
  for (const ContextState& context : snapshot_->contexts) {
    if (!context.profile || context.profile->empty()) continue;
    HeatRow row{to_q(context.id), to_q(context.family), {}, std::nullopt, -1};
    for (double fraction : fractions_) row.drops.push_back(relative_drop(context, method, fraction));
    row.at_selected = relative_drop(context, method, fraction_);
    if (context.placement.stored() && context.placement.removed_fraction > 0 && context.placement.method == method)
      row.chosen_fraction = context.placement.removed_fraction;
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const HeatRow& a, const HeatRow& b) {
    return a.at_selected.value_or(-1e9) > b.at_selected.value_or(-1e9);
  });
  return rows;
}

}  // namespace kvantage
