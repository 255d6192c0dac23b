// What viewers ask of an engine beside its session: the keep map of a context, answers to questions of the user's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/session_board.h"
#include "core/inspect/inspection_mailbox.h"
#include "core/ports/asker.h"
#include "core/ports/inspector.h"

namespace kvantage::inline engine {

/// Puts requests into the mailboxes and wakes the engine's thread, which computes them (ContextInspector, TextAsker).
class ViewerPorts : public Inspector, public Asker {
 public:
  /// board: of the engine; must outlive this, and need not be constructed yet.
  explicit ViewerPorts(SessionBoard& board) : wakes_(board) {}

  std::uint64_t request_keep_map(const KeepMapRequest& request) override;
  void drop_keep_map() override;
  std::shared_ptr<const KeepMapResult> keep_map() const override { return mailboxes_.keep_maps.result(); }
  std::string keep_map_work() const override { return mailboxes_.keep_maps.work(); }
  std::vector<std::string> methods() const override;

  std::uint64_t ask(const AskRequest& request) override;
  void stop_asking() override;
  std::optional<AskResult> asked_since(const AskSeen& seen) const override { return mailboxes_.asks.since(seen); }
  std::string ask_work() const override { return mailboxes_.asks.work(); }

 protected:
  ViewerMailboxes& mailboxes() { return mailboxes_; }

 private:
  std::string end_of_engine() const;

  SessionBoard& wakes_;
  ViewerMailboxes mailboxes_;
};

}  // namespace kvantage::inline engine
