#include "core/model/weight_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/json.h"
#include "core/kv/block_pool.h"
#include "core/kv/codecs/codec.h"
#include "core/model/architectures/architecture.h"
#include "core/model/prefill_pass.h"
#include "core/model/stored_matrix.h"
#include "core/model/weight_visit.h"

namespace kvantage::inline model {
namespace {

/// Null: there is none.
const StoredTensor* stored_tensor(const WeightFiles& files, const std::string& name) {
  const auto found = files.tensors().find(name);
  return found == files.tensors().end() ? nullptr : &found->second;
}

const StoredTensor* stored_embeddings(const ModelConfig& config, const WeightFiles& files) {
  return stored_tensor(files, row_of(config.architecture).names(config, 0).model.embeddings + ".weight");
}

/// Are the projections stored in 16 bits, or fewer?
bool stored_as_bf16(const ModelConfig& config, const WeightFiles& files) {
  const StoredTensor* const embeddings = stored_embeddings(config, files);
  return embeddings != nullptr && embeddings->dtype != "F32";
}

/// Looks for every weight, and takes none.
class WeightCheck final : public WeightVisitor {
 public:
  WeightCheck(const WeightFiles& files, const std::string& model) : files_(files), model_(model) {}
  Status vector(const std::string& name, int size, bool /*offset*/, std::vector<float>& /*target*/) override {
    used.insert(name);
    KV_TRY(find_tensor(files_, model_, name, {size}));
    return {};
  }
  Status matrix(const MatrixName& name, const MatrixShape& shape, Matrix& /*target*/) override {
    KV_ASSIGN(const auto stored, find_matrix(files_, model_, name, shape.rows, shape.columns, shape.bias));
    for (const auto& [part, tensor] : stored.tensors) used.insert(part);
    return {};
  }

  std::set<std::string> used;

 private:
  const WeightFiles& files_;
  const std::string& model_;
};

/// Counts the matrices that stay packed.
class PackedCount final : public WeightVisitor {
 public:
  explicit PackedCount(const WeightFiles& files) : files_(files) {}
  Status vector(const std::string& /*name*/, int /*size*/, bool /*offset*/, std::vector<float>& /*target*/) override {
    return {};
  }
  Status matrix(const MatrixName& name, const MatrixShape& shape, Matrix& /*target*/) override {
    const StoredTensor* const stored = name.expert < 0 ? stored_tensor(files_, name.name + ".weight") : nullptr;
    const auto type = stored != nullptr ? packed_matrix_type(*stored) : std::nullopt;
    if (!type || stored->shape[1] != shape.columns) return {};
    numbers += static_cast<std::uint64_t>(shape.rows) * static_cast<std::uint64_t>(shape.columns);
    bytes += packed_bytes(*type, shape.rows, shape.columns);
    return {};
  }

  std::uint64_t numbers = 0, bytes = 0;

