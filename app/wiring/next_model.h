// The model of the next session, when a window replaces its session.
#pragma once

#include <filesystem>

#include "core/ports/session.h"

namespace kvantage::inline wiring {

/// A model that failed to load is dropped with its session: the next workload uses the last loaded model. A model that
/// is still loading is kept, as is any model during a session without an engine.
class NextModel {
 public:
  /// `first`: used if no model was ever loaded.
  explicit NextModel(std::filesystem::path first) : loaded_(std::move(first)) {}
  /// Call after a session with an engine opened with `model`: how far it got. Returns the model for the next workload.
  std::filesystem::path after(const std::filesystem::path& model, const SessionInfo& info, RunState state);

 private:
  std::filesystem::path loaded_;
};

}  // namespace kvantage::inline wiring
