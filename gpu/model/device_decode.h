// Greedy decode steps of batches: one step per batch size, with a graph if the device supports graphs, created on first
// use.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "gpu/model/decode_step.h"
#include "gpu/model/device_guard.h"
#include "gpu/model/step_graph.h"

namespace kvantage::gpu {

class DeviceDecode {
 public:
  /// Weights and streams must outlive it.
  DeviceDecode(const DeviceWeights& weights, const DeviceStreams& streams, bool graphs)
      : weights_(weights), streams_(streams), graphs_(graphs && has_step_graphs(streams.device())) {}

  /// As GpuModel::decode(): the next tokens, [steps, sequences].
  Expected<std::vector<std::int32_t>> run(std::span<DeviceCache* const> caches, std::span<const std::int32_t> tokens,
                                          int steps);
  /// fp32 [sequences, vocab_size] of the last step; undefined before the first.
  const at::Tensor& logits() const { return logits_; }

  bool graphs() const { return graphs_; }
  void use_graphs(bool use) { graphs_ = use && has_step_graphs(streams_.device()); }

 private:
  struct Prepared {
    DecodeStep step;
    bool ran = false;
    std::unique_ptr<StepGraph> graph;
  };
  Expected<Prepared*> prepare(const CacheArena& arena, int sequences, int longest);
  Status step(Prepared& prepared);

  const DeviceWeights& weights_;
  const DeviceStreams& streams_;
  bool graphs_;
  std::map<std::pair<int, int>, std::unique_ptr<Prepared>> prepared_;  // by sequences and rows of the longest head
  at::Tensor logits_;
};

}  // namespace kvantage::gpu
