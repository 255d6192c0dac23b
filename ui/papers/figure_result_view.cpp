#include "ui/papers/figure_result_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/files.h"
#include "ui/charts/model_table.h"
#include "ui/papers/charts/paper_menu.h"
#include "ui/papers/model/figure_job.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/button_tips.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_button.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/save_question.h"

namespace kvantage {
namespace {

QString title_of(const KeptFigure& kept) {
  QStringList parts{kept.started.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"))};
  for (const char* option : {"--seeds", "--limit", "--budgets", "--contexts"})
    for (const auto& [name, value] : kept.options)
      if (name == QLatin1String(option)) parts << QStringLiteral("%1 %2").arg(name.mid(2), value);
  // One command made several.
  if (std::ranges::find(kept.options, QStringLiteral("--models"), &std::pair<QString, QString>::first) !=
      kept.options.end()) {
    const Json& settings = kept.result.settings;
    const std::string model = settings.is_object() ? settings.value("model name", std::string()) : std::string();
    parts << (model.empty() ? FigureResultView::tr("all models") : to_q(model));
  }
  return parts.join(QStringLiteral(", "));
}

std::string json_text(const KeptFigure& kept) {
  Json json = to_json(kept.result);
  json["started"] = from_q(kept.started.toUTC().toString(Qt::ISODate));
  json["seconds"] = kept.seconds;
  return dump_json(json, 2) + "\n";
}

}  // namespace

FigureResultView::FigureResultView(FigureResults& results, QWidget* parent)
    : QWidget(parent),
      results_(results),
      sorted_(new QSortFilterProxyModel(this)),
      theme_(theme_of(ThemeKind::light)),
      pages_(new QStackedWidget),
      empty_(plain_label()),
      which_(new QComboBox),
      text_(new QTextBrowser),
      tabs_(new QTabBar),
      table_(new QTableView),
      drawn_(new QSplitter),
      charts_(new FigureCharts) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(20);
  empty_->setProperty("muted", true);
  pages_->addWidget(empty_);
  pages_->addWidget(make_page());
  column->addWidget(pages_);
  connect(&results_, &FigureResults::changed, this, [this](const QString& figure) {
    if (figure == figure_) fill_choices();
  });
  connect(which_, &QComboBox::currentIndexChanged, this, &FigureResultView::show_result);
  connect(tabs_, &QTabBar::currentChanged, this, &FigureResultView::show_table);
}

QWidget* FigureResultView::make_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  which_->setAccessibleName(tr("Result"));
  which_->setToolTip(tr("Saved results of this figure, newest first"));
  which_->setMinimumContentsLength(20);
  which_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  row->addWidget(which_, 1);
  const auto button = [row](const QString& text, const QString& tip) { return add_row_button(*row, text, tip); };
  runs_ = button(tr("Show runs"), tr("Show the runs behind this result in the Runs dock"));
  export_ =
      button(tr("Export"), tr("Save the result as CSV or JSON, its plot as a picture for a paper, or copy it as text"));
  remove_ = button(tr("Remove…"), tr("Delete this result; its runs are kept"));
  export_->setMenu(make_export_menu());
  connect(runs_, &QPushButton::clicked, this, [this] {
    QStringList ids;
    if (const KeptFigure* kept = shown())
      for (const std::string& id : kept->result.runs) ids << to_q(id);
    if (!ids.isEmpty()) emit runsRequested(ids);
  });
  connect(remove_, &QPushButton::clicked, this, &FigureResultView::ask_to_remove);
  column->addLayout(row);

  text_->setAccessibleName(tr("Findings"));
  text_->setToolTip(tr("Findings on this machine, next to what the paper reports"));
  text_->setOpenLinks(false);
  text_->setMinimumWidth(180);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setHandleWidth(1);
  splitter->addWidget(text_);
  splitter->addWidget(make_tables());
  splitter->setStretchFactor(0, 2);
  splitter->setStretchFactor(1, 3);
  splitter->setSizes({280, 420});
  column->addWidget(splitter, 1);
  return page;
}

QMenu* FigureResultView::make_export_menu() {
  auto* menu = new QMenu(export_);
  menu->addAction(tr("&CSV…"), this, [this] { ask_and_save(QStringLiteral("csv")); });
  menu->addAction(tr("&JSON…"), this, [this] { ask_and_save(QStringLiteral("json")); });
  QMenu* pictures = add_paper_menu(
      *menu, this,
      {[this] {
         return QStringLiteral("%1-%2").arg(QString(figure_).replace('/', '-')).arg(tabs_->currentIndex() + 1);
       },
       [this](const QString& kind, const PaperFormat& format, const QString& path) {
         say_saved(path, save_picture(kind, format, path));
       }});
  connect(menu, &QMenu::aboutToShow, pictures,
          [this, pictures] { pictures->setEnabled(model_.table().plot.has_value()); });
  menu->addAction(tr("C&opy as text"), this, &FigureResultView::copy);
  return menu;
}

