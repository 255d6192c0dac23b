// What the dock of runs asks before it writes, reads or deletes.
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>

#include "core/base/names.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"
#include "ui/widgets/button_tips.h"
#include "ui/widgets/save_question.h"

namespace kvantage {
namespace {

/// Asks for one recorded run; gone when it closes.
QFileDialog* run_file_dialog(QWidget* parent, const QString& title) {
  auto* dialog = new QFileDialog(parent, title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({RunsDock::tr("Recorded runs (*.kvrun)"), RunsDock::tr("All files (*)")});
  return dialog;
}

}  // namespace

void RunsDock::ask_to_delete() {
  const QStringList ids = chosen();
  if (ids.isEmpty()) return;
  auto* box = new QMessageBox(QMessageBox::Warning, tr("Delete runs"),
                              ids.size() == 1 ? tr("Delete run %1?").arg(ids.front())
                                              : tr("Delete %n run(s)?", nullptr, static_cast<int>(ids.size())),
                              QMessageBox::NoButton, this);
  box->setObjectName("deleteRunsBox");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(
      tr("This deletes settings, events, answers, tags and notes from the database and cannot be undone. Export a run "
         "first to keep it as a file."));
  QPushButton* erase = box->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
  erase->setToolTip(tr("Delete them from the database; this cannot be undone"));
  box->setDefaultButton(box->addButton(QMessageBox::Cancel));
  add_button_tips(*box);
  connect(box, &QMessageBox::finished, this, [this, box, erase, ids] {
    if (box->clickedButton() == erase) model_.remove(ids);
  });
  box->open();
}

void RunsDock::ask_for_page() {
  const QString id = chosen().value(0);
  if (id.isEmpty()) return;
  auto* box = new QMessageBox(QMessageBox::Question, tr("Share run"), tr("Include questions and answers?"),
                              QMessageBox::NoButton, this);
  box->setObjectName("shareRunBox");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(
      tr("The page has the run's numbers, settings, command and names of contexts. Contexts may be private: leave "
         "their questions and answers out unless the reader may see them."));
  QPushButton* without = box->addButton(tr("&Leave out"), QMessageBox::AcceptRole);
  QPushButton* with = box->addButton(tr("&Include"), QMessageBox::AcceptRole);
  without->setToolTip(tr("Write the page without questions and answers"));
  with->setToolTip(tr("Write the page with questions and answers: whoever has it can read them"));
  box->addButton(QMessageBox::Cancel);
  add_button_tips(*box);
  box->setDefaultButton(without);
  connect(box, &QMessageBox::finished, this, [this, box, with, without, id] {
    const bool texts = box->clickedButton() == with;
    if (!texts && box->clickedButton() != without) return;
    ask_where_to_save(this,
                      {tr("Share run"), to_q(as_name(from_q(id), "run")) + QStringLiteral(".html"),
                       QStringLiteral("html"), tr("Web pages (*.html)")},
                      [this, id, texts](const QString& path) { files_.write_page(id, path, texts); });
  });
  box->open();
}

void RunsDock::ask_for_report() { ask_for_report_of(chosen(), {}); }

// As compared: those runs in that order, whatever is chosen in the list by now.
void RunsDock::ask_for_report_of_comparison() {
  const RunComparison& shown = comparison_.comparison();
  QStringList ids;
  for (const std::vector<std::string>& runs : shown.members)
    for (const std::string& id : runs)
      if (!ids.contains(to_q(id))) ids << to_q(id);
  if (ids.isEmpty()) return;
  ask_for_report_of(ids, RunFiles::Against{shown.baseline, comparison_.showing_periods() ? ComparedUnit::period
                                                                                         : ComparedUnit::whole_run});
}

void RunsDock::ask_for_report_of(const QStringList& ids, std::optional<RunFiles::Against> against) {
  auto* dialog = new QFileDialog(this, tr("Folder for the report"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, ids, against](const QString& folder) { files_.write_report(ids, folder, against); });
  dialog->open();
}

void RunsDock::ask_for_export() {
  const QString id = chosen().value(0);
  ask_where_to_save(this,
                    {tr("Export run"), to_q(as_name(from_q(id), "run")) + QStringLiteral(".kvrun"),
                     QStringLiteral("kvrun"), tr("Recorded runs (*.kvrun)")},
                    [this, id](const QString& path) { files_.export_run(id, path); });
}

void RunsDock::ask_for_import() {
  QFileDialog* dialog = run_file_dialog(this, tr("Import run"));
  connect(dialog, &QFileDialog::fileSelected, &files_, &RunFiles::import_run);
  dialog->open();
}

void RunsDock::ask_for_replay_file() {
  QFileDialog* dialog = run_file_dialog(this, tr("Replay a run file"));
  connect(dialog, &QFileDialog::fileSelected, this, &RunsDock::replayFileRequested);
  dialog->open();
}

}  // namespace kvantage
