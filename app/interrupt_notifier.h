// Calls back in the event loop of the window when a signal asks the program to end (cli::note_interrupts()).
#pragma once

#include <QSocketNotifier>

#include <array>
#include <functional>
#include <memory>

namespace kvantage {

class InterruptNotifier {
 public:
  /// told: called once, by the loop that runs then or by the next one; also for a signal that came before.
  explicit InterruptNotifier(std::function<void()> told);
  ~InterruptNotifier();
  InterruptNotifier(const InterruptNotifier&) = delete;
  InterruptNotifier& operator=(const InterruptNotifier&) = delete;

 private:
  std::array<int, 2> pipe_{-1, -1};
  std::unique_ptr<QSocketNotifier> notifier_;
};

}  // namespace kvantage
