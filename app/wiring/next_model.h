// Which model the next session is opened with, when a window gives way to another.
#pragma once

#include <filesystem>

#include "core/ports/session.h"

namespace kvantage {

/// A model that could not be loaded is left behind with its session: a workload that is opened from there is served
/// with the model that was loaded last. One that is still loading stays, as does any model while a session without an
/// engine is shown.
class NextModel {
 public:
  /// `first`: what is served where none was ever loaded.
  explicit NextModel(std::filesystem::path first) : loaded_(std::move(first)) {}
  /// After a session with an engine that was opened with `model`: how far it came. The model for the next workload.
  std::filesystem::path after(const std::filesystem::path& model, const SessionInfo& info, RunState state);

 private:
  std::filesystem::path loaded_;
};

}  // namespace kvantage
