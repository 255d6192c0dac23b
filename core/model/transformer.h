// The language model: a Llama-family decoder that reads and writes a ragged KvCache.
//
// Idea: a forward pass is a machine of small resumable steps. PrefillTask::step() computes ONE layer of ONE fixed
// chunk of tokens, DecodeTask::step() one layer of one token; the engine interleaves tasks, waits before layer l until
// layer l of a cache that is still loading has arrived, and cancels by not calling step() again. Projections of a
// prefill are libtorch GEMMs over memory-mapped weights; attention over ragged heads and everything of a decode step
// are own kernels (core/model/kernels). Every number a query gets depends only on the rows it may see and on the chunk
// it was prefilled in, never on block size or on how heads were spread over threads.
// Not thread-safe: one thread (the engine's) drives all tasks of a Transformer. No torch type appears here.
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
#include "core/model/kernels/isa.h"

namespace kvantage {

enum class ComputeType { bf16, fp32 };
const char* to_string(ComputeType type);

struct LoadOptions {
  /// fp32 always computes in fp32. Unset: what the checkpoint stores, where this processor multiplies bf16 fast.
  std::optional<ComputeType> compute;
  /// Type of keys and values in the cache. Unset: fp32 when compute = fp32 was asked for or stored, else bf16.
  std::optional<KvType> kv_type;
  /// The most bytes the weights may take. 0: what the system says is available.
  std::uint64_t memory_limit_bytes = 0;
  /// Instruction set of the kernels. Unset: the best this processor has.
  std::optional<Isa> isa;
  /// Single tokens, rounded to 16 bits with a scale for every 32, are multiplied with matrices of Q8_0 as the file
  /// packs them: half the bytes to read of bf16, for as much more memory. Prefill multiplies with the widened ones. Not
  /// where fp32 is computed by choice.
  bool packed_products = true;
};

class ModelDevice;

/// A model ready to compute.
class Transformer {
 public:
  /// Maps and checks the weights of a Hugging Face folder (model.safetensors, or shards with
  /// model.safetensors.index.json). rejected_input: a file that lies about itself, a tensor that is missing or has
  /// another shape than config.json says, a model larger than memory.
  static Expected<std::unique_ptr<Transformer>> load(const std::filesystem::path& folder,
                                                     const LoadOptions& options = {});
  ~Transformer();
  Transformer(const Transformer&) = delete;
  Transformer& operator=(const Transformer&) = delete;

  const ModelConfig& config() const;
  KvShape kv_shape() const;
  ComputeType compute() const;
  /// Digest of config and weights; equal for one file and for shards of the same tensors.
  Digest128 digest() const;
  /// For CacheIdentity: changes with the kernels' revision, the compute type, the instruction set in use and, where the
  /// compute type is fp32, the number of threads.
  int numerics_version() const;
  /// Passes are computed there from now on, not by the processor (model_device.h). Null: by the processor.
  void compute_on(std::shared_ptr<ModelDevice> device);
  ModelDevice* device() const;
  /// "bf16 GEMM, avx512bf16 attention, 2 threads", or what the device says of itself.
  std::string path_description() const;
  /// Bytes of weights held or mapped.
  std::uint64_t weight_bytes() const;
  /// Radians per position of each channel pair: [head_dim / 2].
  std::span<const float> rope() const;

  /// A whole decode step: appends `token` at `position` to every layer of `cache` and writes the next token's logits
  /// [vocab_size]. no_space: the cache is as before.
  Status decode(KvCache& cache, std::int32_t token, std::int32_t position, std::span<float> logits);

  struct Impl;  // defined in core/model, holds the tensors
  Impl& impl() { return *impl_; }
  const Impl& impl() const { return *impl_; }

 private:
  explicit Transformer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

enum class PrefillLogits { none, last, all };

struct PrefillOptions {
  /// Tokens a step computes together. Part of a cache's identity: other chunks give other last bits.
  int chunk_tokens = 256;
  /// Keep the queries (after RoPE) of the last so many tokens, for methods that score by them; 0: none.
  int window_queries = 0;
  PrefillLogits logits = PrefillLogits::last;
  /// Nobody reads the rows but passes over the same cache: a device that computes them need not bring them into the
  /// cache.
  bool rows_may_stay = false;
};

/// The prefill of a run of tokens at original positions first_position, first_position + 1, ... onto what `cache`
/// holds. A chunk starts every chunk_tokens tokens from the first one. Model and cache must outlive the task; the cache
/// may not be written by others meanwhile, except layers >= next_layer() before the first chunk reaches them.
class PrefillTask {
 public:
  PrefillTask(Transformer& model, KvCache& cache, std::vector<std::int32_t> tokens, std::int32_t first_position,
              const PrefillOptions& options = {});
  ~PrefillTask();
  PrefillTask(PrefillTask&&) noexcept;
  PrefillTask& operator=(PrefillTask&&) noexcept;

  /// Computes layer next_layer() of chunk next_chunk(): appends its keys and values to the cache, then moves on.
  /// rejected_input: a token id outside the vocabulary or
  /// positions beyond the model's, both before anything is computed; no_space: the pool is full.
  /// After an error, or to cancel, cache.truncate(first_position) takes back what was appended.
  Status step();
  /// step() until done().
  Status run();

  bool done() const;
  int next_layer() const;
  int next_chunk() const;
  int chunks() const;
  /// Steps still to come: layers x chunks left, for progress.
  int steps_left() const;
  std::int32_t first_position() const;
  std::int32_t end_position() const;  // first_position + tokens
  /// The rows are on a device and not in the cache, which counts the tokens all the same.
  bool rows_stay() const;

  /// After done(). last: [vocab_size]; all: [tokens, vocab_size]; none: empty. fp32.
  std::span<const float> logits() const;
  /// After done(): queries of the last min(window_queries, tokens) tokens; the task gives them away.
  WindowQueries take_window_queries();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One token, layer by layer; the same numbers as Transformer::decode.
class DecodeTask {
 public:
  /// hooks: seen and asked in every layer (decode_hooks.h); outlives the task. Null: none.
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

/// Threads that the model may use, the caller's included; also for libtorch. 0: as many as there are cores.
void set_compute_threads(int threads);
int compute_threads();

}  // namespace kvantage
