// A comparison of two runs in sentences, to be read and copied.
#pragma once

#include <QPlainTextEdit>
#include <QWidget>

#include "ui/runs/compare/model/compare_summary.h"
#include "ui/runs/compare/model/forest_model.h"

namespace kvantage {

class SummaryPage : public QWidget {
  Q_OBJECT
 public:
  /// Both models outlive this.
  SummaryPage(RunComparisonModel& source, ForestModel& forest, QWidget* parent = nullptr);
  const ComparedSummary& summary() const { return summary_; }
  QPlainTextEdit& text() { return *text_; }

 signals:
  void copied();
  void changed();

 private:
  RunComparisonModel& source_;
  ForestModel& forest_;
  ComparedSummary summary_;
  QPlainTextEdit* text_;
};

}  // namespace kvantage
