#include "ui/live/tiers/model/tier_series_model.h"

#include <algorithm>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// Drops every other element but the first and the last: resolution halves, the shape stays.
template <class T>
void thin(std::vector<T>& items) {
  std::vector<T> kept;
  kept.reserve(items.size() / 2 + 2);
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i % 2 == 0 || i + 1 == items.size()) kept.push_back(std::move(items[i]));
  items = std::move(kept);
}

}  // namespace

QString action_text(ActionKind kind) { return core_text(std::string_view(to_string(kind))); }

QString purpose_text(const TierSeriesModel::Tier& tier) {
  if (tier.faulty)
    return tier.throttled ? TierSeriesModel::tr("throttled, faults injected") : TierSeriesModel::tr("faults injected");
  return tier.throttled ? TierSeriesModel::tr("throttled") : QString();
}

TierSeriesModel::TierSeriesModel(QObject* parent) : QObject(parent) {}

void TierSeriesModel::clear() {
  for (Tier& tier : tiers_) {
    tier.samples.clear();
    tier.marks.clear();
    tier.loads.clear();
    tier.achieved_loads = 0;
    tier.achieved_bytes_per_second = tier.fitted_bytes_per_second = 0;
  }
  last_seconds_ = 0;
  emit changed();
}

void TierSeriesModel::swap_content(TierSeriesModel& other) {
  std::swap(tiers_, other.tiers_);
  std::swap(settings_, other.settings_);
  std::swap(last_seconds_, other.last_seconds_);
  emit changed();
}

void TierSeriesModel::set_content(const Content& content) {
  tiers_ = content.tiers;
  last_seconds_ = content.last_seconds;
  mark_faulty();
  emit changed();
}

const TierSeriesModel::Tier* TierSeriesModel::find(const std::string& name) const {
  const auto found = std::find_if(tiers_.begin(), tiers_.end(), [&](const Tier& tier) { return tier.name == name; });
  return found == tiers_.end() ? nullptr : &*found;
}

TierSeriesModel::Tier* TierSeriesModel::mutable_find(const std::string& name) {
  return const_cast<Tier*>(std::as_const(*this).find(name));
}

void TierSeriesModel::set_tiers(const std::vector<TierState>& states) {
  std::vector<Tier> ordered;
  for (const TierState& state : states) {
    Tier tier;
    if (Tier* known = mutable_find(state.name)) tier = std::move(*known);
    tier.name = state.name;
    tier.fitted = state.model;
    tier.throttled = state.throttled;
    ordered.push_back(std::move(tier));
  }
  tiers_ = std::move(ordered);
  mark_faulty();
  emit changed();
}

void TierSeriesModel::set_settings(const std::vector<TierConfig>& settings) {
  settings_ = settings;
  mark_faulty();
  emit changed();
}

void TierSeriesModel::mark_faulty() {
  for (const TierConfig& setting : settings_)
    if (Tier* tier = mutable_find(setting.name)) tier->faulty = !setting.faults.empty();
}

void TierSeriesModel::tier_occupancy(double seconds, const events::TierOccupancy& event) {
  Tier* tier = mutable_find(event.tier);
  if (!tier) {
    tiers_.emplace_back();
    tier = &tiers_.back();
    tier->name = event.tier;
  }
  last_seconds_ = std::max(last_seconds_, seconds);
  tier->samples.push_back({seconds, event.used_bytes, event.budget_bytes, event.bytes_by_method});
  if (tier->samples.size() > sample_limit) thin(tier->samples);
  emit changed();
}

void TierSeriesModel::placement_committed(double seconds, const events::PlacementCommitted& event) {
  last_seconds_ = std::max(last_seconds_, seconds);
  const PlacementAction& action = event.action;
  const auto mark_on = [&](int index) {
    if (index < 0 || index >= static_cast<int>(tiers_.size())) return;
    Tier& tier = tiers_[static_cast<std::size_t>(index)];
    tier.marks.push_back({seconds, action.kind,
                          QStringLiteral("%1 %2: %3 → %4")
                              .arg(action_text(action.kind), to_q(event.context_id),
                                   bytes_text(static_cast<double>(action.bytes_before)),
                                   bytes_text(static_cast<double>(action.bytes_after))),
                          to_q(event.context_id)});
    if (tier.marks.size() > mark_limit) thin(tier.marks);
  };
  mark_on(action.from.tier);
  if (action.to.tier != action.from.tier) mark_on(action.to.tier);
  emit changed();
}

void TierSeriesModel::tier_fitted(const events::TierFitted& event) {
  Tier* tier = mutable_find(event.tier);
  if (!tier) return;
  if (event.samples < tier->fit_samples) {  // refitted after a change of its speed: older loads no longer apply
    tier->loads.clear();
    tier->achieved_bytes_per_second = tier->fitted_bytes_per_second = 0;
  }
  tier->fitted = event.model;
  tier->fit_samples = event.samples;
  tier->throttled = event.throttled;
  emit changed();
}

void TierSeriesModel::request_finished(const RequestRecord& record) {
  Tier* tier = mutable_find(record.source);
  if (!tier || record.cancelled || record.bytes_loaded == 0) return;
  const double seconds = record.timing.device_seconds;  // not the wait: part of a load hides behind compute
  if (seconds <= 0) return;
  tier->loads.push_back({static_cast<double>(record.bytes_loaded), seconds});
  if (tier->loads.size() > load_window) tier->loads.pop_front();
  ++tier->achieved_loads;
  double bytes = 0, taken = 0, fitted = 0;
  for (const Tier::Load& load : tier->loads) {
    bytes += load.bytes;
    taken += load.seconds;
    fitted += tier->fitted.seconds(load.bytes, 0);
  }
  tier->achieved_bytes_per_second = bytes / taken;
  tier->fitted_bytes_per_second = fitted > 0 ? bytes / fitted : 0;
  emit changed();
}

}  // namespace kvantage
