// What-if planning on the curves that ImportedCurves shows: a published model's shape and times, a trace, and budgets.
// Computed on a thread of its own, again whenever one of them changes.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <array>
#include <cstdint>
#include <vector>

#include "core/imported/what_if.h"
#include "ui/live/contexts/imported/model/imported_curves.h"
#include "ui/session/latest_job.h"

namespace kvantage {

class WhatIfModel : public QObject {
  Q_OBJECT
 public:
  /// presets: folder of resources/presets; empty: there are none. `curves` outlive it.
  WhatIfModel(ImportedCurves& curves, QString presets, QObject* parent = nullptr);
  /// Reads the presets, once: before that, there are none.
  void open();

  QStringList presets() const;
  const QString& preset() const { return preset_; }
  void choose_preset(const QString& name);
  /// A file that open_trace() reads; empty: none.
  void set_trace(const QString& path);
  const QString& trace() const { return trace_; }
  /// A table of times (core/imported/ttft_table.h) in place of the preset's; empty: none.
  void set_times(const QString& path);
  const QString& times() const { return times_; }
  /// Budget of the first or second tier, as a share of all contexts uncompressed.
  void set_share(std::size_t tier, double share);
  double share(std::size_t tier) const { return shares_.at(tier); }

  bool busy() const { return busy_; }
  /// Of the latest computation; empty: it failed, runs, or something is missing.
  const std::vector<WhatIfPoint>& points() const { return points_; }
  /// What is missing or why it failed; else where the numbers are from.
  const QString& note() const { return note_; }

 signals:
  void changed();

 private:
  void compute();
  void take(std::uint64_t number, const Expected<std::vector<WhatIfPoint>>& made, const QString& source);
  void say(const QString& text);

  ImportedCurves& curves_;
  QString folder_, preset_, trace_, times_, note_;
  QString unread_;  // why presets could not be read
  std::vector<SimulatorPreset> presets_;
  std::array<double, 2> shares_{0.1, 0.2};
  std::vector<WhatIfPoint> points_;
  std::uint64_t number_ = 0;  // of the latest computation
  bool opened_ = false, busy_ = false;
  LatestJob job_{ThreadPriority::forecasts};  // last: its thread ends before anything that it posts to
};

}  // namespace kvantage
