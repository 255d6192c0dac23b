// Work of a device that is recorded once and given to it again as a whole, which takes one launch in place of hundreds
// (CUDA graphs).
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
/// What `body` gives to the current stream, which must not be the default one, is recorded and not done. Everything in
/// it must have run once before: libraries take memory and load kernels then. What the body refers to outlives the
/// graph.
Expected<std::unique_ptr<StepGraph>> record_step(std::function<Status()> body);

}  // namespace kvantage::gpu
