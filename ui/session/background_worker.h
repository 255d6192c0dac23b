// One thread for what may take long: reading a database, comparing, writing files. Pieces run one after the other;
// their answers come back on the thread that owns the worker. What still waits when the worker goes is dropped.
#pragma once

#include <QObject>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace kvantage {

class BackgroundWorker : public QObject {
  Q_OBJECT
 public:
  /// Set by whoever wants a piece to end early; the work looks at it now and then.
  using Cancel = std::shared_ptr<std::atomic<bool>>;

  explicit BackgroundWorker(QObject* parent = nullptr);
  /// Cancels the running piece and waits for it.
  ~BackgroundWorker() override;

  /// `work(cancelled)` runs on the thread, `done(result)` on the owner's thread afterwards, also for cancelled pieces.
  template <class Work, class Done>
  Cancel run(Work work, Done done) {
    auto cancel = std::make_shared<std::atomic<bool>>(false);
    post(cancel, [this, work = std::move(work), done = std::move(done), cancel]() mutable {
      auto result = std::make_shared<decltype(work(*cancel))>(work(*cancel));
      QMetaObject::invokeMethod(
          this, [done = std::move(done), result]() mutable { done(std::move(*result)); }, Qt::QueuedConnection);
    });
    return cancel;
  }
  bool idle() const { return open_ == 0; }

 private:
  struct Piece {
    Cancel cancel;
    std::function<void()> run;
  };
  void post(Cancel cancel, std::function<void()> run);
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Piece> waiting_;
  Cancel in_flight_;
  bool closing_ = false;
  std::atomic<int> open_{0};
  std::thread thread_;
};

}  // namespace kvantage
