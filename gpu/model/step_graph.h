// Device work that is recorded once and replayed as a whole, with one launch instead of hundreds (CUDA graphs).
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>

#include "core/base/error.h"

namespace kvantage::gpu {

class StepGraph {
 public:
  virtual ~StepGraph() = default;
  /// Into the current stream.
  virtual void replay() = 0;
};

bool has_step_graphs(at::Device device);
/// Records what `body` submits to the current stream, which must not be the default one, without running it. Everything
/// in it must have run once before: libraries allocate memory and load kernels then. What the body refers to must
/// outlive the graph.
Expected<std::unique_ptr<StepGraph>> record_step(std::function<Status()> body);

}  // namespace kvantage::gpu
