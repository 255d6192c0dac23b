// Decode-time eviction: method, budget, cadence, compaction. A change gives the whole setting as text.
#pragma once

#include <QComboBox>
#include <QSpinBox>
#include <QWidget>
#include <optional>
#include <string>

#include "core/ports/decode_eviction.h"

namespace kvantage {

class DecodeControls : public QWidget {
  Q_OBJECT
 public:
  explicit DecodeControls(QWidget* parent = nullptr);
  /// setting: valid, as in SessionSettings::decode_eviction.
  void show_setting(const std::string& setting);
  QComboBox& method() { return *method_; }
  QDoubleSpinBox& budget() { return *budget_; }

 signals:
  /// The setting in canonical text, and the control that made it, as a word for merging steps of undo.
  void chosen(const std::string& setting, const QString& control);

 private:
  void add_rows();
  void connect_controls();
  void choose_method(const QString& name);
  void change(const QString& control);
  void enable();

  QComboBox* method_;
  QDoubleSpinBox* budget_;
  QComboBox* unit_;
  QSpinBox* cadence_;
  QComboBox* table_;
  QComboBox* compaction_;
  QSpinBox* compact_every_;
  std::optional<DecodeEvictionSetting> shown_;  // nothing: none
  bool showing_ = false;
};

/// "paged_eviction, budget 25 % of the prompt"; "off".
QString decode_eviction_text(const std::string& setting);

}  // namespace kvantage
