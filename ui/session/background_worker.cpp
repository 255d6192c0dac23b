#include "ui/session/background_worker.h"

namespace kvantage {

BackgroundWorker::BackgroundWorker(QObject* parent) : QObject(parent), thread_([this] { work(); }) {}

BackgroundWorker::~BackgroundWorker() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    waiting_.clear();
    if (in_flight_) *in_flight_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void BackgroundWorker::post(Cancel cancel, std::function<void()> run) {
  ++open_;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(cancel), std::move(run)});
  }
  wake_.notify_one();
}

void BackgroundWorker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    Piece piece = std::move(waiting_.front());
    waiting_.pop_front();
    in_flight_ = piece.cancel;
    lock.unlock();
    piece.run();
    piece = {};
    --open_;
    lock.lock();
    in_flight_.reset();
  }
}

}  // namespace kvantage
