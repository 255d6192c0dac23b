// What the engine did and why, filterable.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>
#include <QWidget>

#include "ui/live/requests/model/events_model.h"
#include "ui/look/theme.h"
#include "ui/session/selection.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class EventFilter;

class EventsDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  EventsDock(EventsModel& model, Selection& selection, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  QTableView& table() { return *table_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void show_selection();
  bool fitted_ = false;
  Selection& selection_;
  EventFilter* filter_;
  QTableView* table_;
  QStyledItemDelegate* delegate_;
  Theme theme_;
};

}  // namespace kvantage
