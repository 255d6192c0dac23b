#include "ui/papers/figure_question.h"

#include <QMessageBox>
#include <QPushButton>
#include <QStringList>
#include <QTimer>
#include <utility>

#include "ui/papers/model/figure_job.h"

namespace kvantage {

FigureQuestion::FigureQuestion(QWidget& window, const FigureJob* job) : QObject(&window), window_(window), job_(job) {
  if (job_ == nullptr) return;
  connect(job_, &FigureJob::progressed, this, &FigureQuestion::follow);
  connect(job_, &FigureJob::runningChanged, this, &FigureQuestion::follow);
}

QString FigureQuestion::figure_loss() const { return job_ ? job_->loss() : QString(); }

QString FigureQuestion::loss() const {
  QStringList lost{figure_loss(), experiments_loss()};
  lost.removeAll(QString());
  return lost.join('\n');
}

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
  act_ = act;
  box->setObjectName("endFigureBox");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  QStringList consequences;
  const bool figure = !figure_loss().isEmpty();
  if (figure)
    consequences << tr(
        "If you continue, the figure is canceled without a result. To keep its progress, wait until it finishes.");
  if (!experiments_loss().isEmpty())
    consequences << tr("The queue of experiments and all results are kept: resume it after the next start.");
  box->setInformativeText(consequences.join('\n'));
  QPushButton* end = figure ? box->addButton(tr("&Cancel figure"), QMessageBox::DestructiveRole)
                            : box->addButton(tr("Keep the &queue for the next start"), QMessageBox::AcceptRole);
  QPushButton* stay = box->addButton(tr("&Keep running"), QMessageBox::RejectRole);
  end->setToolTip(figure ? tr("Cancel the figure without a result, and continue with what was asked for")
                         : tr("Continue with what was asked for; the queue can be resumed later"));
  stay->setToolTip(tr("Close this; what is running continues (Esc)"));
  box->setDefaultButton(figure ? stay : end);
  connect(box, &QMessageBox::finished, this, [this, box, end, act] {
    if (box_ == box) box_ = nullptr;  // it lives on for a moment
    if (box->clickedButton() == end) without(act);
  });
  box->open();
}

void FigureQuestion::follow() {
  if (!box_) return;
  if (const QString now = loss(); !now.isEmpty()) return box_->setText(now);
  const QString what = box_->windowTitle();
  box_->close();
  // Nothing is in its way any more, unless the next one of a queue has begun: that is asked again.
  QTimer::singleShot(0, this, [this, what, act = std::exchange(act_, {})] { before(what, act); });
}

}  // namespace kvantage
