// CUDA graphs through libtorch: tensors created while recording get memory owned by the graph.
#include <ATen/cuda/CUDAGraph.h>

#include "gpu/model/step_graph.h"

namespace kvantage::gpu {
namespace {

class CudaStepGraph final : public StepGraph {
 public:
  void replay() override { graph.replay(); }
  at::cuda::CUDAGraph graph;
};

}  // namespace

bool has_step_graphs(at::Device device) { return device.is_cuda(); }

Expected<std::unique_ptr<StepGraph>> record_step(std::function<Status()> body) {
  auto made = std::make_unique<CudaStepGraph>();
  // Other threads may copy and pin memory meanwhile, which the global mode forbids.
  made->graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
  Status status;
  try {
    status = body();
  } catch (...) {
    try {
      made->graph.capture_end();       // a stream left in capture mode would reject all later work
    } catch (const std::exception&) {  // it only says that something failed before
    }
    throw;
  }
  if (!status) {
    try {
      made->graph.capture_end();
    } catch (const std::exception&) {
    }
    return tl::unexpected(std::move(status).error());
  }
  made->graph.capture_end();
  return std::unique_ptr<StepGraph>(std::move(made));
}

}  // namespace kvantage::gpu
