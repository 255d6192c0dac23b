#include "ui/live/contexts/hovered_context.h"

#include <QEvent>
#include <QTableView>

namespace kvantage {
namespace {

class LeaveWatch : public QObject {
 public:
  LeaveWatch(QTableView& table, Selection& selection) : QObject(&table), selection_(selection) {
    table.viewport()->installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Leave || event->type() == QEvent::Hide) selection_.hover({});
    return QObject::eventFilter(watched, event);
  }

 private:
  Selection& selection_;
};

}  // namespace

void tell_hovered_context(QTableView& table, int role, Selection& selection) {
  table.setMouseTracking(true);
  new LeaveWatch(table, selection);
  QObject::connect(&table, &QTableView::entered, &selection,
                   [&selection, role](const QModelIndex& at) { selection.hover(at.data(role).toString()); });
  QObject::connect(&table, &QTableView::viewportEntered, &selection, [&selection] { selection.hover({}); });
}

}  // namespace kvantage