QWidget* FigureResultView::make_tables() {
  tabs_->setAccessibleName(tr("Tables of the result"));
  tabs_->setToolTip(tr("Tables of the result"));
  tabs_->setExpanding(false);
  tabs_->setUsesScrollButtons(true);
  tabs_->setElideMode(Qt::ElideNone);  // cut to single letters they say nothing; arrows lead to the others
  sorted_->setSourceModel(&model_);
  sorted_->setSortRole(FigureTableModel::sort_role);
  table_->setModel(sorted_);
  table_->setAccessibleName(tr("Table of the result"));
  table_->setToolTip(tr("Units are in the column headers. Hover over a cell for the full-precision value."));
  table_->setSortingEnabled(true);
  show_as_rows(*table_);
  table_->horizontalHeader()->setStretchLastSection(
      false);  // a number at the far end of a wide screen belongs to nothing
  install_chart_menu(*table_, {table_, tr("Paper figure"), [this] { return table_of(*sorted_); }});
  drawn_->setHandleWidth(1);
  drawn_->setChildrenCollapsible(false);
  drawn_->addWidget(charts_);
  drawn_->addWidget(table_);
  drawn_->setStretchFactor(0, 3);  // most tables are short
  drawn_->setStretchFactor(1, 2);
  drawn_->installEventFilter(this);
  auto* tables = new QWidget;
  auto* below = new QVBoxLayout(tables);
  below->setContentsMargins(0, 0, 0, 0);
  below->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(0, 0, 8, 0);
  row->addWidget(tabs_, 1);
  as_table_ = add_row_button(*row, tr("Table"), tr("Show the table instead of the chart; a larger dock shows both"));
  as_table_->setCheckable(true);
  connect(as_table_, &QPushButton::toggled, this, &FigureResultView::arrange);
  below->addLayout(row);
  below->addWidget(drawn_, 1);
  return tables;
}

void FigureResultView::show_figure(const QString& figure) {
  if (figure_ == figure) return;
  figure_ = figure;
  fill_choices();
}

void FigureResultView::fill_choices() {
  const auto kept = results_.of(figure_);
  {
    const QSignalBlocker quiet(which_);
    which_->clear();  // the newest is shown: what was just made is what one wants to see
    for (const KeptFigure* one : kept) which_->addItem(title_of(*one), one->file);
  }
  empty_->setText(
      tr("%1 has not been reproduced on this machine yet. Check its settings and press Start.").arg(figure_));
  pages_->setCurrentIndex(kept.empty() ? 0 : 1);
  show_result();
}

void FigureResultView::show_result() {
  const KeptFigure* kept = shown();
  if (kept == nullptr) {
    model_.show({});
    charts_->show_table(nullptr, 0);
    arrange();
    text_->clear();
    return;
  }
  const FigureResult& result = kept->result;
  runs_->setEnabled(!result.runs.empty());
  runs_->setText(result.runs.empty() ? tr("No runs")
                                     : tr("Show %n run(s)", nullptr, static_cast<int>(result.runs.size())));
  QString html;
  const auto heading = [this, &html](const QString& text) {
    html += QStringLiteral("<p style='margin:0 0 2px 0;color:%1'>%2</p>").arg(theme_.muted.name(), text);
  };
  const auto sentence = [&html](const QString& text) {
    html += QStringLiteral("<p style='margin:0 0 6px 0'>%1</p>").arg(tr("%1.").arg(text).toHtmlEscaped());
  };
  heading(tr("This machine (%1)").arg(provenance_text(result.provenance)));
  if (result.findings.empty())
    html += QStringLiteral("<p style='margin:0 0 6px 0'>%1</p>").arg(tr("No summary; see the tables."));
  for (const std::string& finding : result.findings) sentence(core_text(finding));
  heading(tr("Paper"));
  sentence(core_text(result.paper));
  // Of an imported one it is not known.
  heading(kept->seconds > 0 ? tr("Reproduced in %1 with").arg(duration_text(kept->seconds)) : tr("Reproduced with"));
  QStringList settings;
  for (const auto& [name, value] : result.settings.items())
    settings << core_text(name + ": " + figure_cell_text(value)).toHtmlEscaped();
  html += QStringLiteral("<p style='margin:0'>%1</p>").arg(settings.join(QStringLiteral("<br>")));
  text_->setHtml(html);
  {
    const QSignalBlocker quiet(tabs_);
    while (tabs_->count() > 0) tabs_->removeTab(0);
    const auto short_title = [](const FigureTable& table) {
      QString title = core_text(table.title);
      for (const char16_t end : {u',', u'(', u'，', u'（'}) title = title.section(end, 0, 0);
      return title.trimmed();
    };
    for (const FigureTable& table : result.tables) {
      const QString title = core_text(table.title), shorter = short_title(table);
      const auto alike =
          std::ranges::count_if(result.tables, [&](const FigureTable& other) { return short_title(other) == shorter; });
      tabs_->setTabToolTip(tabs_->addTab(alike > 1 ? title : shorter), title);
    }
  }
  tabs_->setVisible(tabs_->count() > 0);
  tabs_->updateGeometry();  // tabs that come while it is hidden tell nobody, and it would stay as high as none
  show_table(0);
}

