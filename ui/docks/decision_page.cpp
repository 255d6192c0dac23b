#include "ui/docks/decision_page.h"

#include <QHBoxLayout>
#include <QScrollBar>
#include <QVBoxLayout>

#include "ui/charts/model_table.h"
#include "ui/models/words.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

DecisionPage::DecisionPage(DecisionModel& model, QWidget* parent)
    : QTabWidget(parent),
      model_(model),
      theme_(theme_of(ThemeKind::light)),
      words_(new QTextBrowser),
      proxy_(new QSortFilterProxyModel(this)),
      table_(new QTableView),
      empty_(new QLabel(QStringLiteral("Choose a context in the table: here stand all other ways to keep it."))),
      all_(new QCheckBox(QStringLiteral("All forms"))) {
  setDocumentMode(true);
  setAccessibleName(QStringLiteral("Why here?"));
  words_->setAccessibleName(QStringLiteral("Why the chosen context is where it is"));
  words_->setToolTip(
      QStringLiteral("Predicted from profiles and fits; utility = (alpha * quality - TTFT) * frequency, in seconds"));
  words_->setOpenLinks(false);
  words_->setFrameShape(QFrame::NoFrame);
  addTab(words_, QStringLiteral("Why here?"));

  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(3);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  auto* note = new QLabel(QStringLiteral("<i>predicted</i>; bold: the plan's choice"));
  note->setProperty("muted", true);
  all_->setAccessibleName(QStringLiteral("Show all forms"));
  all_->setToolTip(QStringLiteral(
      "Also forms that no tier is ever worth: another one there has no less utility and takes no more bytes"));
  row->addWidget(note, 1);
  row->addWidget(all_);
  column->addLayout(row);
  empty_->setProperty("muted", true);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  column->addWidget(empty_, 1);
  column->addWidget(table_, 1);
  proxy_->setSourceModel(&model_);
  proxy_->setSortRole(DecisionModel::sort_role);
  table_->setModel(proxy_);
  table_->setAccessibleName(QStringLiteral("Other ways to keep the chosen context"));
  table_->setToolTip(QStringLiteral("Every tier and candidate form, and not storing it, against what the plan chose"));
  table_->setSortingEnabled(true);
  table_->sortByColumn(DecisionModel::drop, Qt::AscendingOrder);
  show_as_rows(*table_);
  addTab(page, QStringLiteral("Alternatives"));
  setTabToolTip(0, QStringLiteral("The plan's decision on the chosen context in words, and what would have to change"));
  setTabToolTip(1, QStringLiteral("Every other way to keep it: bytes, quality, TTFT, utility"));

  lazy_ = new LazyRefresh(*this, [this] { show_words(); });
  connect(&model_, &DecisionModel::changed, this, [this] { lazy_->invalidate(); });
  connect(all_, &QCheckBox::toggled, this, [this](bool on) { model_.set_show_all(on); });
  install_chart_menu(*table_, {table_, QStringLiteral("Alternatives"), [this] { return table_of(*proxy_); }});
  model_.set_active(false);
  lazy_->invalidate();
}

void DecisionPage::set_theme(const Theme& theme) {
  theme_ = theme;
  lazy_->invalidate();
}

void DecisionPage::show_words() {
  const auto state = model_.state();
  const bool none = !model_.decision();
  empty_->setVisible(none);
  table_->setVisible(!none);
  const auto paragraph = [this](const QString& text, bool muted = false) {
    return QStringLiteral("<p style='margin:0 0 5px 0;%1'>%2</p>")
        .arg(muted ? QStringLiteral("color:%1").arg(theme_.muted.name()) : QString(), text);
  };
  QString html;
  if (none) {
    html = paragraph(
        state == DecisionModel::State::nothing_chosen
            ? QStringLiteral("Choose a context in any view: here stands why it is kept where it is, and what would "
                             "have to change. "
                             "Esc lets go of it.")
        : state == DecisionModel::State::not_known
            ? QStringLiteral("%1 is not known to the engine yet: start the run.").arg(model_.context().toHtmlEscaped())
            : QStringLiteral("Planning …"),
        true);
  } else {
    const QStringList sentences = model_.sentences();
    html = paragraph("<b>" + sentences.front().toHtmlEscaped() + "</b>");
    for (const QString& sentence : sentences.mid(1)) html += paragraph(sentence.toHtmlEscaped());
    const QStringList turnings = model_.turnings();
    const bool searching = state == DecisionModel::State::searching;
    if (!turnings.isEmpty() || searching) {
      html += QStringLiteral(
                  "<p style='margin:4px 0 2px 0;color:%1'>What would have to change (found by planning%2)</p><ul "
                  "style='margin:0 0 0 -22px'>")
                  .arg(theme_.muted.name(), searching ? QStringLiteral(", searching …") : QString());
      for (const QString& turning : turnings) html += "<li>" + turning.toHtmlEscaped() + "</li>";
      html += "</ul>";
    }
  }
  const int scroll = words_->verticalScrollBar()->value();
  words_->setHtml(html);
  words_->verticalScrollBar()->setValue(scroll);
}

void DecisionPage::showEvent(QShowEvent* event) {
  QTabWidget::showEvent(event);
  model_.set_active(true);
  if (fitted_) return;
  fitted_ = true;
  fit_columns(*table_, {"not stored", "uncompressed", "-0.0123", "99.99", "≈ 0.999", "99.9 ms", "9.9 MiB"});
}

void DecisionPage::hideEvent(QHideEvent* event) {
  model_.set_active(false);
  QTabWidget::hideEvent(event);
}

}  // namespace kvantage
