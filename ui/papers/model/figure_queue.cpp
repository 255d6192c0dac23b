#include "ui/papers/model/figure_queue.h"

#include "ui/text/words.h"

namespace kvantage {

FigureQueue::FigureQueue(FigureJob& job, QObject* parent) : QObject(parent), job_(job) {
  connect(
      &job_, &FigureJob::runningChanged, this,
      [this](bool running) {
        if (running || made_.isEmpty()) return;
        if (!job_.trouble().isEmpty()) failed_ << made_;
        made_.clear();
        take_next();
      },
      Qt::QueuedConnection);  // when the job has said how the last one ended
}

bool FigureQueue::start(const std::vector<const PaperFigure*>& figures) {
  if (figures.empty() || !job_.why_not().isEmpty()) return false;
  waiting_.assign(figures.begin(), figures.end());
  failed_.clear();
  total_ = figures.size();
  begun_ = 0;
  take_next();
  return true;
}

void FigureQueue::take_next() {
  if (waiting_.empty()) {
    if (total_ > 1)
      emit finished(failed_.isEmpty() ? QStringLiteral("info") : QStringLiteral("warning"),
                    failed_.isEmpty()
                        ? tr("%n figure(s) finished.", nullptr, static_cast<int>(total_))
                        : tr("%1 of %n figure(s) finished; without a result: %2", nullptr, static_cast<int>(total_))
                              .arg(total_ - static_cast<std::size_t>(failed_.size()))
                              .arg(failed_.join(QStringLiteral(", "))));
    total_ = 0;
    return;
  }
  const PaperFigure* next = waiting_.front();
  waiting_.pop_front();
  ++begun_;
  made_ = to_q(next->name);
  FigureOptions options;
  for (const FigureSetting& setting : next->settings)
    if (!setting.standard.empty()) options.emplace_back(to_q(setting.option), to_q(setting.standard));
  if (job_.start(*next, options)) return;
  failed_ << std::exchange(made_, QString());  // the session reloads, for instance: so it would for the others
  for (const PaperFigure* other : waiting_) failed_ << to_q(other->name);
  waiting_.clear();
  take_next();
}

void FigureQueue::cancel() {
  waiting_.clear();
  made_.clear();
  total_ = 0;
  job_.cancel();
}

QString FigureQueue::place_text() const {
  return total_ > 1 && !made_.isEmpty() ? tr("%1 of %2").arg(begun_).arg(total_) : QString();
}

}  // namespace kvantage
