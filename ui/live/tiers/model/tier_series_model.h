// Occupancy of every tier over time, by method, against its budget; moves as marks; load bandwidth achieved beside the
// fitted one. Thinned to a few hundred samples however long the run is.
#pragma once

#include <QObject>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/ports/session.h"

namespace kvantage {

class TierSeriesModel : public QObject {
  Q_OBJECT
 public:
  struct Sample {
    double seconds = 0;  // since the run started
    std::uint64_t used_bytes = 0, budget_bytes = 0;
    std::map<std::string, std::uint64_t> bytes_by_method;
  };
  struct Mark {
    double seconds = 0;
    ActionKind kind = ActionKind::store;
    QString text;
    QString context = {};
  };
  struct Tier {
    std::string name;
    std::vector<Sample> samples;
    std::vector<Mark> marks;
    TierModel fitted;
    int fit_samples = 0;
    bool throttled = false;
    bool faulty = false;                   // faults are injected
    double achieved_bytes_per_second = 0;  // over the last loads; 0 = nothing loaded yet
    double fitted_bytes_per_second = 0;    // what the fit says for the same loads, latency included
    int achieved_loads = 0;
    struct Load {
      double bytes = 0, seconds = 0;
    };
    std::deque<Load> loads;
  };

  struct Content {
    std::vector<Tier> tiers;
    double last_seconds = 0;
  };

  static constexpr std::size_t sample_limit = 600, mark_limit = 400, load_window = 20;

  explicit TierSeriesModel(QObject* parent = nullptr);
  void clear();
  void swap_content(TierSeriesModel& other);
  Content content() const { return {tiers_, last_seconds_}; }
  /// Settings stay: which tiers have faults injected follows from them.
  void set_content(const Content& content);
  void set_tiers(const std::vector<TierState>& tiers);
  /// Into whose files faults are injected.
  void set_settings(const std::vector<TierConfig>& settings);
  void tier_occupancy(double seconds, const events::TierOccupancy& event);
  void placement_committed(double seconds, const events::PlacementCommitted& event);
  void tier_fitted(const events::TierFitted& event);
  void request_finished(const RequestRecord& record);

  const std::vector<Tier>& tiers() const { return tiers_; }
  const Tier* find(const std::string& name) const;
  double last_seconds() const { return last_seconds_; }

 signals:
  void changed();

 private:
  void mark_faulty();
  Tier* mutable_find(const std::string& name);
  std::vector<Tier> tiers_;
  std::vector<TierConfig> settings_;
  double last_seconds_ = 0;
};

/// " (throttled, faults injected)", whichever of them a tier is.
QString purpose_text(const TierSeriesModel::Tier& tier);
/// "store", "demote", ... in words for a tooltip.
QString action_text(ActionKind kind);

}  // namespace kvantage
