// What a prefill keeps between its steps; internal to core/model, because it holds tensors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/model/model_device.h"
#include "core/model/transformer_impl.h"

namespace kvantage::inline model {

struct PassBuffers;

struct PrefillTask::State {
  State(Transformer& transformer, KvCache& target, std::vector<std::int32_t> ids, std::int32_t first_position,
        const PrefillOptions& settings);

  int total() const { return static_cast<int>(tokens.size()); }
  int chunks() const { return (total() + options.chunk_tokens - 1) / options.chunk_tokens; }
  int chunk_start() const { return chunk * options.chunk_tokens; }
  int chunk_size() const { return std::min(options.chunk_tokens, total() - chunk_start()); }
  bool last_chunk() const { return chunk + 1 == chunks(); }
  bool layers_first() const { return options.layers_first && model.device == nullptr; }
  bool top_layer() const { return layer + 1 == model.config.layers; }
  /// Whether anybody reads the present chunk's output of the present layer: of the last layer, only logits do.
  bool needs_output() const;
  /// The same of its queries.
  bool needs_queries() const;
  /// Of the present chunk: [chunk, hidden], and its row t.
  at::Tensor present_residual() const;
  float* residual_row(int t) const;

  /// PrefillTask::step() without the advance.
  Status step();
  /// What precedes the layer's arithmetic: checks the request in the first step, and embeds tokens in the first layer.
  Status begin_step();
  void advance();
  Status queries_ahead(std::vector<float>& queries);

  Transformer::Impl& model;
  KvCache& cache;
  std::vector<std::int32_t> tokens;
  std::int32_t first;
  PrefillOptions options;
  int layer = 0;
  int chunk = 0;
  bool begun = false;
  bool finished = false;
  std::unique_ptr<ModelDevice::Prefill> on_device;  // replaces everything below except the results

  std::shared_ptr<PassBuffers> buffers;  // shared by all prefills of the model
  RopeTables ropes;                      // of the present chunk, as are the positions
  std::vector<std::int32_t> positions;
  at::Tensor residual;  // [chunk, hidden] fp32; layers_first(): of all chunks
  std::vector<float> logit_values;
  WindowQueries window;

 private:
  Status begin();
  void begin_chunk();
};

}  // namespace kvantage::inline model
