// How far the reading of several runs is, in hundredths of all of them: reported no more often than a window can show.
#pragma once

#include <QObject>
#include <atomic>
#include <functional>

#include "core/ports/run_library.h"

namespace kvantage {

constexpr int read_steps = 100;

/// For reading run number `index` of `count`. `tell(step)` runs on the thread of `owner`; reading ends early once
/// `cancelled`.
inline ShouldContinue watch_reading(QObject& owner, std::size_t index, std::size_t count,
                                    const std::atomic<bool>& cancelled, std::function<void(int)> tell) {
  return [&owner, index, count, &cancelled, tell = std::move(tell), told = -1](std::uint64_t done,
                                                                               std::uint64_t total) mutable {
    const double part = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
    const int step = static_cast<int>((static_cast<double>(index) + part) / static_cast<double>(count) * read_steps);
    if (step > told)
      QMetaObject::invokeMethod(
          &owner, [tell, step] { tell(step); }, Qt::QueuedConnection);
    told = std::max(told, step);
    return !cancelled;
  };
}

}  // namespace kvantage
