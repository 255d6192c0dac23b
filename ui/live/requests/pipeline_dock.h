// The pipeline of one request: load, unpack and compute by layer on a time line, up to its first token or to its end.
#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QWidget>

#include "ui/charts/chart_table.h"
#include "ui/live/requests/model/pipeline_model.h"
#include "ui/live/requests/pipeline_view.h"
#include "ui/look/theme.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

class PipelineDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  PipelineDock(RunModel& run, const SpanSource* source, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// Shows what there is now, visible or not.
  void flush() { lazy_->flush(); }

  PipelineModel& model() { return model_; }
  PipelineView& view() { return *view_; }
  LegendStrip& legend() { return *legend_; }
  QString title_text() const { return title_->text(); }
  QString summary_text() const { return summary_->text(); }
  QString empty_text() const { return pages_->currentIndex() == 0 ? empty_->text() : QString(); }
  ChartTable table() const;

 private:
  QWidget* make_page();
  void show_model();

  RunModel& run_;
  PipelineModel model_;
  Theme theme_;
  QStackedWidget* pages_;
  QLabel *empty_, *title_, *summary_, *told_;
  QToolButton *first_token_ = nullptr, *whole_ = nullptr, *latest_ = nullptr;
  PipelineView* view_;
  LegendStrip* legend_;
  LazyRefresh* lazy_ = nullptr;
};

}  // namespace kvantage
