// Loading: from validated files to matrices in the compute type.
#include <c10/core/InferenceMode.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/base/units.h"
#include "core/model/gguf_blocks.h"
#include "core/model/memory.h"
#include "core/model/transformer_impl.h"
#include "core/model/weight_plan.h"

namespace kvantage::inline model {
namespace {

/// Smaller weights fit the CPU's caches and stay in the mapped file.
constexpr std::uint64_t bytes_worth_large_pages = std::uint64_t{64} << 20;

/// Requests 2 MiB pages before the memory is touched: with 4 KiB pages, page-table walks limit reads to two thirds of
/// the memory bandwidth. No effect where the system has none.
void use_large_pages(void* data, std::size_t bytes) {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page,
                       end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (begin < end) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

/// Takes tensors from the files by name, and tracks which were used.
class Loader {
 public:
  Loader(const WeightFiles& files, const std::string& folder, ComputeType compute, bool packed_products)
      : files_(files), folder_(folder), compute_(compute), packed_products_(packed_products) {}

  Expected<Matrix> matrix(const std::string& name, int rows, int columns, bool with_bias) {
    KV_ASSIGN(auto stored, find(name + ".weight", {rows, columns}));
    Matrix result;
    result.tensor = tensor(*stored);
    result.element = compute_ == ComputeType::bf16 ? Element::bf16 : Element::fp32;
    if (packed_products_ && (*stored).dtype == "Q8_0") take_codes(*stored, result);
    if (!with_bias) return result;
    KV_ASSIGN(auto bias, find(name + ".bias", {rows}));
    result.bias = tensor(*bias);
    result.bias_values = values(*bias);
    return result;
  }

  Expected<std::vector<float>> vector(const std::string& name, int size) {
    KV_ASSIGN(auto stored, find(name, {size}));
    return values(*stored);
  }

  /// Digest of the tensors used so far, by name, so that shards and a single file agree.
  Digest128 digest(const ModelConfig& config) const {
    DigestBuilder builder;
    builder.add(config.canonical_text());
    for (const auto& [name, stored] : used_) {
      builder.add(name).add(stored->dtype).add(stored->bytes);
      if (stored->paired_heads != 0) builder.add(static_cast<std::uint64_t>(stored->paired_heads));
    }
    return builder.finish();
  }

 private:
  Expected<const StoredTensor*> find(const std::string& name, std::vector<std::int64_t> shape) {
    KV_ASSIGN(const auto stored, find_tensor(files_, folder_, name, std::move(shape)));
    used_[name] = stored;
    return stored;
  }

  /// The mapped tensor if it is stored in the compute type and small pages do no harm; otherwise a copy.
  at::Tensor tensor(const StoredTensor& stored) const {
    const auto type = compute_ == ComputeType::bf16 ? at::kBFloat16 : at::kFloat;
    if (stored.shape.size() == 1) {
      std::vector<float> numbers = values(stored);
      return at::from_blob(numbers.data(), stored.shape, at::TensorOptions(at::kFloat)).to(type, false, true);
    }
    if ((stored.dtype == "BF16" || stored.dtype == "F32") && stored.paired_heads == 0) {
      at::Tensor view = mapped(stored);
      if (files_.tensor_bytes() < bytes_worth_large_pages) return view.to(type);
      at::Tensor copy = at::empty(stored.shape, at::TensorOptions(type));
      use_large_pages(copy.mutable_data_ptr(), copy.nbytes());
      return copy.copy_(view);
    }
    return widened(stored, type);
  }

  at::Tensor mapped(const StoredTensor& stored) const {
    const auto type = stored.dtype == "BF16" ? at::kBFloat16 : at::kFloat;
    at::Tensor view = at::from_blob(const_cast<std::byte*>(stored.bytes.data()), stored.shape, at::TensorOptions(type));
    const bool aligned = reinterpret_cast<std::uintptr_t>(stored.bytes.data()) % 4 == 0;
    return aligned ? view : view.clone();
  }

  /// Index in the file of row `row` of `rows`.
  static std::int64_t stored_row(const StoredTensor& stored, std::int64_t rows, std::int64_t row) {
    if (stored.paired_heads == 0) return row;
    const std::int64_t head_dim = rows / stored.paired_heads, half = head_dim / 2, at = row % head_dim;
    return row - at + (at < half ? 2 * at : 2 * (at - half) + 1);
  }

  /// A matrix, row by row: dequantized to the compute type, with rotary pairs deinterleaved.
  at::Tensor widened(const StoredTensor& stored, at::ScalarType type) const {
    const std::int64_t rows = stored.shape[0], columns = stored.shape[1];
    const std::size_t row_bytes = stored.bytes.size() / static_cast<std::size_t>(rows),
                      width = static_cast<std::size_t>(columns);
    const WidenBlocks widen = widen_blocks(stored.dtype);
    at::Tensor result = at::empty(stored.shape, at::TensorOptions(type));
    auto* const target = static_cast<std::byte*>(result.mutable_data_ptr());
    use_large_pages(target, result.nbytes());
    for_parts(rows, 64, [&](int first, int last) {
      std::vector<float> wide(width);
      for (std::int64_t row = first; row < last; ++row) {
        widen(stored.bytes.subspan(static_cast<std::size_t>(stored_row(stored, rows, row)) * row_bytes, row_bytes),
              wide);
        const std::size_t begin = static_cast<std::size_t>(row) * width;
        if (type == at::kBFloat16)
          std::ranges::transform(wide, reinterpret_cast<Bf16*>(target) + begin,
                                 [](float number) { return to_bf16(number); });
        else
          std::ranges::copy(wide, reinterpret_cast<float*>(target) + begin);
      }
    });
    return result;
  }

  /// Q8_0 blocks in the format of matvec: contiguous quants, separate scales.
  void take_codes(const StoredTensor& stored, Matrix& matrix) const {
    constexpr std::size_t size = MatVec::quantized_columns, block_bytes = size + 2;
    const std::int64_t rows = stored.shape[0];
    const std::size_t blocks = static_cast<std::size_t>(stored.shape[1]) / size;
    matrix.codes.reserve(static_cast<std::size_t>(rows) * blocks * size);
    use_large_pages(matrix.codes.data(), matrix.codes.capacity());
    matrix.codes.resize(static_cast<std::size_t>(rows) * blocks * size);
    matrix.scales.resize(static_cast<std::size_t>(rows) * blocks);
    const WidenBlocks widen_half = widen_blocks("F16");
    for_parts(rows, 64, [&](int first, int last) {
      for (std::int64_t row = first; row < last; ++row) {
        const std::byte* source =
            stored.bytes.data() + static_cast<std::size_t>(stored_row(stored, rows, row)) * blocks * block_bytes;
        for (std::size_t block = 0; block < blocks; ++block, source += block_bytes) {
          const std::size_t at = static_cast<std::size_t>(row) * blocks + block;
          widen_half({source, 2}, {&matrix.scales[at], 1});
          std::memcpy(&matrix.codes[at * size], source + 2, size);
        }
      }
    });
  }

  /// A vector in fp32.
  std::vector<float> values(const StoredTensor& stored) const {
    std::vector<float> numbers(static_cast<std::size_t>(stored.shape[0]));
    widen_blocks(stored.dtype)(stored.bytes, numbers);
    if (stored.paired_heads == 0) return numbers;
    std::vector<float> ordered(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ordered[i] = numbers[static_cast<std::size_t>(stored_row(stored, stored.shape[0], static_cast<std::int64_t>(i)))];
    return ordered;
  }

  const WeightFiles& files_;
  const std::string& folder_;
  ComputeType compute_;
  bool packed_products_;
  std::map<std::string, const StoredTensor*> used_;
};

template <class T>
Status take(Expected<T> loaded, T& target) {
  KV_ASSIGN(target, std::move(loaded));
  return {};
}

Status load_layer(Loader& loader, const ModelConfig& config, int index, LayerWeights& layer) {
  const std::string name = "model.layers." + std::to_string(index) + ".";
  const int q = config.heads * config.head_dim, kv = config.kv_heads * config.head_dim;
  KV_TRY(take(loader.vector(name + "input_layernorm.weight", config.hidden), layer.input_norm));
  KV_TRY(take(loader.vector(name + "post_attention_layernorm.weight", config.hidden), layer.attention_norm));
  if (config.qk_norm) {
    KV_TRY(take(loader.vector(name + "self_attn.q_norm.weight", config.head_dim), layer.query_norm));
    KV_TRY(take(loader.vector(name + "self_attn.k_norm.weight", config.head_dim), layer.key_norm));
  }
  const bool bias = config.qkv_bias;
  KV_TRY(take(loader.matrix(name + "self_attn.q_proj", q, config.hidden, bias), layer.query));
  KV_TRY(take(loader.matrix(name + "self_attn.k_proj", kv, config.hidden, bias), layer.key));
  KV_TRY(take(loader.matrix(name + "self_attn.v_proj", kv, config.hidden, bias), layer.value));
  KV_TRY(take(loader.matrix(name + "self_attn.o_proj", config.hidden, q, config.output_bias), layer.output));
  const bool mlp = config.mlp_bias;
  KV_TRY(take(loader.matrix(name + "mlp.gate_proj", config.intermediate, config.hidden, mlp), layer.gate));
  KV_TRY(take(loader.matrix(name + "mlp.up_proj", config.intermediate, config.hidden, mlp), layer.up));
  return take(loader.matrix(name + "mlp.down_proj", config.hidden, config.intermediate, mlp), layer.down);
}

Status load_norm(Loader& loader, const std::string& name, int size, std::vector<float>& weight,
                 std::vector<float>& bias) {
  KV_TRY(take(loader.vector(name + ".weight", size), weight));
  return take(loader.vector(name + ".bias", size), bias);
}

Status load_opt_layer(Loader& loader, const ModelConfig& config, int index, LayerWeights& layer) {
  const std::string name = "model.decoder.layers." + std::to_string(index) + ".";
  const int h = config.hidden;
  KV_TRY(load_norm(loader, name + "self_attn_layer_norm", h, layer.input_norm, layer.input_norm_bias));
  KV_TRY(load_norm(loader, name + "final_layer_norm", h, layer.attention_norm, layer.attention_norm_bias));
  KV_TRY(take(loader.matrix(name + "self_attn.q_proj", h, h, config.qkv_bias), layer.query));
  KV_TRY(take(loader.matrix(name + "self_attn.k_proj", h, h, config.qkv_bias), layer.key));
  KV_TRY(take(loader.matrix(name + "self_attn.v_proj", h, h, config.qkv_bias), layer.value));
  KV_TRY(take(loader.matrix(name + "self_attn.out_proj", h, h, config.output_bias), layer.output));
  KV_TRY(take(loader.matrix(name + "fc1", config.intermediate, h, config.mlp_bias), layer.up));
  return take(loader.matrix(name + "fc2", h, config.intermediate, config.mlp_bias), layer.down);
}

Status load_opt(Transformer::Impl& model, Loader& loader) {
  const ModelConfig& config = model.config;
  const std::string name = "model.decoder.";
  KV_TRY(take(loader.matrix(name + "embed_tokens", config.vocab_size, config.hidden, false), model.embeddings));
  KV_TRY(take(loader.matrix(name + "embed_positions", config.max_positions + ModelConfig::position_offset,
                            config.hidden, false),
              model.positions));
  for (int layer = 0; layer < config.layers; ++layer)
    KV_TRY(load_opt_layer(loader, config, layer, model.layers[static_cast<std::size_t>(layer)]));
  if (config.norm_after) return {};
  return load_norm(loader, name + "final_layer_norm", config.hidden, model.final_norm, model.final_norm_bias);
}

Status load_weights(Transformer::Impl& model, const std::string& folder) {
  const ModelConfig& config = model.config;
  KV_TRY(check_tensors(config, model.files, folder));
  Loader loader(model.files, folder, model.compute, model.packed_products);
  model.layers.resize(static_cast<std::size_t>(config.layers));
  if (config.architecture == Architecture::opt) {
    KV_TRY(load_opt(model, loader));
  } else {
    KV_TRY(take(loader.matrix("model.embed_tokens", config.vocab_size, config.hidden, false), model.embeddings));
    for (int layer = 0; layer < config.layers; ++layer)
      KV_TRY(load_layer(loader, config, layer, model.layers[static_cast<std::size_t>(layer)]));
    KV_TRY(take(loader.vector("model.norm.weight", config.hidden), model.final_norm));
  }
  if (config.tied_embeddings)
    model.head = model.embeddings;
  else
    KV_TRY(take(loader.matrix("lm_head", config.vocab_size, config.hidden, false), model.head));
  model.digest = loader.digest(config);
  return {};
}

}  // namespace

Expected<std::unique_ptr<Transformer>> Transformer::load(const std::filesystem::path& folder,
                                                         const LoadOptions& options) {
  KV_ASSIGN(auto config, read_model_config(folder));
  KV_ASSIGN(auto files, WeightFiles::open(folder));

  auto impl = std::make_unique<Impl>();
  impl->config = std::move(config);
  impl->files = std::move(files);
  impl->isa = std::min(options.isa.value_or(best_isa()), best_isa());
  impl->config.tied_embeddings = is_head_tied(impl->config, impl->files);
  const WeightPlan plan = plan_weights(impl->config, impl->files, options);
  impl->config.dtype = plan.stored_bf16 ? WeightType::bf16 : WeightType::fp32;
  impl->compute = plan.compute;
  impl->kv_type = plan.kv_type;
  impl->packed_products = plan.packed_products;
  impl->weight_bytes = plan.weight_bytes;
  impl->frequencies = rope_frequencies(impl->config);

  const std::uint64_t available =
      options.memory_limit_bytes != 0 ? options.memory_limit_bytes : available_memory_bytes();
  if (impl->weight_bytes > available)
    return fail(ErrorCode::rejected_input,
                folder.string() + ": the weights need " + format_bytes(impl->weight_bytes) + " but " +
                    format_bytes(available) +
                    " of memory are available; close other programs or choose a smaller model");

  const c10::InferenceMode inference;
  KV_TRY(guarded([&] { return load_weights(*impl, folder.string()); }));
  return std::unique_ptr<Transformer>(new Transformer(std::move(impl)));
}

}  // namespace kvantage::inline model
