#include "ui/live/decisions/decision_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include "ui/charts/model_table.h"
#include "ui/live/controls/model_note.h"
#include "ui/live/decisions/model/decision_headline.h"
#include "ui/text/words.h"
#include "ui/widgets/accessible_role.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

DecisionPage::DecisionPage(RunModel& run, DecisionModel& model, DecodeOptionsModel& options, QWidget* parent)
    : QTabWidget(parent),
      model_(model),
      options_(options),
      counterfactual_(model),
      theme_(theme_of(ThemeKind::light)),
      why_(new QScrollArea),
      headline_(plain_label()),
      details_(new QLabel),
      bars_(new UtilityBars(model)),
      proxy_(new QSortFilterProxyModel(this)),
      table_(new QTableView),
      empty_(new QLabel(tr("Select a context in the table to see every other way to store it."))),
      all_(new QCheckBox(tr("All configurations"))),
      options_table_(new QTableView),
      options_note_(plain_label()) {
  setDocumentMode(true);
  setAccessibleName(tr("Why here?"));
  addTab(make_why_page(), tr("Why here?"));
  addTab(make_alternatives_page(run), tr("Alternatives"));
  setTabToolTip(0, tr("The plan's decision on the selected context, and what would change it"));
  setTabToolTip(1, tr("Every other way to store it: bytes, quality, TTFT and utility"));
  addTab(make_options_page(run), tr("Decoding"));
  setTabToolTip(2, tr("Its decode options: quality and inter-token latency of each"));

  lazy_ = new LazyRefresh(*this, [this] { show_text(); });
  connect(&model_, &DecisionModel::changed, this, [this] { lazy_->invalidate(); });
  connect(&counterfactual_, &CounterfactualModel::changed, this, [this] {
    bars_->set_marked(counterfactual_.id());
    lazy_->invalidate();
  });
  connect(bars_, &UtilityBars::picked, this, &DecisionPage::ask);
  connect(all_, &QCheckBox::toggled, this, [this](bool on) { model_.set_show_all(on); });
  install_chart_menu(*table_, {table_, tr("Alternatives"), [this] { return table_of(*proxy_); }});
  model_.set_active(false);
  counterfactual_.set_active(false);
  lazy_->invalidate();
}

// One sentence, the bars, then the rest: what would have to change, and the numbers.
QWidget* DecisionPage::make_why_page() {
  auto* body = new QWidget;
  body->setObjectName("scrollBody");
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(8, 6, 8, 6);
  column->setSpacing(6);
  for (QLabel* label : {headline_, details_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setFocusPolicy(Qt::StrongFocus);
  }
  headline_->setProperty("heading", true);
  headline_->setAccessibleName(tr("Why the selected context is placed here"));
  headline_->setToolTip(
      tr("Predicted from profiles and fitted costs; utility = (α × quality − TTFT) × request frequency, in s"));
  details_->setTextFormat(Qt::RichText);
  details_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  details_->setAccessibleName(tr("What would change the placement"));
  details_->setToolTip(tr("Found by planning again with one input changed; each value is where the plan changes"));
  column->addWidget(headline_);
  column->addWidget(bars_);
  column->addWidget(details_, 1);
  why_->setFrameShape(QFrame::NoFrame);
  why_->setWidgetResizable(true);
  why_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  why_->setAccessibleName(tr("Why here?"));
  set_accessible_role(*why_, QAccessible::Document);
  why_->setToolTip(tr("Arrow keys scroll"));
  why_->setWidget(body);
  return why_;
}

QWidget* DecisionPage::make_alternatives_page(RunModel& run) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(3);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  auto* note = new QLabel(tr("predicted; bold: the plan's choice"));
  note->setProperty("muted", true);
  all_->setAccessibleName(tr("Show all configurations"));
  all_->setToolTip(
      tr("Also shows dominated configurations: another one on the same tier has at least the same utility and is no "
         "larger"));
  row->addWidget(note, 1);
  row->addWidget(all_);
  column->addLayout(row);
  add_model_note(run, *column, QStringLiteral("alternativesModelNote"));
  empty_->setProperty("muted", true);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  column->addWidget(empty_, 1);
  column->addWidget(table_, 1);
  proxy_->setSourceModel(&model_);
  proxy_->setSortRole(DecisionModel::sort_role);
  table_->setModel(proxy_);
  table_->setAccessibleName(tr("Other ways to store the selected context"));
  table_->setToolTip(tr("Every tier and candidate configuration, and not storing it, relative to the plan's choice"));
  table_->setSortingEnabled(true);
  table_->sortByColumn(DecisionModel::drop, Qt::AscendingOrder);
  show_as_rows(*table_);
  table_->horizontalHeader()->setSectionResizeMode(DecisionModel::form, QHeaderView::ResizeToContents);
  table_->setTextElideMode(Qt::ElideMiddle);  // the removed fraction is at the end
  return page;
}

