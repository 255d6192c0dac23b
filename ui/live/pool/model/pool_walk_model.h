// A walk through a paged pool and the moment of it that is shown. Walks are made off the window's thread; of several
// requests the newest counts. Knows no widget.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <vector>

#include "core/ports/pool_walk.h"
#include "ui/session/latest_job.h"

namespace kvantage {

class PoolWalkModel : public QObject {
  Q_OBJECT
 public:
  struct Choice {
    QString text, value, tip;
  };
  static const std::vector<Choice>& eviction_methods();
  static const std::vector<Choice>& compactions();
  static constexpr int play_ms = 120;

  /// walk: null where no pool can be walked through.
  explicit PoolWalkModel(WalkPool walk, QObject* parent = nullptr);

  const PoolWalkSetting& setting() const { return setting_; }
  /// The same moment of the new walk is shown, by tokens decoded.
  void set_setting(const PoolWalkSetting& setting);
  bool available() const { return static_cast<bool>(walk_); }
  QString error() const { return error_; }

  int size() const { return static_cast<int>(frames_.size()); }
  int at() const { return at_; }
  void go_to(int frame);
  void step(int frames) { go_to(at_ + frames); }
  /// The next moment of this kind ("evict", "compact"), or the end.
  void go_to_next(const std::string& kind);
  bool playing() const { return timer_.isActive(); }
  void play(bool on);
  const PoolFrame* frame() const { return frames_.empty() ? nullptr : &frames_[static_cast<std::size_t>(at_)]; }
  /// The moment before; null at the first.
  const PoolFrame* previous() const { return at_ > 0 ? &frames_[static_cast<std::size_t>(at_ - 1)] : nullptr; }
  /// "Block 3, held by 2 tables: 5 rows live, 2 dead, 1 never written".
  QString hover_text(std::size_t block, int row) const;
  /// "7 of 17 blocks free ..." in one line.
  QString gauges_text() const;
  /// Header and one row per moment: what happened and what the pool held then.
  std::vector<QStringList> rows() const;

 signals:
  void walked();  // another walk
  void moved();   // another moment of it
  void playingChanged();

 private:
  void make();
  void take(Expected<std::vector<PoolFrame>> frames);

  WalkPool walk_;
  PoolWalkSetting setting_;
  std::vector<PoolFrame> frames_;
  int at_ = 0;
  QString error_;
  QTimer timer_;
  LatestJob job_;  // the last member: it ends first
};

}  // namespace kvantage
