// Loading: from validated files to matrices in the compute type.
#include <c10/core/InferenceMode.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/base/units.h"
#include "core/model/gguf_blocks.h"
#include "core/model/latent/latent_matrices.h"
#include "core/model/memory.h"
#include "core/model/stored_matrix.h"
#include "core/model/transformer_impl.h"
#include "core/model/weight_plan.h"
#include "core/model/weight_visit.h"

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

/// A copy in memory of its own.
at::Tensor in_large_pages(const at::Tensor& numbers, at::ScalarType type) {
  at::Tensor copy = at::empty(numbers.sizes(), at::TensorOptions(type));
  use_large_pages(copy.mutable_data_ptr(), copy.nbytes());
  return copy.copy_(numbers);
}

/// Takes tensors from the files by name, and tracks which were used.
class WeightLoader final : public WeightVisitor {
 public:
  WeightLoader(const Transformer::Impl& model, const std::string& folder)
      : files_(model.files),
        folder_(folder),
        compute_(model.compute),
        packed_products_(model.packed_products),
        isa_(model.isa),
        rotated_(model.config.rope.rotated) {}

  Status matrix(const MatrixName& name, const MatrixShape& shape, Matrix& result) override {
    KV_ASSIGN(const auto stored, find_matrix(files_, folder_, name, shape.rows, shape.columns, shape.bias));
    for (const auto& [part, tensor] : stored.tensors) used_[part] = tensor;
    result.element = compute_ == ComputeType::bf16 ? Element::bf16 : Element::fp32;
    const bool by_rows = stored.whole == nullptr || shape.rotated_heads != 0;
    if (const auto packed =
            packed_products_ && stored.plain != nullptr ? packed_matrix_type(*stored.plain) : std::nullopt)
      take_packed(*stored.plain, name.fused, shape, *packed, result);
    else if (by_rows)
      take_rows(stored, shape, result);
    else
      result.tensor = tensor(*stored.whole);
    if (packed_products_ && !by_rows && stored.whole->dtype == "Q8_0") take_codes(*stored.whole, result);
    if (stored.bias == nullptr) return {};
    if (by_rows) return take_bias_rows(stored, shape, result);
    result.bias = tensor(*stored.bias);
    result.bias_values = values(*stored.bias);
    return {};
  }

