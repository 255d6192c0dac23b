#include "ui/charts/chart_table.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QPointer>
#include <QTableWidget>
#include <QVBoxLayout>

#include "core/base/shown_text.h"
#include "ui/charts/screen_only.h"
#include "ui/files/private_file.h"
#include "ui/text/words.h"
#include "ui/widgets/button_tips.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/save_question.h"

namespace kvantage {
namespace {

void show_table(QWidget* parent, const QString& title, const ChartTable& table) {
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  dialog->resize(760, 460);
  auto* column = new QVBoxLayout(dialog);
  auto* view = new QTableWidget(static_cast<int>(table.rows.size()), static_cast<int>(table.header.size()));
  view->setAccessibleName(title);
  view->setToolTip(ChartHandle::tr("Data of %1; units are in the header").arg(title));
  view->setHorizontalHeaderLabels(table.header);
  view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  show_as_rows(*view);
  view->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 7);
  for (int r = 0; r < view->rowCount(); ++r)
    for (int c = 0; c < view->columnCount() && c < table.rows[r].size(); ++c) {
      auto* item = new QTableWidgetItem(table.rows[r][c]);
      bool number = false;
      item->text().toDouble(&number);
      if (number) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      view->setItem(r, c, item);
    }
  view->resizeColumnsToContents();
  column->addWidget(view);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close | QDialogButtonBox::Save);
  add_button_tips(*buttons);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, [dialog, title, table] {
    ask_where_to_save(dialog, {ChartHandle::tr("Save table"), title + ".csv", "csv", "CSV (*.csv)"},
                      [dialog, table](const QString& path) {
                        if (!save_csv(table, path)) say_not_saved(dialog, path);
                      });
  });
  column->addWidget(buttons);
  dialog->show();
}

// A right click, the menu key and Shift+F10. Some systems send a request for the menu with that key and some do not:
// one menu opens.
class MenuOpener : public QObject {
 public:
  explicit MenuOpener(QWidget& widget) : QObject(&widget), widget_(widget) {
    const auto* area = qobject_cast<QAbstractScrollArea*>(&widget);
    canvas_ = area ? area->viewport() : &widget;
    connect(&widget, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) { open(at); });
    widget.installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::KeyPress) return QObject::eventFilter(watched, event);
    const auto* pressed = static_cast<const QKeyEvent*>(event);
    const bool shifted_f10 = pressed->key() == Qt::Key_F10 && pressed->modifiers() == Qt::ShiftModifier;
    if (pressed->key() != Qt::Key_Menu && !shifted_f10) return QObject::eventFilter(watched, event);
    open(canvas_->rect().center());
    return true;
  }

 private:
  void open(const QPoint& at) {
    if (menu_ && menu_->isVisible()) return;
    menu_ = new QMenu(&widget_);
    menu_->setAttribute(Qt::WA_DeleteOnClose);
    menu_->addActions(widget_.actions());
    menu_->popup(canvas_->mapToGlobal(at));
  }
  QWidget &widget_, *canvas_;
  QPointer<QMenu> menu_;
};

}  // namespace

QString ChartTable::to_csv() const {
  QString csv;
  const auto line = [&csv](const QStringList& cells) {
    QStringList out;
    for (const QString& cell : cells) out << to_q(csv_cell(from_q(cell)));
    csv += out.join(',') + "\r\n";
  };
  line(header);
  for (const QStringList& row : rows) line(row);
  return csv;
}

bool save_png(QWidget& picture, const QString& path, double scale) {
  const QImage image = picture_image(picture, scale);
  QSaveFile file(path);
  return open_private(file) && image.save(&file, "PNG") && file.commit();
}

bool save_svg(QWidget& picture, const QString& path, const QString& title) {
  QSaveFile file(path);
  if (!open_private(file)) return false;
  return file.write(picture_svg(picture, title)) > 0 && file.commit();
}

