// The journal: writes every event of a run to the run store, in order, none dropped.
#pragma once

#include "core/ports/stores.h"

namespace kvantage::inline store {

class JournalSink final : public EventSink {
 public:
  explicit JournalSink(RunStore* runs) : runs_(runs) {}
  void publish(const Event& event) override {
    if (runs_ != nullptr && in_run_) runs_->append(event);
  }
  /// Only events of a run are journaled: from RunStarted to RunFinished.
  void set_in_run(bool in_run) { in_run_ = in_run; }

 private:
  RunStore* runs_;
  bool in_run_ = false;
};

}  // namespace kvantage::inline store
