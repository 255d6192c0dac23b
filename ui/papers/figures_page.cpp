#include "ui/papers/figures_page.h"

#include <QFileDialog>

#include "core/experiments/paper_figures.h"
#include "ui/papers/model/figure_import.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// A heading and its text, as HTML.
QString part_of_page(const Theme& theme, const QString& name, const std::string& text) {
  return text.empty() ? QString()
                      : QStringLiteral("<p style='margin:0 0 8px 0'><span style='color:%1'>%2</span><br>%3</p>")
                            .arg(theme.muted.name(), name, core_text(text).toHtmlEscaped());
}

}  // namespace

QString FiguresPage::paper_of_choice() const {
  QModelIndex at = tree_->currentIndex();
  if (at.parent().isValid()) at = at.parent();
  return at.isValid() ? to_q(papers()[static_cast<std::size_t>(at.row())].id) : QString();
}

void FiguresPage::start_several(const QString& paper, bool only_missing) {
  std::vector<const PaperFigure*> wanted;
  for (const std::string& name : reproduced_figures()) {
    const PaperFigure* figure = find_paper_figure(name);
    if (!paper.isEmpty() && to_q(figure->paper) != paper) continue;
    if (!only_missing || !results_.newest(to_q(name))) wanted.push_back(figure);
  }
  if (!wanted.empty() && !queue_.start(wanted))
    emit said(QStringLiteral("warning"), job_.why_not());
  else if (wanted.empty())
    emit said(QStringLiteral("info"), tr("Every figure has a result."));
}

void FiguresPage::ask_to_import(bool folder) {
  auto* dialog = new QFileDialog(this, folder ? tr("Import the folder of reproduce all") : tr("Import a result"));
  dialog->setObjectName("importFigureDialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
  if (!folder) dialog->setNameFilters({tr("Results (*.json)"), tr("All files (*)")});
  connect(dialog, &QFileDialog::fileSelected, this, &FiguresPage::import);
  dialog->open();
}

void FiguresPage::import(const QString& path) {
  const auto count = import_figures(results_, path);
  if (!count) {
    emit said(QStringLiteral("warning"), core_text(count.error().message));
    return;
  }
  emit said(QStringLiteral("info"), tr("%n result(s) imported.", nullptr, static_cast<int>(*count)));
  show_figure();
}

QString FiguresPage::chosen() const { return tree_->currentIndex().data(FiguresModel::figure_role).toString(); }

void FiguresPage::choose(const QString& figure) {
  const QModelIndex at = model_.index_of(figure);
  if (at.isValid()) tree_->setCurrentIndex(at);
}

void FiguresPage::start() {
  const PaperFigure* figure = find_paper_figure(from_q(chosen()));
  if (figure != nullptr) job_.start(*figure, form_->options());
}

/// Where there is room, the result has a place beside the other pages.
void FiguresPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  constexpr int wide = 1500;
  const bool beside = width() >= wide, is_beside = sides_->count() > 1;
  if (beside == is_beside) return;
  if (beside) {
    sides_->insertWidget(0, result_);  // which takes it out of the pages
    sides_->setStretchFactor(0, 3);
    sides_->setStretchFactor(1, 1);
    sides_->setSizes({width() / 2, width() / 4});
    result_->setVisible(!chosen().isEmpty());
  } else {
    const bool shown = !chosen().isEmpty() && result_->shown() != nullptr;
    tabs_->insertTab(2, result_, tr("Result"));
    if (shown) tabs_->setCurrentWidget(result_);
  }
  show_figure();
}

void FiguresPage::show_result() {
  if (tabs_->indexOf(result_) >= 0) tabs_->setCurrentWidget(result_);
}

void FiguresPage::show_paper(const Paper& paper) {
  title_->setText(core_text(paper.name));
  about_->setHtml(part_of_page(theme_, tr("Paper %1").arg(to_q(paper.id)),
                               paper.missing.empty() ? from_q(tr("Select one of its figures.")) : paper.missing));
  claims_->show_paper(to_q(paper.id));
  claims_view_->setToolTip(claims_->summary());
  for (const int column : {ClaimsModel::paper, ClaimsModel::here, ClaimsModel::interval, ClaimsModel::figure})
    claims_view_->resizeColumnToContents(column);
  claims_view_->setColumnWidth(ClaimsModel::verdict, claims_view_->fontMetrics().averageCharWidth() * 28);
  tabs_->setCurrentIndex(claims_->rowCount() > 0 ? tabs_->count() - 1 : 0);
}

void FiguresPage::show_figure() {
  const PaperFigure* figure = find_paper_figure(from_q(chosen()));
  const int claims_page = tabs_->count() - 1;
  for (int page = 1; page < claims_page; ++page) tabs_->setTabVisible(page, figure != nullptr);
  tabs_->setTabVisible(claims_page, figure == nullptr);
  if (sides_->count() > 1) result_->setVisible(figure != nullptr);
  if (figure == nullptr) {
    const QModelIndex paper = tree_->currentIndex();
    if (!paper.isValid()) return;
    show_paper(papers()[static_cast<std::size_t>(paper.row())]);
  } else {
    title_->setText(QStringLiteral("%1: %2").arg(to_q(figure->name), core_text(figure->title)));
    about_->setHtml(part_of_page(theme_, tr("Setup on this machine"), figure->does) +
                    part_of_page(theme_, tr("Expected shape"), figure->expected) +
                    part_of_page(theme_, tr("Reported in the paper"), figure->published));
    form_->show_figure(*figure);
    result_->show_figure(to_q(figure->name));
  }
  title_->setToolTip(title_->text());
  show_job();
}

void FiguresPage::show_job() {
  const bool figure = !chosen().isEmpty();
  const QString why = job_.why_not();
  start_->setEnabled(figure && why.isEmpty());
  start_->setToolTip(why.isEmpty() ? tr("Reproduce this figure with the settings shown; pauses the live run")
                                   : tr("Not available: %1").arg(why));
  standards_->setEnabled(figure && form_->changed());
  copy_->setEnabled(figure && !job_.command(paper_figures().front(), {}).isEmpty());
  strip_->setVisible(job_.running());
  if (!job_.running()) return;
  cancel_->setEnabled(!job_.cancelling());
  const double fraction = job_.fraction();
  bar_->setRange(0, fraction < 0 ? 0 : 1000);
  if (fraction >= 0) bar_->setValue(static_cast<int>(1000 * fraction));
  QString text = QStringLiteral("%1: %2 · %3").arg(to_q(job_.figure()->name), job_.progress_text(), job_.what());
  if (const QString place = queue_.place_text(); !place.isEmpty()) text.prepend(place + QStringLiteral(", "));
  progress_->setText(text);
  progress_->setToolTip(text);
  look_at_session();
}

void FiguresPage::look_at_session() {
  if (!job_.running()) return;
  session_note_->setText(
      session_.live_runs_anyway()
          ? tr("The live run is running as well, so both compete for the CPU and the figure's times are inflated.")
          : tr("The live run is paused until the figure finishes."));
}

void FiguresPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  results_.load();
  show_figure();
}

void FiguresPage::set_theme(const Theme& theme) {
  theme_ = theme;
  result_->set_theme(theme);
  show_figure();
}

}  // namespace kvantage
