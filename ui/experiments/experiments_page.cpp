#include "ui/experiments/experiments_page.h"

#include <QApplication>
#include <QClipboard>
#include <QMessageBox>

#include "core/base/files.h"
#include "ui/live/dock_registry.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/button_tips.h"
#include "ui/widgets/save_question.h"

namespace kvantage {

void ExperimentsPage::look_at_session() {
  QStringList tiers;
  for (const TierConfig& tier : session_.live().settings().tiers) tiers << to_q(tier.name);
  form_model_.set_tiers(tiers);
  const SweepPlan base = host_ ? host_->base_plan() : SweepPlan{};
  form_model_.set_base(base);
  auto pace = model_.measured_pace(base);
  const bool has_fits = session_.live().state() != RunState::loading;
  if (const auto snapshot = session_.live().snapshot(); !pace && has_fits && snapshot) pace = pace_of_fits(*snapshot);
  form_model_.set_pace(pace, host_ ? host_->workload_requests() : 0);
  form_->set_refusal(model_.running().isEmpty() ? model_.why_not() : QString());
}

void ExperimentsPage::submit(const QString& name) {
  const auto& plan = form_model_.plan();
  if (!plan) return;
  const QString shown = name.trimmed().isEmpty() ? tr("Experiment %1").arg(model_.rowCount() + 1) : name.trimmed();
  const auto id = model_.enqueue(shown, *plan);
  if (!id) {
    emit said(QStringLiteral("warning"), core_text(id.error().message));
    return;
  }
  form_->name().clear();
  choose(*id);
  tabs_->setCurrentWidget(results_);
}

void ExperimentsPage::choose(const QString& id) {
  const int row = model_.row_of(id);
  if (row >= 0) list_->setCurrentIndex(model_.index(row, 0));
}

QString ExperimentsPage::chosen() const { return list_->currentIndex().data(ExperimentsModel::id_role).toString(); }

void ExperimentsPage::reuse(const QString& id) {
  const Experiment* one = model_.find(id);
  if (one == nullptr) return;
  form_model_.take(one->plan);
  form_->name().setText(tr("%1, again").arg(one->name));
  tabs_->setCurrentWidget(form_);
}

QString ExperimentsPage::save_plan(const QString& path) const {
  const auto& plan = form_model_.plan();
  if (!plan) return core_text(plan.error().message);
  const Status written = write_text_file(from_q(path), dump_json(to_json(*plan), 1) + "\n");
  return written ? QString() : core_text(written.error().message);
}

void ExperimentsPage::ask_where_to_save_plan() {
  ask_where_to_save(this, {tr("Save plan"), QStringLiteral("plan.json"), QStringLiteral("json"), tr("Plans (*.json)")},
                    [this](const QString& path) {
                      const QString trouble = save_plan(path);
                      emit said(trouble.isEmpty() ? QStringLiteral("info") : QStringLiteral("warning"),
                                trouble.isEmpty() ? tr("Saved: %1").arg(path) : trouble);
                    });
}

void ExperimentsPage::ask_to_remove() {
  const Experiment* one = model_.find(chosen());
  if (one == nullptr || one->id == model_.running()) return;
  auto* box = new QMessageBox(QMessageBox::Warning, tr("Remove experiment"), tr("Remove %1?").arg(one->name),
                              QMessageBox::NoButton, this);
  box->setTextFormat(Qt::PlainText);
  box->setObjectName("removeExperimentBox");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(tr("This deletes its folder with the results and cannot be undone. Recorded runs are kept."));
  QPushButton* erase = box->addButton(tr("&Remove"), QMessageBox::DestructiveRole);
  erase->setToolTip(tr("Delete its folder with the results; this cannot be undone"));
  box->setDefaultButton(box->addButton(QMessageBox::Cancel));
  add_button_tips(*box);
  connect(box, &QMessageBox::finished, this, [this, box, erase, id = one->id] {
    if (box->clickedButton() == erase) model_.remove(id);
  });
  box->open();
}

// Its table is made on a thread of its own, and shown when it is there.
void ExperimentsPage::show_chosen() {
  results_->clear();
  read_chosen();
  tables_.make();
  show_progress();
}

void ExperimentsPage::read_chosen() {
  if (const Experiment* one = model_.find(chosen()))
    tables_.show(*one);
  else
    tables_.clear();
}

void ExperimentsPage::show_progress() {
  const Experiment* one = model_.find(chosen());
  const bool is_running = one != nullptr && one->id == model_.running();
  const bool is_queued = one != nullptr && one->state == ExperimentState::queued;
  title_->setText(one != nullptr ? QStringLiteral("%1: %2").arg(one->name, experiment_state_text(one->state))
                                 : tr("No experiment selected"));
  title_->setToolTip(title_->text());
  pause_->setEnabled(is_running && !model_.ending());
  // A queued one waits for the one that is running, or for someone to resume the queue.
  resume_->setEnabled(one != nullptr && !is_running && one->state != ExperimentState::done &&
                      !(is_queued && !model_.running().isEmpty()) && model_.why_not().isEmpty());
  cancel_->setEnabled(is_queued || (is_running && !model_.canceling()));
  reuse_->setEnabled(one != nullptr);
  copy_->setEnabled(one != nullptr && host_ != nullptr);
  remove_->setEnabled(one != nullptr && !is_running);
  bar_->setVisible(one != nullptr);
  progress_->setVisible(one != nullptr);
  if (one == nullptr) return;
  bar_->setValue(static_cast<int>(1000 * ExperimentsModel::fraction(*one)));
  QString text = model_.progress_text(*one);
  if (is_running && !model_.what().isEmpty()) text += QStringLiteral(" · ") + model_.what();
  if (!one->trouble.isEmpty()) text += QStringLiteral(" · ") + one->trouble;
  progress_->setText(text);
  progress_->setToolTip(text);
}

void ExperimentsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  model_.load();
  look_at_session();
  tables_.make();
  show_progress();
}

void ExperimentsPage::set_theme(const Theme& theme) { results_->set_theme(theme); }

QWidget* make_experiments_page(const DockContext& context) {
  auto* page = new ExperimentsPage(context.options.experiments, context.options.experiments_folder, context.session,
                                   context.options.methods.read);
  QObject::connect(page, &ExperimentsPage::said, page, context.say);
  QObject::connect(page, &ExperimentsPage::runsRequested, &context.links, &ViewLinks::runsWanted);
  QObject::connect(&context.run, &RunModel::stateChanged, page, &ExperimentsPage::look_at_session);
  return page;
}

}  // namespace kvantage
