#include "ui/widgets/fit_columns.h"

#include <QEvent>
#include <QHeaderView>
#include <QTimer>
#include <algorithm>

namespace kvantage {

namespace {

// Fits again when the text size changes: the old widths would cut titles.
class Refit : public QObject {
 public:
  Refit(QTableView& table, QStringList typical) : QObject(&table), table_(table), typical_(std::move(typical)) {
    setObjectName(name);
    table.installEventFilter(this);
  }
  static constexpr const char* name = "refitColumns";

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::FontChange && !due_) {
      due_ = true;
      QTimer::singleShot(0, this, [this] {  // when its header has the font as well
        due_ = false;
        fit_columns(table_, typical_);
      });
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  QTableView& table_;
  QStringList typical_;
  bool due_ = false;
};

}  // namespace

void fit_columns(QTableView& table, const QStringList& typical) {
  if (!table.findChild<QObject*>(Refit::name, Qt::FindDirectChildrenOnly)) new Refit(table, typical);
  table.ensurePolished();
  table.horizontalHeader()->ensurePolished();
  for (int column = 0; column < typical.size() && column < table.model()->columnCount(); ++column)
    table.setColumnWidth(column, std::max(table.fontMetrics().horizontalAdvance(typical[column]) + 18,
                                          table.horizontalHeader()->sectionSizeHint(column) + 8));
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 7);
}

}  // namespace kvantage
