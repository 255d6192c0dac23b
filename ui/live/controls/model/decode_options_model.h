// The decode options that were profiled on the chosen context: quality, inter-token latency, and which one has the
// highest utility at the alpha that is shown.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/policy/decode_option.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

class DecodeOptionsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { option, quality, latency, answers, column_count };
  enum Role { sort_role = Qt::UserRole + 1, chosen_role };

  DecodeOptionsModel(RunModel& run, SettingsController& settings, QObject* parent = nullptr);
  /// Takes the newest snapshot. Of itself it does so for another context or settings only: whoever shows it asks.
  void read();

  const std::vector<DecodeOption>& options() const { return options_; }
  /// Row of the option with the highest utility; -1: none is measured.
  int chosen() const { return chosen_; }
  /// What the chosen row means under the settings that are shown, or how to get rows.
  QString note() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void changed();

 private:
  RunModel& run_;
  SettingsController& settings_;
  std::vector<DecodeOption> options_;
  int chosen_ = -1;
};

}  // namespace kvantage
