// Where kernels are emulated: no graphs.
#include "gpu/model/step_graph.h"

namespace kvantage::gpu {

bool has_step_graphs(at::Device) { return false; }
Expected<std::unique_ptr<StepGraph>> record_step(const std::function<Status()>&) {
  return fail(ErrorCode::internal, "graphs of decode steps: this device has none; run steps plainly");
}

}  // namespace kvantage::gpu