 private:
  const WeightFiles& files_;
};

}  // namespace

bool is_head_tied(const ModelConfig& config, const WeightFiles& files) {
  if (!config.tied_embeddings) return false;
  const std::string name = row_of(config.architecture).names(config, 0).model.head + ".weight";
  const StoredTensor *const embeddings = stored_embeddings(config, files), *const head = stored_tensor(files, name);
  return embeddings == nullptr || head == nullptr ||
         (embeddings->dtype == head->dtype && embeddings->shape == head->shape &&
          std::ranges::equal(embeddings->bytes, head->bytes));
}

std::optional<PackedType> packed_matrix_type(const StoredTensor& stored) {
  return stored.shape.size() == 2 ? packed_type(stored.dtype, stored.shape[1]) : std::nullopt;
}

WeightPlan plan_weights(const ModelConfig& config, const WeightFiles& files, const LoadOptions& options) {
  WeightPlan plan;
  plan.stored_bf16 = stored_as_bf16(config, files);
  const ComputeType wanted = options.compute.value_or(plan.stored_bf16 ? ComputeType::bf16 : ComputeType::fp32);
  // Without bf16 products in hardware, weights are widened once instead of in every product.
  const Isa isa = std::min(options.isa.value_or(best_isa()), best_isa());
  plan.compute = isa == Isa::avx512bf16 ? wanted : ComputeType::fp32;
  plan.kv_type = options.kv_type.value_or(wanted == ComputeType::bf16 ? KvType::bf16 : KvType::fp32);
  plan.weight_bytes = config.parameters() * (plan.compute == ComputeType::bf16 ? 2 : 4);
  plan.packed_products =
      options.packed_products && options.compute.value_or(ComputeType::bf16) == ComputeType::bf16;  // inputs of 16 bits
  if (!plan.packed_products || !files.is_gguf()) return plan;  // only there are packed types
  for (const auto& [name, stored] : files.tensors())
    if (stored.dtype == "Q8_0" && stored.shape.size() == 2)
      plan.weight_bytes += static_cast<std::uint64_t>(stored.shape[0] * stored.shape[1]) * 9 / 8;
  PackedCount packed(files);
  Transformer::Impl shape;  // holds nothing
  shape.config = config;
  shape.layers.resize(static_cast<std::size_t>(config.layers));
  if (visit_weights(shape, packed))
    plan.weight_bytes -= packed.numbers * (plan.compute == ComputeType::bf16 ? 2 : 4) - packed.bytes;
  return plan;
}

Status check_tensors(const ModelConfig& config, const WeightFiles& files, const std::string& model) {
  Transformer::Impl shape;  // holds nothing
  shape.config = config;
  shape.layers.resize(static_cast<std::size_t>(config.layers));
  WeightCheck check(files, model);
  KV_TRY(visit_weights(shape, check));
  if (!files.is_gguf()) return {};  // there, what has no place would be a different model
  for (const auto& [name, stored] : files.tensors())
    if (!check.used.contains(name))
      return fail(ErrorCode::rejected_input,
                  model + ": tensor '" + printable(name) +
                      "' has no place in the model that its keys describe; use another model");
  return {};
}

std::uint64_t prefill_bytes(const ModelConfig& config, ComputeType compute, KvType kv_type, int chunk_tokens,
                            std::optional<ProductSet> products) {
  constexpr std::uint64_t window_tokens = 64;  // ModelRuntime::window_queries
  const auto n = [](int number) { return static_cast<std::uint64_t>(number); };
  const std::uint64_t element = compute == ComputeType::bf16 ? 2 : 4;
  const std::uint64_t q = n(config.heads) * n(config.head_dim), kv = n(config.kv_heads) * n(config.head_dim);
  const std::uint64_t residual = n(config.hidden) * 4;
  const std::uint64_t of_row = (2 * n(config.hidden) + 3 * q + 2 * kv + 2 * n(config.intermediate)) * element;
  const std::uint64_t cached = 2 * kv * bytes_of(kv_type);
  const int rows = products ? std::max(chunk_tokens, max_shared_pass_rows) : chunk_tokens,
            widest = std::max({config.hidden, config.heads * config.head_dim, config.intermediate});
  const Element type = compute == ComputeType::bf16 ? Element::bf16 : Element::fp32;
  const std::uint64_t packed = products ? PackedRows::bytes(*products, type, rows, widest) : 0;
  return n(rows) * (residual + of_row + cached) + packed + window_tokens * q * n(config.layers) * 4 +
         n(config.vocab_size) * 4;
}

std::uint64_t pool_bytes_per_token(const KvShape& shape, int block_tokens) {
  const auto tokens = static_cast<std::uint64_t>(block_tokens);
  const std::uint64_t block = BlockPool(shape, block_tokens, std::size_t{1} << 20).block_bytes();
  return block * static_cast<std::uint64_t>(shape.layers) * static_cast<std::uint64_t>(shape.kv_heads) / tokens;
}

Expected<double> encoded_bytes_per_token(const KvShape& shape, std::string_view codec, int tokens) {
  KV_ASSIGN(const auto made, parse_codec(codec));
  if (tokens < 1) return fail(ErrorCode::usage, "encoded size: a context has at least 1 token; give more");
  std::uint64_t bytes = 0;
  for (int layer = 0; layer < shape.layers; ++layer)
    for (const ExtentKind kind : {ExtentKind::keys, ExtentKind::values}) {
      const CodecRows rows{shape, layer, kind, tokens};
      bytes += made->encoded_bytes(rows).value_or(made->max_bytes(rows)) * static_cast<std::uint64_t>(shape.kv_heads);
    }
  return static_cast<double>(bytes) / tokens;
}

}  // namespace kvantage::inline model
