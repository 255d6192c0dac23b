#include "ui/papers/figure_question.h"

#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <utility>

#include "ui/papers/model/figure_job.h"

namespace kvantage {

FigureQuestion::FigureQuestion(QWidget& window, const FigureJob* job) : QObject(&window), window_(window), job_(job) {}

QString FigureQuestion::loss() const { return job_ ? job_->loss() : QString(); }

void FigureQuestion::without(const std::function<void()>& act) {
  const bool before = std::exchange(agreed_, true);
  act();
  agreed_ = before;
}

void FigureQuestion::before(const QString& what, const std::function<void()>& act) {
  if (free()) return act();
  if (box_) box_->close();  // the latest request counts
  auto* box = new QMessageBox(QMessageBox::Question, what, loss(), QMessageBox::NoButton, &window_);
  box_ = box;
  box->setObjectName("endFigureBox");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(
      tr("If you continue, the figure is canceled without a result. To keep its progress, wait until it finishes."));
  QPushButton* end = box->addButton(tr("&Cancel figure"), QMessageBox::DestructiveRole);
  box->setDefaultButton(box->addButton(tr("&Keep running"), QMessageBox::RejectRole));
  connect(box, &QMessageBox::finished, this, [this, box, end, act] {
    disconnect(job_, nullptr, box, nullptr);  // it lives on for a moment
    if (box->clickedButton() == end) without(act);
  });
  const auto follow = [this, box, act] {
    if (const QString now = loss(); !now.isEmpty()) return box->setText(now);
    box->close();
    QTimer::singleShot(0, this, act);  // nothing is in its way any more
  };
  connect(job_, &FigureJob::progressed, box, follow);
  connect(job_, &FigureJob::runningChanged, box, follow);
  box->open();
}

}  // namespace kvantage
