// A language model that computes on a GPU, as the rest of the program sees it: no word of torch or CUDA. It comes out
// of a module that is loaded at run time (module_loader.h), or is linked over emulated kernels, where the device is
// this process.
//
// Program and module are built from one tree: C++ objects go across. gpu_model_abi stands for their shapes, and a
// module with another one is refused. Not thread-safe: one thread drives a model and its sequences.
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
  std::uint64_t cache_bytes = std::uint64_t{1} << 30;  // the KV caches of all sequences together
  int block_tokens = 32;                               // a multiple of 4
  int chunk_tokens = 2048;                             // of a prefill: tokens computed together
  bool graphs = true;  // decode steps are captured once and replayed, where the device does that
};

/// The KV cache of one sequence on the device. Freed with the object; the model outlives it.
class GpuSequence {
 public:
  virtual ~GpuSequence() = default;
  /// The next token's original position.
  virtual std::int32_t sequence_length() const = 0;
  virtual int kept(int layer, int kv_head) const = 0;
  virtual std::size_t held_bytes() const = 0;
};

/// The rows of a sequence layer by layer in page-locked host memory, as blocks lie on the device: what a store keeps
/// and gives back.
class GpuContextImage {
 public:
  virtual ~GpuContextImage() = default;
  virtual std::span<std::byte> layer(int layer) = 0;
};
/// Asked before a layer of an image is copied to the device, e.g. to read it from a file.
using FillLayer = std::function<Status(int layer, std::span<std::byte> bytes)>;

class GpuModel {
 public:
  virtual ~GpuModel() = default;
  virtual const ModelConfig& config() const = 0;
  /// "bf16 on cuda:0, 14.96 GiB of weights, decode in graphs".
  virtual std::string description() const = 0;
  virtual std::uint64_t weight_bytes() const = 0;
  virtual std::uint64_t free_cache_bytes() const = 0;
  /// Decode steps are replayed from graphs.
  virtual bool has_graphs() const = 0;
  virtual void use_graphs(bool use) = 0;

  /// What a Transformer of the same weights may compute on: Transformer::compute_on(). Its caches share the memory with
  /// sequences.
  virtual ModelDevice& passes() = 0;

  virtual Expected<std::unique_ptr<GpuSequence>> new_sequence() = 0;
  /// Computes `tokens` at the sequence's next positions; the logits of the last token, fp32 [vocab_size], or of all of
  /// them [tokens, vocab_size], or nothing. rejected_input: a token outside the vocabulary, a position beyond the
  /// model's; no_space: the cache is full. The sequence is then as before.
  virtual Expected<std::vector<float>> prefill(GpuSequence& sequence, std::span<const std::int32_t> tokens,
                                               PrefillLogits logits) = 0;
  /// `steps` greedy decode steps of several sequences together, each beginning with its token: the tokens that follow,
  /// [steps, sequences]. Errors as above; rows that were computed before stay.
  virtual Expected<std::vector<std::int32_t>> decode(std::span<GpuSequence* const> sequences,
                                                     std::span<const std::int32_t> tokens, int steps) = 0;
  /// Logits of the last decode step: fp32 [sequences, vocab_size].
  virtual Expected<std::vector<float>> decode_logits() = 0;

  /// Into an empty sequence: all rows of `cache`, heads ragged or with holes. Layers are copied in their order beside
  /// what computes: a prefill that follows waits for each layer as it comes to it. rejected_input: another shape than
  /// the model's, coded rows.
  virtual Status upload(const KvCache& cache, GpuSequence& sequence) = 0;
  /// Appends to `cache` what each head of the sequence has beyond the rows that the cache holds of it: the rows that
  /// were computed here.
  virtual Status download(const GpuSequence& sequence, KvCache& cache) = 0;
  /// The sequence's rows in host memory.
  virtual Expected<std::unique_ptr<GpuContextImage>> image(const GpuSequence& sequence) = 0;
  /// Into an empty sequence, as upload(), without a stop on the way. `fill`, where it is given, is asked for each layer
  /// first. The image is read until a prefill or decode step of the sequence has ended, and may not be loaded anew
  /// before.
  virtual Status load(GpuContextImage& image, GpuSequence& sequence, const FillLayer& fill) = 0;
  /// All rows at original positions >= position go.
  virtual Status truncate(GpuSequence& sequence, std::int32_t position) = 0;
  /// Until the device has done everything.
  virtual Status synchronize() = 0;
};

/// What is opened: a loaded model's weights, copied, or random ones of a shape, made on the device.
struct GpuModelSource {
  const Transformer* model = nullptr;
  const ModelConfig* shape = nullptr;
  std::uint64_t seed = 1;
};

/// A number for this interface, then the sizes of what goes across it: a change of either makes another one.
inline constexpr int gpu_model_abi =
    3 * 100'000 + static_cast<int>(sizeof(GpuModelOptions) + sizeof(GpuModelSource) + sizeof(ModelConfig) +
                                   sizeof(KvCache) + sizeof(ModelDeviceGauges));

/// The module's one entry: 0 and `*opened` (owned by the caller), else why not, a line of at most `reason_bytes` with
/// its end; gpu_model_no_device where that is for want of a device.
inline constexpr int gpu_model_no_device = 2;
inline constexpr const char* gpu_model_entry = "kvantage_gpu_model_open";
using GpuModelEntry = int (*)(int abi, const GpuModelSource* source, const GpuModelOptions* options, GpuModel** opened,
                              char* reason, std::size_t reason_bytes);

}  // namespace kvantage::gpu