void FigureResultView::show_table(int table) {
  const KeptFigure* kept = shown();
  const bool there = kept != nullptr && table >= 0 && static_cast<std::size_t>(table) < kept->result.tables.size();
  sorted_->sort(-1);
  table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  model_.show(there ? kept->result.tables[static_cast<std::size_t>(table)] : FigureTable{});
  charts_->show_table(there ? &kept->result : nullptr, there ? static_cast<std::size_t>(table) : 0);
  arrange();
  table_->resizeColumnsToContents();
  table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 7);
}

void FigureResultView::arrange() {
  constexpr int wide = 700, high = 640, large_width = 1100, large_height = 600, sentences = 460;
  // A large page shows the chart alone: the sentences keep the width of a column, and the table is behind its button. A
  // smaller one has the table beside or below the chart where there is room for both, and otherwise behind its button.
  const bool plot = model_.table().plot.has_value(), broad = width() >= large_width,
             large = broad && height() >= large_height, beside = drawn_->width() >= wide,
             both = plot && !large && (beside || drawn_->height() >= high);
  text_->setMaximumWidth(broad ? sentences : QWIDGETSIZE_MAX);
  const Qt::Orientation way = both && !beside ? Qt::Vertical : Qt::Horizontal;
  const bool joined = both && (charts_->isHidden() || table_->isHidden()), turned = way != drawn_->orientation();
  if (turned) drawn_->setOrientation(way);
  charts_->setVisible(plot && (both || !as_table_->isChecked()));
  table_->setVisible(!plot || both || as_table_->isChecked());
  if (joined || turned) {  // one that was hidden is as wide as nothing
    const int room = way == Qt::Vertical ? drawn_->height() : drawn_->width();
    drawn_->setSizes({3 * room / 5, 2 * room / 5});
  }
  as_table_->setVisible(plot && !both);
}

bool FigureResultView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == drawn_ && event->type() == QEvent::Resize) arrange();
  return QWidget::eventFilter(watched, event);
}

QString FigureResultView::save(const QString& kind, const QString& path) const {
  const KeptFigure* kept = shown();
  if (kept == nullptr) return tr("There is no result to save. Reproduce the figure first.");
  const Status written = write_text_file(from_q(path), kind == "csv" ? to_csv(kept->result) : json_text(*kept));
  return written ? QString() : core_text(written.error().message);
}

QString FigureResultView::save_picture(const QString& kind, const PaperFormat& format, const QString& path) const {
  const KeptFigure* kept = shown();
  if (kept == nullptr) return tr("There is no result to save. Reproduce the figure first.");
  if (!model_.table().plot) return tr("The table has no plot. Select another table.");
  return save_paper_picture(kept->result, static_cast<std::size_t>(tabs_->currentIndex()), format, kind, path)
             ? QString()
             : tr("%1 cannot be written. Choose a writable folder with free disk space.").arg(path);
}

void FigureResultView::say_saved(const QString& path, const QString& trouble) {
  emit said(trouble.isEmpty() ? QStringLiteral("info") : QStringLiteral("warning"),
            trouble.isEmpty() ? tr("Saved: %1").arg(path) : trouble);
}

void FigureResultView::copy() const {
  if (const KeptFigure* kept = shown()) QApplication::clipboard()->setText(to_q(to_text(kept->result)));
}

void FigureResultView::ask_and_save(const QString& kind) {
  ask_where_to_save(this,
                    {tr("Export result"), QString(figure_).replace('/', '-') + '.' + kind, kind,
                     kind.toUpper() + " (*." + kind + ")"},
                    [this, kind](const QString& path) { say_saved(path, save(kind, path)); });
}

void FigureResultView::ask_to_remove() {
  const KeptFigure* kept = shown();
  if (kept == nullptr) return;
  auto* box =
      new QMessageBox(QMessageBox::Warning, tr("Remove result"),
                      tr("Remove the result of %1 from %2?")
                          .arg(figure_, kept->started.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"))),
                      QMessageBox::NoButton, this);
  box->setTextFormat(Qt::PlainText);
  box->setObjectName("removeFigureBox");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(tr("This deletes its file and cannot be undone. Recorded runs are kept in the Runs dock."));
  QPushButton* erase = box->addButton(tr("&Remove"), QMessageBox::DestructiveRole);
  erase->setToolTip(tr("Delete the file of this result; this cannot be undone"));
  box->setDefaultButton(box->addButton(QMessageBox::Cancel));
  add_button_tips(*box);
  connect(box, &QMessageBox::finished, this, [this, box, erase, file = kept->file] {
    if (box->clickedButton() == erase) results_.remove(file);
  });
  box->open();
}

void FigureResultView::set_theme(const Theme& theme) {
  theme_ = theme;
  charts_->set_theme(theme);
  show_result();
}

}  // namespace kvantage
