// Everything a user can move while requests run. Moving shows predictions, releasing commits: one undo step each.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <map>
#include <vector>

#include "ui/live/controls/arrival_controls.h"
#include "ui/live/controls/candidate_controls.h"
#include "ui/live/controls/decode_controls.h"
#include "ui/live/controls/formula_controls.h"
#include "ui/live/controls/offload_controls.h"
#include "ui/live/controls/profiling_controls.h"
#include "ui/live/controls/regime_controls.h"
#include "ui/live/controls/serving_controls.h"
#include "ui/live/controls/tier_controls.h"
#include "ui/live/frontier/model/tier_prices.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class ControlsDock : public QScrollArea, public Themed {
  Q_OBJECT
 public:
  /// methods: what may be added to the candidates.
  ControlsDock(RunModel& run, SettingsController& settings, MethodOffer methods, QWidget* parent = nullptr);
  QComboBox& policy() { return *policy_; }
  FormulaControls& formula() { return *formula_; }
  LogSlider& alpha() { return *alpha_; }
  TierControls* tier(const std::string& name);
  RegimeControls& regime() { return *regime_; }
  DecodeControls& decoding() { return *decoding_; }
  OffloadControls& offload() { return *offload_; }
  /// A method that became known, such as that of a file: among the candidates that may be added and, if it may evict
  /// while decoding, there.
  void offer_method(const QString& text, const QString& summary);
  /// A field for the price of each tier; `prices` outlives the dock's last event.
  void set_prices(TierPrices& prices);
  void set_theme(const Theme& theme) override { formula_->set_theme(theme); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void add_policy(QVBoxLayout& column);
  void add_alpha(QVBoxLayout& column);
  void add_candidates(QVBoxLayout& column);
  void add_decoding(QVBoxLayout& column);
  void connect_policy_and_alpha();
  void connect_models();
  void show_settings(const SessionSettings& settings);
  void show_policy(const QString& policy);
  void show_snapshot();
  void show_alpha_note(const SessionSettings& settings);
  void make_tiers(const SessionSettings& settings);
  void show_candidates(const SessionSettings& settings);
  void commit_candidates();

  RunModel& run_;
  SettingsController& settings_;
  QComboBox* policy_;
  FormulaControls* formula_;
  LogSlider* alpha_;
  QLabel* alpha_note_;
  QWidget* tiers_;
  RegimeControls* regime_;
  std::map<std::string, TierControls*> tier_controls_;
  TierPrices* prices_ = nullptr;
  CandidateControls* candidates_;
  ArrivalControls* arrivals_;
  ServingControls* serving_;
  ProfilingControls* profiling_;
  DecodeControls* decoding_;
  OffloadControls* offload_;
  LazyRefresh* lazy_;
};

}  // namespace kvantage
