#include "app/wiring/next_model.h"

namespace kvantage::inline wiring {

std::filesystem::path NextModel::after(const std::filesystem::path& model, const SessionInfo& info, RunState state) {
  if (!info.model_name.empty())
    loaded_ = model;  // remembered once it is loaded, whatever fails later
  else if (state == RunState::failed)
    return loaded_;
  return model;
}

}  // namespace kvantage::inline wiring
