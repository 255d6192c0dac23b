// What the engine did and why, filterable.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>
#include <QWidget>

#include "ui/models/events_model.h"
#include "ui/theme.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class EventsDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit EventsDock(EventsModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  bool fitted_ = false;
  QTableView* table_;
  QStyledItemDelegate* delegate_;
  Theme theme_;
};

}  // namespace kvantage