  Status vector(const std::string& name, int size, bool offset, std::vector<float>& target) override {
    KV_ASSIGN(const auto stored, find_tensor(files_, folder_, name, {size}));
    used_[name] = stored;
    target = values(*stored);
    if (offset)
      for (float& number : target) number = 1.0F + number;
    return {};
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
  /// Where row `row` of partly rotated heads is stored. A frequency of 0 leaves the channels behind the rotated alone.
  std::int64_t row_in_file(const MatrixShape& shape, std::int64_t row) const {
    if (shape.rotated_heads == 0) return row;
    const int head_dim = shape.rows / shape.rotated_heads, channel = static_cast<int>(row % head_dim);
    return row - channel + stored_channel(head_dim, rotated_, channel);
  }

  /// Row by row, for a matrix that is not a tensor as it is.
  void take_rows(const StoredMatrix& stored, const MatrixShape& shape, Matrix& result) const {
    result.tensor = from_rows(shape.rows, shape.columns, [&](std::int64_t row, std::span<float> numbers) {
      stored.row(row_in_file(shape, row), numbers);
    });
  }
  Status take_bias_rows(const StoredMatrix& stored, const MatrixShape& shape, Matrix& result) const {
    result.bias_values.resize(static_cast<std::size_t>(shape.rows));
    for (std::int64_t row = 0; row < shape.rows; ++row)
      result.bias_values[static_cast<std::size_t>(row)] = stored.bias_of(row_in_file(shape, row));
    result.bias =
        at::from_blob(result.bias_values.data(), {shape.rows}, at::TensorOptions(at::kFloat)).to(type(), false, true);
    return {};
  }

  at::ScalarType type() const { return compute_ == ComputeType::bf16 ? at::kBFloat16 : at::kFloat; }

  /// A matrix in the compute type, from rows that widen(row, numbers) fills in fp32 on any thread.
  template <class Widen>
  at::Tensor from_rows(std::int64_t rows, std::int64_t columns, const Widen& widen) const {
    const auto width = static_cast<std::size_t>(columns);
    at::Tensor result = at::empty({rows, columns}, at::TensorOptions(type()));
    auto* const target = static_cast<std::byte*>(result.mutable_data_ptr());
    use_large_pages(target, result.nbytes());
    for_parts(rows, 64, [&](int first, int last) {
      std::vector<float> wide(width);
      for (std::int64_t row = first; row < last; ++row) {
        widen(row, std::span<float>(wide));
        const std::size_t begin = static_cast<std::size_t>(row) * width;
        if (compute_ == ComputeType::bf16)
          std::ranges::transform(wide, reinterpret_cast<Bf16*>(target) + begin,
                                 [](float number) { return to_bf16(number); });
        else
          std::ranges::copy(wide, reinterpret_cast<float*>(target) + begin);
      }
    });
    return result;
  }

  /// The mapped tensor if it is stored in the compute type and small pages do no harm; otherwise a copy.
  at::Tensor tensor(const StoredTensor& stored) const {
    if (stored.shape.size() == 1) {
      std::vector<float> numbers = values(stored);
      return at::from_blob(numbers.data(), stored.shape, at::TensorOptions(at::kFloat)).to(type(), false, true);
    }
    if ((stored.dtype == "BF16" || stored.dtype == "F32") && stored.paired_heads == 0) {
      at::Tensor view = mapped(stored);
      return files_.tensor_bytes() < bytes_worth_large_pages ? view.to(type()) : in_large_pages(view, type());
    }
    return widened(stored);
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
  at::Tensor widened(const StoredTensor& stored) const {
    const std::int64_t rows = stored.shape[0];
    const std::size_t row_bytes = stored.bytes.size() / static_cast<std::size_t>(rows);
    const WidenBlocks widen = widen_blocks(stored.dtype);
    return from_rows(rows, stored.shape[1], [&](std::int64_t row, std::span<float> numbers) {
      widen(stored.bytes.subspan(static_cast<std::size_t>(stored_row(stored, rows, row)) * row_bytes, row_bytes),
            numbers);
    });
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

  /// The blocks of these rows of a tensor, with rotary pairs deinterleaved.
  void take_packed(const StoredTensor& stored, const FusedRows& fused, const MatrixShape& shape, PackedType type,
                   Matrix& matrix) const {
    const std::size_t row_bytes = stored.bytes.size() / static_cast<std::size_t>(stored.shape[0]);
    const PackedShape packed{type, shape.rows, shape.columns, use_large_pages};
    matrix.packed = pack_weights(packed, isa_, [&](int row) {
      const std::int64_t at = stored_row(stored, shape.rows, fused.at(row_in_file(shape, row)));
      return stored.bytes.subspan(static_cast<std::size_t>(at) * row_bytes, row_bytes);
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
  Isa isa_;
  int rotated_;
  std::map<std::string, const StoredTensor*> used_;
};

/// From the matrices as they are stored to those that multiply (weight_visit.cpp).
void arrange_latents(const LatentForm& form, int heads, LayerWeights& layer) {
  const auto keep = [](Matrix& matrix, const at::Tensor& arranged) {
    matrix.tensor = in_large_pages(arranged, arranged.scalar_type());
  };
  keep(layer.query, latent_queries(form, heads, layer.query.tensor));
  keep(layer.output, latent_outputs(form, heads, layer.output.tensor));
  const LatentPair pair = latent_keys_and_values(form, heads, layer.key.tensor);
  keep(layer.key, pair.keys);
  keep(layer.value, pair.values);
  layer.value.element = layer.key.element;
}

Status load_weights(Transformer::Impl& model, const std::string& folder) {
  const ModelConfig& config = model.config;
  KV_TRY(check_tensors(config, model.files, folder));
  WeightLoader loader(model, folder);
  model.layers.resize(static_cast<std::size_t>(config.layers));
  KV_TRY(visit_weights(model, loader));
  for (LayerWeights& layer : model.layers)
    for (float& sink : layer.extra.sinks) sink *= static_cast<float>(score_unit);
  if (config.form.latent.rank > 0)
    for (LayerWeights& layer : model.layers) arrange_latents(config.form.latent, config.heads, layer);
  if (config.tied_embeddings) model.head = model.embeddings;
  model.digest = loader.digest(config);
  return {};
}

}  // namespace

Expected<std::unique_ptr<Transformer>> Transformer::load(const std::filesystem::path& folder,
                                                         const LoadOptions& options) {
  KV_ASSIGN(auto config, read_model_config(folder, options.max_model_len));
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
  if (options.batch_invariant) impl->products = product_set(impl->isa);
  impl->weight_bytes = plan.weight_bytes;
  impl->rotations = Rotations(impl->config);

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
