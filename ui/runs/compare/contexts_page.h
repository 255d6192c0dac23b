// The contexts of two compared runs by a metric that is chosen here or in the forest plot.
#pragma once

#include <QComboBox>
#include <QWidget>

#include "ui/runs/compare/context_scatter.h"

namespace kvantage {

class ContextsPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// Both models outlive this.
  ContextsPage(RunComparisonModel& source, ForestModel& forest, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override { scatter_->set_theme(theme); }
  ContextScatter& scatter() { return *scatter_; }
  QComboBox& metric() { return *metric_; }
  /// As core names it. False, and nothing happens: it has no values by context.
  bool show_metric(const QString& name);

 private:
  void fill();

  RunComparisonModel& source_;
  QComboBox* metric_;
  ContextScatter* scatter_;
};

}  // namespace kvantage
