#include "app/interrupt_notifier.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "app/cli/base/interrupts.h"

namespace kvantage {

InterruptNotifier::InterruptNotifier(std::function<void()> told) {
  if (::pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  notifier_ = std::make_unique<QSocketNotifier>(pipe_[0], QSocketNotifier::Read);
  QObject::connect(notifier_.get(), &QSocketNotifier::activated, notifier_.get(), [this, told = std::move(told)] {
    notifier_->setEnabled(false);
    told();
  });
  cli::wake_at_interrupts(pipe_[1]);
  if (cli::interrupted()) (void)!::write(pipe_[1], "", 1);
}

InterruptNotifier::~InterruptNotifier() {
  cli::wake_at_interrupts(-1);
  notifier_.reset();
  for (const int end : pipe_)
    if (end >= 0) ::close(end);
}

}  // namespace kvantage
