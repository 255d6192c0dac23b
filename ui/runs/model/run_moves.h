// Settings that a hand moved while a run continued: which, when, from what to what. Any thread.
#pragma once

#include <QString>
#include <vector>

#include "core/ports/events.h"

namespace kvantage {

struct RunMove {
  double seconds = -1;  // since the run began; below 0: its journal does not say
  QString name;         // "alpha", "dram budget"
  QString text;         // "alpha: 0.8 → 2.4"
  bool operator==(const RunMove&) const = default;
};

/// Types of events that run_moves() reads.
std::vector<std::string> run_move_types();
std::vector<RunMove> run_moves(const std::vector<Event>& events);
/// "alpha ×3, dram budget"; empty without moves.
QString run_moves_names(const std::vector<RunMove>& moves);
/// A line each with its time, `most` of them at most and how many more there are.
QStringList run_moves_lines(const std::vector<RunMove>& moves, qsizetype most);

/// As kept beside a run's metrics.
Json run_moves_json(const std::vector<RunMove>& moves);
/// Nothing when `json` was not written by run_moves_json().
std::optional<std::vector<RunMove>> run_moves_from_json(const Json& json);

}  // namespace kvantage