QWidget* DecisionPage::make_options_page(RunModel& run) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(3);
  options_note_->setProperty("muted", true);
  options_note_->setWordWrap(true);
  options_note_->setContentsMargins(8, 0, 8, 0);
  column->addWidget(options_note_);
  add_model_note(run, *column, QStringLiteral("decodeOptionsModelNote"));
  column->addWidget(options_table_, 1);
  options_table_->setModel(&options_);
  options_table_->setAccessibleName(tr("Decode options of the selected context"));
  options_table_->setToolTip(
      tr("Measured on the context's profile questions. With “planned”, each request takes the option with the highest "
         "utility: α × quality − seconds of decoding."));
  show_as_rows(*options_table_);
  options_table_->setTextElideMode(Qt::ElideMiddle);  // the budget is at the end
  options_empty_ = new EmptyNote(*options_table_, [this] { return options_.note(); });
  connect(&options_, &DecodeOptionsModel::changed, this, &DecisionPage::show_options_note);
  auto* newest = new LazyRefresh(*page, [this] { options_.read(); });
  connect(&run, &RunModel::snapshotChanged, newest, &LazyRefresh::invalidate);
  install_chart_menu(*options_table_, {options_table_, tr("Decode options"), [this] { return table_of(options_); }});
  show_options_note();
  return page;
}

// Without rows the table itself says why.
void DecisionPage::show_options_note() {
  options_note_->setText(options_.rowCount() > 0 ? options_.note() : QString());
  options_note_->setVisible(!options_note_->text().isEmpty());
  options_empty_->update_text();
}

void DecisionPage::set_theme(const Theme& theme) {
  theme_ = theme;
  bars_->set_theme(theme);
  lazy_->invalidate();
}

QString DecisionPage::text() const {
  return headline_->text() + '\n' + QTextDocumentFragment::fromHtml(details_->text()).toPlainText();
}

void DecisionPage::show_text() {
  const auto state = model_.state();
  const bool none = !model_.decision();
  empty_->setVisible(none);
  table_->setVisible(!none);
  bars_->setVisible(!none);
  // A text that stays as it is keeps what is selected of it.
  const auto put = [](QLabel& label, const QString& text) {
    if (label.text() != text) label.setText(text);
  };
  if (none) {
    put(*headline_, state == DecisionModel::State::nothing_chosen
                        ? tr("Select a context to see why it is placed here. Esc clears the selection.")
                    : state == DecisionModel::State::not_known
                        ? tr("The engine does not know %1 yet. Start the run.").arg(model_.context())
                        : tr("Planning…"));
    put(*details_, {});
    return;
  }
  put(*headline_, decision_headline(*model_.planned(), *model_.decision()));
  if (const int height = bars_->wanted_height(); bars_->minimumHeight() != height) bars_->setFixedHeight(height);
  show_details();
}

QString DecisionPage::list(const QString& title, const QStringList& sentences) const {
  QString html = QStringLiteral("<p style='margin:4px 0 2px 0;color:%1'>%2</p><ul style='margin:0 0 4px -22px'>")
                     .arg(theme_.muted.name(), title.toHtmlEscaped());
  for (const QString& sentence : sentences) html += "<li>" + sentence.toHtmlEscaped() + "</li>";
  return html + "</ul>";
}

void DecisionPage::show_details() {
  const bool searching = model_.state() == DecisionModel::State::searching;
  QString html =
      QStringLiteral("<p style='margin:0 0 4px 0;color:%1'>%2</p>")
          .arg(theme_.muted.name(),
               tr("Utility in s: (α × quality − TTFT) × request frequency. Displacement: what other contexts gain or "
                  "lose when the policy plans around it.")
                   .toHtmlEscaped());
  if (const QStringList sentences = counterfactual_.sentences(); !sentences.isEmpty())
    html += list(counterfactual_.title(), sentences);
  if (const QStringList turnings = model_.turnings(); !turnings.isEmpty() || searching)
    html += list(searching ? tr("What would change it (re-planning, searching…)")
                           : tr("What would change it (found by re-planning)"),
                 turnings);
  html += list(tr("In numbers"), model_.sentences());
  if (details_->text() == html) return;
  details_->setText(html);
  details_->setAccessibleDescription(QTextDocumentFragment::fromHtml(html).toPlainText());
}

// What a bar would need is below the bars, which may fill the page.
void DecisionPage::ask(const QString& id) {
  counterfactual_.ask(id);
  lazy_->flush();
  why_->ensureVisible(0, details_->y() + 6 * details_->fontMetrics().height(), 0, 0);
}

void DecisionPage::showEvent(QShowEvent* event) {
  QTabWidget::showEvent(event);
  model_.set_active(true);
  counterfactual_.set_active(true);
  if (fitted_) return;
  fitted_ = true;
  fit_columns(*table_, {"not stored", "uncompressed", "-0.0123", "99.99", "≈ 0.999", "99.9 ms", "9.9 MiB"});
  fit_columns(*options_table_, {"paged_eviction(budget=25%)", "0.999", "99.9", "99"});
}

void DecisionPage::hideEvent(QHideEvent* event) {
  model_.set_active(false);
  counterfactual_.set_active(false);
  QTabWidget::hideEvent(event);
}

}  // namespace kvantage
