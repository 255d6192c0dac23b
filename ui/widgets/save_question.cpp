#include "ui/widgets/save_question.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QMessageBox>

#include "ui/widgets/button_tips.h"

namespace kvantage {
namespace {

struct SaveQuestionText {
  Q_DECLARE_TR_FUNCTIONS(SaveQuestionText)
};

}  // namespace

void ask_where_to_save(QWidget* parent, const SaveQuestion& question, std::function<void(const QString& path)> save) {
  auto* dialog = new QFileDialog(parent, question.title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(question.ending);
  QStringList filters{SaveQuestionText::tr("All files (*)")};
  if (!question.filter.isEmpty()) filters.prepend(question.filter);
  dialog->setNameFilters(filters);
  dialog->selectFile(question.name);
  QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(save));
  dialog->open();
}

void say_not_saved(QWidget* parent, const QString& path, const QString& reason) {
  auto* box = new QMessageBox(
      QMessageBox::Warning, SaveQuestionText::tr("Not saved"),
      reason.isEmpty() ? SaveQuestionText::tr("%1 cannot be written. Choose another folder.").arg(path)
                       : SaveQuestionText::tr("%1 cannot be written (%2). Choose another folder.").arg(path, reason),
      QMessageBox::Ok, parent);
  box->setTextFormat(Qt::PlainText);  // paths may hold anything
  add_button_tips(*box);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

}  // namespace kvantage
