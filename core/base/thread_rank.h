#pragma once

namespace kvantage {

/// What a thread's work is worth to who sits before the window, first to last. Linux schedules threads of one process
/// by it.
enum class ThreadRank {
  window,     ///< answers a hand: short turns, at once
  transfers,  ///< moves bytes that somebody waits for: short turns between products; stands where who started it stands
  curves,     ///< what the hand is waiting to see next
  other_curves,  ///< what it compares that with
  engine,        ///< the model's work; libtorch's workers inherit the rank of who starts them
  forecasts      ///< may come whenever a core is free
};

/// Gives the calling thread (and what it starts from then on) its rank. A kernel that refuses leaves it as it was.
void rank_this_thread(ThreadRank rank);

}  // namespace kvantage
