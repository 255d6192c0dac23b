// Decode-time eviction: method, budget, cut of the prompt, cadence, compaction, and the options that a plan chooses
// from. A change gives the whole setting as text.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "core/ports/decode_eviction.h"

class QFormLayout;

namespace kvantage {

class DecodeControls : public QWidget {
  Q_OBJECT
 public:
  explicit DecodeControls(QWidget* parent = nullptr);
  /// setting, options: valid, as decode_eviction and decode_options of SessionSettings.
  void show_setting(const std::string& setting, const std::vector<std::string>& options = {});
  /// Adds the methods that are not in the list yet.
  void offer_methods();
  QComboBox& method() { return *method_; }
  QDoubleSpinBox& budget() { return *budget_; }
  QComboBox& cut() { return *cut_; }
  QComboBox& page() { return *page_; }
  QComboBox& evict_when() { return *evict_when_; }
  QDoubleSpinBox& compaction_limit() { return *compact_ms_; }
  QLineEdit& options() { return *options_; }

 signals:
  /// The setting in canonical text, and the control that made it, as a word for merging steps of undo.
  void chosen(const std::string& setting, const QString& control);
  /// As written, not checked.
  void options_chosen(const std::vector<std::string>& options);

 private:
  void add_rows();
  void add_compaction_rows(QFormLayout& layout);
  void connect_controls();
  void choose_method(const QString& name);
  void change(const QString& control);
  void keep(const std::optional<DecodeEvictionSetting>& shown);
  void enable();
  void show_page(std::optional<int> tokens);

  QComboBox* method_;
  QDoubleSpinBox* budget_;
  QComboBox* unit_;
  QComboBox* cut_;
  QSpinBox* cadence_;
  QComboBox* table_;
  QComboBox* page_;
  QComboBox* evict_when_;
  QComboBox* compaction_;
  QSpinBox* compact_every_;
  QDoubleSpinBox* compact_ms_;
  QLineEdit* options_;
  std::optional<DecodeEvictionSetting> shown_;                                        // nothing: none, or planned
  DecodeEvictionSetting kept_{.budget = {.percent = default_decode_budget_percent}};  // the latest that was shown
  QString shown_options_;
  bool showing_ = false;
};

/// "paged_eviction, budget 25 % of the prompt"; "off"; "planned".
QString decode_eviction_text(const std::string& setting);

}  // namespace kvantage
