// Page of the Tiers dock: what each tier counted, misses and refused writes by reason.
#pragma once

#include <QLabel>
#include <QTableView>
#include <QWidget>

#include "ui/charts/chart_table.h"
#include "ui/live/tiers/model/tier_counters_table.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class TierCountersPage : public QWidget {
  Q_OBJECT
 public:
  explicit TierCountersPage(TierReportsModel& model, QWidget* parent = nullptr);
  TierCountersTable& rows() { return *rows_; }
  ChartTable table() const;
  void flush() { lazy_->flush(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  TierCountersTable* rows_;
  QTableView* view_;
  QLabel* empty_;
  LazyRefresh* lazy_;
  bool fitted_ = false;
};

}  // namespace kvantage
