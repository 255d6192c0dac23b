// A language model on a GPU, as the rest of the program sees it, without torch or CUDA types. It comes from a module
// that is loaded at run time (module_loader.h), or is linked with emulated kernels, where the device is this process.
//
// Program and module are built from one source tree: C++ objects cross the boundary. gpu_model_abi identifies their
// layout, and a module with another value is rejected. Not thread-safe: one thread drives a model and its sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"
#include "core/model/model_device.h"

namespace kvantage::gpu {

struct GpuModelOptions {
  std::uint64_t cache_bytes = std::uint64_t{1} << 30;  // KV caches of all sequences together
  int block_tokens = 32;                               // a multiple of 4
  int chunk_tokens = 2048;                             // per prefill chunk
  bool graphs = true;  // capture decode steps once and replay them, if the device supports it
};

/// The KV cache of one sequence on the device. Freed with the object; the model must outlive it.
class GpuSequence {
 public:
  virtual ~GpuSequence() = default;
  /// The next token's original position.
  virtual std::int32_t sequence_length() const = 0;
  virtual int kept(int layer, int kv_head) const = 0;
  virtual std::size_t held_bytes() const = 0;
};

/// A sequence's rows, layer by layer in page-locked host memory, in the device's block layout: the form for storage.
class GpuContextImage {
 public:
  virtual ~GpuContextImage() = default;
  virtual std::span<std::byte> layer(int layer) = 0;
};
/// Called before a layer of an image is copied to the device, e.g. to read it from a file.
using FillLayer = std::function<Status(int layer, std::span<std::byte> bytes)>;

class GpuModel {
 public:
  virtual ~GpuModel() = default;
  virtual const ModelConfig& config() const = 0;
  /// "bf16 on cuda:0, 14.96 GiB of weights, decode in graphs".
  virtual std::string description() const = 0;
  virtual std::uint64_t weight_bytes() const = 0;
  virtual std::uint64_t free_cache_bytes() const = 0;
  /// Whether decode steps are replayed from graphs.
  virtual bool has_graphs() const = 0;
  virtual void use_graphs(bool use) = 0;

  /// The device for a Transformer with the same weights: Transformer::compute_on(). Its caches share the memory with
  /// sequences.
  virtual ModelDevice& passes() = 0;

  virtual Expected<std::unique_ptr<GpuSequence>> new_sequence() = 0;
  /// Computes `tokens` at the sequence's next positions; returns the logits of the last token, fp32 [vocab_size], or of
  /// all of them [tokens, vocab_size], or nothing. rejected_input: a token outside the vocabulary, a position beyond
  /// the model's; no_space: the cache is full. On error the sequence is unchanged.
  virtual Expected<std::vector<float>> prefill(GpuSequence& sequence, std::span<const std::int32_t> tokens,
                                               PrefillLogits logits) = 0;
  /// `steps` greedy decode steps of a batch, each sequence starting with its token: returns the next tokens, [steps,
  /// sequences]. Errors as above; rows computed before the error stay.
  virtual Expected<std::vector<std::int32_t>> decode(std::span<GpuSequence* const> sequences,
                                                     std::span<const std::int32_t> tokens, int steps) = 0;
  /// Logits of the last decode step: fp32 [sequences, vocab_size].
  virtual Expected<std::vector<float>> decode_logits() = 0;

  /// Uploads all rows of `cache`, with ragged heads or holes, into an empty sequence. Layers are copied in order, in
  /// parallel to compute: a following prefill waits for each layer as it needs it. rejected_input: another shape than
  /// the model's, encoded rows.
  virtual Status upload(const KvCache& cache, GpuSequence& sequence) = 0;
  /// Appends to `cache` the sequence's additional rows per head: those computed here.
  virtual Status download(const GpuSequence& sequence, KvCache& cache) = 0;
  /// The sequence's rows in host memory.
  virtual Expected<std::unique_ptr<GpuContextImage>> image(const GpuSequence& sequence) = 0;
  /// Loads into an empty sequence, as upload(), without staging. `fill`, if given, is called before each layer. The
  /// image is read until a prefill or decode step of the sequence has ended, and must not be loaded again before.
  virtual Status load(GpuContextImage& image, GpuSequence& sequence, const FillLayer& fill) = 0;
  /// Removes all rows at original positions >= position.
  virtual Status truncate(GpuSequence& sequence, std::int32_t position) = 0;
  /// Waits for all device work.
  virtual Status synchronize() = 0;
};

/// The weights to open: a loaded model's, copied, or random ones of a shape, created on the device.
struct GpuModelSource {
  const Transformer* model = nullptr;
  const ModelConfig* shape = nullptr;
  std::uint64_t seed = 1;
};

/// An interface version, then the sizes of the types that cross it: changing either changes the value.
inline constexpr int gpu_model_abi =
    4 * 100'000 + static_cast<int>(sizeof(GpuModelOptions) + sizeof(GpuModelSource) + sizeof(ModelConfig) +
                                   sizeof(KvCache) + sizeof(ModelDeviceGauges));

/// The module's only entry point: 0 and `*opened` (owned by the caller), else the reason, one line of at most
/// `reason_bytes` including the terminator; gpu_model_no_device if there is no device.
inline constexpr int gpu_model_no_device = 2;
inline constexpr const char* gpu_model_entry = "kvantage_gpu_model_open";
using GpuModelEntry = int (*)(int abi, const GpuModelSource* source, const GpuModelOptions* options, GpuModel** opened,
                              char* reason, std::size_t reason_bytes);

}  // namespace kvantage::gpu
