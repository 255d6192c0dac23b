#include "ui/live/requests/events_dock.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/charts/model_table.h"
#include "ui/live/contexts/hovered_context.h"
#include "ui/widgets/chosen_rows.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

class EventFilter : public ChosenRows {
 public:
  explicit EventFilter(QObject* parent) : ChosenRows(EventsModel::context_role, parent) {}
  void set_filter(const QString& text, bool faults_only) {
    text_ = text;
    faults_only_ = faults_only;
    invalidateFilter();
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    const QModelIndex at = sourceModel()->index(row, EventsModel::text, parent);
    if (faults_only_ && at.data(EventsModel::severity_role).toInt() == static_cast<int>(EventsModel::Severity::plain))
      return false;
    return text_.isEmpty() || at.data().toString().contains(text_, Qt::CaseInsensitive) ||
           at.siblingAtColumn(EventsModel::kind).data().toString().contains(text_, Qt::CaseInsensitive);
  }

 private:
  QString text_;
  bool faults_only_ = false;
};

namespace {

/// Warnings and errors in their color, the kind muted.
class EventDelegate : public QStyledItemDelegate {
 public:
  EventDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const auto severity = static_cast<EventsModel::Severity>(index.data(EventsModel::severity_role).toInt());
    const QColor color = severity == EventsModel::Severity::error     ? theme_.error
                         : severity == EventsModel::Severity::warning ? theme_.warning
                         : index.column() == EventsModel::text        ? theme_.text
                                                                      : theme_.muted;
    option->palette.setColor(QPalette::Text, color);
  }

 private:
  const Theme& theme_;
};

}  // namespace

EventsDock::EventsDock(EventsModel& model, Selection& selection, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      filter_(new EventFilter(this)),
      table_(new QTableView),
      theme_(theme_of(ThemeKind::light)) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  auto* text = new QLineEdit;
  text->setPlaceholderText(tr("Filter by event or text"));
  text->setClearButtonEnabled(true);
  text->setAccessibleName(tr("Filter events"));
  text->setToolTip(tr("Show only events that contain this text"));
  auto* faults = new QCheckBox(tr("Faults only"));
  faults->setToolTip(tr("Show only warnings, errors and failed reads or placements"));
  row->addWidget(text, 1);
  row->addWidget(faults);
  column->addLayout(row);
  filter_->setSourceModel(&model);
  delegate_ = new EventDelegate(theme_, this);
  table_->setModel(filter_);
  table_->setItemDelegate(delegate_);
  table_->setAccessibleName(tr("Events"));
  table_->setToolTip(
      tr("What the engine did and why, newest last. Time in s since the start of the session or of the recorded run."));
  show_as_rows(*table_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);  // several rows to copy
  column->addWidget(table_, 1);
  new EmptyNote(*table_, [&model] {
    return model.rowCount() == 0 ? tr("No events yet. Once you press Start, they tell what the engine does and why.")
                                 : tr("No event matches the filter. Clear the filter or uncheck Faults only.");
  });
  install_chart_menu(*table_, {table_, tr("Events"), [this] { return table_of(*filter_); }});
  const auto apply = [filter = filter_, text, faults] { filter->set_filter(text->text(), faults->isChecked()); };
  connect(text, &QLineEdit::textChanged, this, apply);
  connect(faults, &QCheckBox::toggled, this, apply);
  auto* follow = new LazyRefresh(
      *this,
      [this] {
        const QModelIndex current = table_->currentIndex();
        if (!current.isValid()) table_->scrollToBottom();  // until somebody chooses a line to read
      },
      120);
  connect(&model, &QAbstractItemModel::rowsInserted, this, [follow] { follow->invalidate(); });
  // A line about a context selects it; other lines keep the selection.
  const auto choose = [this](const QModelIndex& at) {
    if (const QString context = at.data(EventsModel::context_role).toString(); !context.isEmpty())
      selection_.choose_context(context);
  };
  connect(table_, &QTableView::clicked, this, choose);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this, choose](const QModelIndex& now) {
            if (now.isValid() && table_->hasFocus()) choose(now);
          });
  connect(&selection_, &Selection::contextChanged, this, &EventsDock::show_selection);
  connect(&selection_, &Selection::contextsChanged, this, &EventsDock::show_selection);
  tell_hovered_context(*table_, EventsModel::context_role, selection_);
}

void EventsDock::show_selection() {
  QColor ground = theme_.accent;
  ground.setAlphaF(0.16f);
  filter_->set_chosen(selection_.context(), selection_.chosen_contexts(), ground);
}

void EventsDock::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (fitted_) return;
  fitted_ = true;
  fit_columns(*table_, {"99999.9 s", "placement.committed"});
}

void EventsDock::set_theme(const Theme& theme) {
  theme_ = theme;
  show_selection();
  table_->viewport()->update();
}

}  // namespace kvantage