bool save_pdf(QWidget& picture, const QString& path, const QString& title) {
  QSaveFile file(path);
  if (!open_private(file)) return false;
  QPdfWriter writer(&file);
  writer.setTitle(title);
  writer.setCreator(QStringLiteral("KVantage"));
  constexpr int dots_per_inch = 96;  // a pixel of the window is one of the page
  writer.setResolution(dots_per_inch);
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  writer.setPageSize(
      QPageSize(QSizeF(picture.size()) / dots_per_inch, QPageSize::Inch, QString(), QPageSize::ExactMatch));
  {
    QPainter painter(&writer);
    if (!painter.isActive()) return false;
    const WithoutScreenOnly drawn(picture);
    picture.render(&painter);
  }
  return file.commit();
}

bool save_csv(const ChartTable& table, const QString& path) {
  QSaveFile file(path);
  return open_private(file) && file.write(table.to_csv().toUtf8()) >= 0 && file.commit();
}

QList<QAction*> chart_actions(QObject& owner, const ChartExport& chart) {
  QWidget* parent = chart.picture;
  QList<QAction*> actions;
  const auto add = [&](const QString& text, const QString& tip, const std::function<void()>& act) {
    auto* made = new QAction(text, &owner);
    made->setStatusTip(tip);
    made->setData(chart.name);
    QObject::connect(made, &QAction::triggered, parent, act);
    actions << made;
  };
  const auto ask_and_save = [parent, chart](const QString& kind, const std::function<bool(const QString&)>& save) {
    const QString known_as = kind == "tex" ? QStringLiteral("LaTeX") : kind.toUpper();
    ask_where_to_save(
        parent,
        {ChartHandle::tr("Export %1").arg(chart.name), chart.name + '.' + kind, kind, known_as + " (*." + kind + ")"},
        [parent, save](const QString& path) {
          if (!save(path)) say_not_saved(parent, path);
        });
  };
  add(ChartHandle::tr("Show as &table"), ChartHandle::tr("Show the data of %1 as a table").arg(chart.name),
      [parent, chart] { show_table(parent, chart.name, chart.table()); });
  auto* line = new QAction(&owner);
  line->setSeparator(true);
  actions << line;
  add(ChartHandle::tr("Export &PNG…"), ChartHandle::tr("Export %1 as a raster image").arg(chart.name),
      [=] { ask_and_save("png", [=](const QString& path) { return save_png(*chart.picture, path); }); });
  add(ChartHandle::tr("Export &SVG…"), ChartHandle::tr("Export %1 as a vector image").arg(chart.name),
      [=] { ask_and_save("svg", [=](const QString& path) { return save_svg(*chart.picture, path, chart.name); }); });
  add(ChartHandle::tr("Export P&DF…"), ChartHandle::tr("Export %1 as a one-page document").arg(chart.name),
      [=] { ask_and_save("pdf", [=](const QString& path) { return save_pdf(*chart.picture, path, chart.name); }); });
  add(ChartHandle::tr("Export &CSV…"), ChartHandle::tr("Export the data of %1 as CSV").arg(chart.name),
      [=] { ask_and_save("csv", [=](const QString& path) { return save_csv(chart.table(), path); }); });
  add(ChartHandle::tr("Export &LaTeX…"), ChartHandle::tr("Export the data of %1 as LaTeX tables").arg(chart.name),
      [=] { ask_and_save("tex", [=](const QString& path) { return save_latex(chart.table(), path, chart.name); }); });
  for (QAction* made : actions.mid(actions.indexOf(line) + 1)) made->setProperty(export_property, true);
  return actions << paper_actions(owner, chart) << copy_actions(owner, chart);
}

void add_chart_actions(QMenu& menu, const ChartExport& chart) { menu.addActions(chart_actions(menu, chart)); }

void open_actions_on_right_click(QWidget& widget) {
  widget.setContextMenuPolicy(Qt::CustomContextMenu);
  new MenuOpener(widget);
}

ChartHandle::ChartHandle(const ChartExport& exported) : QObject(exported.picture), chart(exported) {}

std::vector<ChartExport> charts_of(const QWidget& window) {
  std::vector<ChartExport> found;
  for (const ChartHandle* handle : window.findChildren<ChartHandle*>()) found.push_back(handle->chart);
  return found;
}

void install_chart_menu(QWidget& widget, const ChartExport& chart) {
  new ChartHandle(chart);
  widget.addActions(chart_actions(widget, chart));
  open_actions_on_right_click(widget);
}

}  // namespace kvantage
