// The moments of a run that people look for, read from its events: the timeline and replays show the same ones.
#pragma once

#include <QString>
#include <optional>

#include "core/ports/events.h"

namespace kvantage {

struct RunMark {
  enum Kind { start, pause, end, setting, policy, eviction, drift, profile, fault, kind_count };
  Kind kind = start;
  QString text;                     // for people: "story-2 drifted"
  QString context = {};             // what it is about; may be empty
  QString name = {};                // of a setting
  QString before = {}, after = {};  // of a setting, as text
  QString detail = {};              // what is said of it on a line of its own; may be empty
};

/// Nothing for what is no such moment.
std::optional<RunMark> run_mark(const EventPayload& payload);
/// "setting", "re-profile", ... for tables.
QString run_mark_name(RunMark::Kind kind);

}  // namespace kvantage
