// The language model: a Llama-family decoder that reads and writes a ragged KvCache.
//
// A forward pass is a state machine of small resumable steps. PrefillTask::step() computes ONE layer of ONE fixed chunk
// of tokens, DecodeTask::step() one layer of one token. The engine interleaves tasks, waits before layer l until layer
// l of a loading cache has arrived, and cancels by not calling step() again. Projections of a prefill are libtorch
// GEMMs over memory-mapped weights; attention over ragged heads and all of a decode step are own kernels
// (core/model/kernels). The results of a query depend only on its visible rows and its prefill chunk, never on block
// size or on the distribution of heads over threads. With LoadOptions::batch_invariant, they do not depend on the
// chunk. Not thread-safe: the engine's thread drives all tasks of a Transformer. No torch type appears here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/kv/kv_cache.h"
#include "core/kv/serial.h"
#include "core/model/config.h"
#include "core/model/decode_hooks.h"
#include "core/model/load_options.h"

namespace kvantage::inline model {

class ModelDevice;

/// A loaded model.
class Transformer {
 public:
  /// Maps and checks the weights of a Hugging Face folder (model.safetensors, or shards with
  /// model.safetensors.index.json). rejected_input: an inconsistent file, a tensor that is missing or differs in shape
  /// from config.json, a model larger than memory.
  static Expected<std::unique_ptr<Transformer>> load(const std::filesystem::path& folder,
                                                     const LoadOptions& options = {});
  ~Transformer();
  Transformer(const Transformer&) = delete;
  Transformer& operator=(const Transformer&) = delete;

  const ModelConfig& config() const;
  KvShape kv_shape() const;
  ComputeType compute() const;
  Digest128 digest() const;  // of config and weights; equal for one file and for shards of the same tensors
  /// For CacheIdentity: changes with the kernels' revision, the compute type, the instruction set in use,
  /// batch-invariant products and, without these where the compute type is fp32, the number of threads.
  int numerics_version() const;
  /// Computes passes on a device from now on instead of the CPU (model_device.h). Null: on the CPU.
  void compute_on(std::shared_ptr<ModelDevice> device);
  ModelDevice* device() const;
  /// "bf16 GEMM, avx512bf16 attention, 2 threads", or the device's own description.
  std::string path_description() const;
  std::uint64_t weight_bytes() const;  // held or mapped
  /// Radians per position of each channel pair: [head_dim / 2]; empty where layers rotate by different angles.
  std::span<const float> rope() const;

  /// A whole decode step: appends `token` at `position` to every layer of `cache` and writes the next token's logits
  /// [vocab_size]. no_space: the cache is as before.
  Status decode(KvCache& cache, std::int32_t token, std::int32_t position, std::span<float> logits);

  struct Impl;  // defined in core/model, owns the tensors
  Impl& impl() { return *impl_; }
  const Impl& impl() const { return *impl_; }

 private:
  explicit Transformer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

enum class PrefillLogits { none, last, all };

struct PrefillOptions {
  int chunk_tokens = 256;  // per step. Part of a cache's identity: other chunks give other last bits.
  /// Keep the queries (after RoPE) of the last tokens, for methods that score by them; 0: none.
  int window_queries = 0;
  PrefillLogits logits = PrefillLogits::last;
  bool rows_may_stay = false;  // only passes over the same cache read them: a device need not copy them back into it
  bool layers_first = false;   // a layer of all chunks before the next layer: the same bits; ignored on a device
};

/// The prefill of a run of tokens at original positions first_position, first_position + 1, ... onto the content of
/// `cache`. A chunk starts every chunk_tokens tokens from the first one. Model and cache must outlive the task. Nobody
/// else may write the cache meanwhile, except layers that the first chunk has not reached or the last one has passed.
class PrefillTask {
 public:
  PrefillTask(Transformer& model, KvCache& cache, std::vector<std::int32_t> tokens, std::int32_t first_position,
              const PrefillOptions& options = {});
  ~PrefillTask();
  PrefillTask(PrefillTask&&) noexcept;
  PrefillTask& operator=(PrefillTask&&) noexcept;

  /// Computes layer next_layer() of chunk next_chunk(): appends its keys and values to the cache, then advances.
  /// rejected_input: a token id outside the vocabulary or positions beyond the model's, both before any compute;
  /// no_space: the pool is full. After an error, or to cancel, cache.truncate(first_position) undoes the appends.
  Status step();
  Status run();  // step() until done()
  /// Queries of all tokens in next_layer(), before its first chunk: [heads, tokens, head_dim], fp32, after RoPE, not
  /// scaled. internal: on a device, or with more than one chunk and without layers_first.
  Expected<std::vector<float>> next_queries();

  bool done() const;
  int next_layer() const;
  int next_chunk() const;
  int chunks() const;
  int steps_left() const;  // layers x chunks that remain, for progress
  std::int32_t first_position() const;
  std::int32_t end_position() const;  // first_position + tokens
  bool rows_stay() const;             // on a device and not in the cache, whose length includes them

  /// After done(). last: [vocab_size]; all: [tokens, vocab_size]; none: empty. fp32.
  std::span<const float> logits() const;
  /// After done(): moves out the queries of the last min(window_queries, tokens) tokens.
  WindowQueries take_window_queries();
  struct State;  // prefill.h
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// One token, layer by layer; the same numbers as Transformer::decode.
class DecodeTask {
 public:
  /// hooks: called in every layer (decode_hooks.h); must outlive the task. Null: none.
  DecodeTask(Transformer& model, KvCache& cache, std::int32_t token, std::int32_t position,
             DecodeHooks* hooks = nullptr);
  ~DecodeTask();
  DecodeTask(DecodeTask&&) noexcept;
  DecodeTask& operator=(DecodeTask&&) noexcept;

  Status step();
  Status run();
  bool done() const;
  int next_layer() const;
  /// After done(): [vocab_size].
  std::span<const float> logits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Threads for the model, including the caller's; also for libtorch. 0: as many as choose_compute_cores() finds.
void set_compute_threads(int threads);
int compute_threads();

}  // namespace kvantage::inline model
