// The models of a recorded run as they are at moments all along it. Going anywhere begins at the last of them before
// it, so it costs some thousand events at most, however long the run is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ui/session/run_progress.h"
#include "ui/session/run_projection.h"

namespace kvantage {

struct RunKeyframe {
  std::size_t moment = 0;  // events that happened
  RunProgress progress;
  std::vector<RunProjection::State> states;  // of the run's projections, in their order
};

struct RunKeyframes {
  static constexpr std::size_t max = 48, min_spacing = 1024;  // keyframes; events between two

  struct Served {
    std::size_t moment = 0;  // right behind its event
    Digest128 context;
  };
  std::size_t spacing = min_spacing;
  std::vector<RunKeyframe> frames;  // ascending
  std::vector<Served> served;       // requests that were answered, in order

  const RunKeyframe* last_before(std::size_t moment) const {
    const auto above = std::ranges::upper_bound(frames, moment, {}, &RunKeyframe::moment);
    return above == frames.begin() ? nullptr : &*std::prev(above);
  }
  std::size_t served_until(std::size_t moment) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(served, moment, {}, &Served::moment) - served.begin());
  }
};

}  // namespace kvantage
