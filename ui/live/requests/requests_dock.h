// Live log of requests with everything about the selected one.
#pragma once

#include <QBoxLayout>
#include <QCheckBox>
#include <QLineEdit>
#include <QTableView>
#include <QTextBrowser>
#include <QWidget>

#include "ui/live/requests/model/requests_model.h"
#include "ui/live/requests/timing_bar_delegate.h"
#include "ui/session/selection.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

class RequestFilter;

class RequestsDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  RequestsDock(RequestsModel& model, Selection& selection, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  QTableView& table() { return *table_; }
  QString detail_text() const { return detail_->toPlainText(); }
  /// Marks its row, if the filter shows it, and brings it into view.
  void select_request(std::uint64_t request);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  bool fitted_ = false, sharing_ = false;
  int question_ = 0, question_min_ = 0;  // widths of the column of questions: as it was given, as it was fitted
  QLayout* make_filter_row();
  void place_legend();
  QWidget* make_table_and_detail();
  void connect_signals();
  void share_room();
  void show_columns_of(int row);
  void show_detail();
  void show_selection();
  void show_brushed();
  void tell_selection(const QModelIndex& at);
  const RequestsModel::Row* current() const;
  RequestsModel& model_;
  Selection& selection_;
  Theme theme_;
  RequestFilter* proxy_;
  QTableView* table_;
  TimingBarDelegate* bars_;
  QTextBrowser* detail_;
  QLineEdit* filter_;
  QCheckBox *follow_, *brushed_only_;
  LegendStrip* legend_;
  QBoxLayout *head_, *filter_row_;  // with the legend, and without
  LazyRefresh *lazy_detail_, *lazy_scroll_;
};

}  // namespace kvantage
