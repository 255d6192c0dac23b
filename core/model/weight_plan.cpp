#include "core/model/weight_plan.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "core/base/json.h"
#include "core/kv/block_pool.h"
#include "core/kv/codecs/codec.h"

namespace kvantage::inline model {
namespace {

using Extents = std::vector<std::int64_t>;
using VisitTensor = std::function<Status(const std::string& name, Extents shape)>;

Status visit_matrix(const VisitTensor& visit, const std::string& name, int rows, int columns, bool with_bias) {
  KV_TRY(visit(name + ".weight", {rows, columns}));
  if (with_bias) KV_TRY(visit(name + ".bias", {rows}));
  return {};
}

Status visit_layer(const ModelConfig& config, int index, const VisitTensor& visit) {
  const std::string name = "model.layers." + std::to_string(index) + ".";
  const int q = config.heads * config.head_dim, kv = config.kv_heads * config.head_dim;
  KV_TRY(visit(name + "input_layernorm.weight", {config.hidden}));
  KV_TRY(visit(name + "post_attention_layernorm.weight", {config.hidden}));
  if (config.qk_norm)
    for (const char* norm : {"self_attn.q_norm.weight", "self_attn.k_norm.weight"})
      KV_TRY(visit(name + norm, {config.head_dim}));
  KV_TRY(visit_matrix(visit, name + "self_attn.q_proj", q, config.hidden, config.qkv_bias));
  KV_TRY(visit_matrix(visit, name + "self_attn.k_proj", kv, config.hidden, config.qkv_bias));
  KV_TRY(visit_matrix(visit, name + "self_attn.v_proj", kv, config.hidden, config.qkv_bias));
  KV_TRY(visit_matrix(visit, name + "self_attn.o_proj", config.hidden, q, config.output_bias));
  KV_TRY(visit_matrix(visit, name + "mlp.gate_proj", config.intermediate, config.hidden, config.mlp_bias));
  KV_TRY(visit_matrix(visit, name + "mlp.up_proj", config.intermediate, config.hidden, config.mlp_bias));
  return visit_matrix(visit, name + "mlp.down_proj", config.hidden, config.intermediate, config.mlp_bias);
}

Status visit_norm(const VisitTensor& visit, const std::string& name, int size) {
  KV_TRY(visit(name + ".weight", {size}));
  return visit(name + ".bias", {size});
}

Status visit_opt_layer(const ModelConfig& config, int index, const VisitTensor& visit) {
  const std::string name = "model.decoder.layers." + std::to_string(index) + ".";
  const int h = config.hidden;
  KV_TRY(visit_norm(visit, name + "self_attn_layer_norm", h));
  KV_TRY(visit_norm(visit, name + "final_layer_norm", h));
  for (const char* projection : {"q_proj", "k_proj", "v_proj"})
    KV_TRY(visit_matrix(visit, name + "self_attn." + projection, h, h, config.qkv_bias));
  KV_TRY(visit_matrix(visit, name + "self_attn.out_proj", h, h, config.output_bias));
  KV_TRY(visit_matrix(visit, name + "fc1", config.intermediate, h, config.mlp_bias));
  return visit_matrix(visit, name + "fc2", h, config.intermediate, config.mlp_bias);
}

Status visit_opt(const ModelConfig& config, const VisitTensor& visit) {
  const std::string name = "model.decoder.";
  KV_TRY(visit_matrix(visit, name + "embed_tokens", config.vocab_size, config.hidden, false));
  KV_TRY(visit_matrix(visit, name + "embed_positions", config.max_positions + ModelConfig::position_offset,
                      config.hidden, false));
  for (int layer = 0; layer < config.layers; ++layer) KV_TRY(visit_opt_layer(config, layer, visit));
  if (config.norm_after) return {};
  return visit_norm(visit, name + "final_layer_norm", config.hidden);
}

/// What load_weights takes.
Status visit_tensors(const ModelConfig& config, const VisitTensor& visit) {
  if (config.architecture == Architecture::opt) {
    KV_TRY(visit_opt(config, visit));
  } else {
    KV_TRY(visit_matrix(visit, "model.embed_tokens", config.vocab_size, config.hidden, false));
    for (int layer = 0; layer < config.layers; ++layer) KV_TRY(visit_layer(config, layer, visit));
    KV_TRY(visit("model.norm.weight", {config.hidden}));
  }
  if (config.tied_embeddings) return {};
  return visit_matrix(visit, "lm_head", config.vocab_size, config.hidden, false);
}

/// Null: there is none.
const StoredTensor* stored_tensor(const WeightFiles& files, const std::string& name) {
  const auto found = files.tensors().find(name);
  return found == files.tensors().end() ? nullptr : &found->second;
}

const StoredTensor* stored_embeddings(const WeightFiles& files) {
  const StoredTensor* const embeddings = stored_tensor(files, "model.embed_tokens.weight");
  return embeddings != nullptr ? embeddings : stored_tensor(files, "model.decoder.embed_tokens.weight");
}

/// Are the projections stored as bf16, or smaller?
bool stored_as_bf16(const WeightFiles& files) {
  const StoredTensor* const embeddings = stored_embeddings(files);
  return embeddings != nullptr && embeddings->dtype != "F32";
}

}  // namespace

bool is_head_tied(const ModelConfig& config, const WeightFiles& files) {
  if (!config.tied_embeddings) return false;
  const StoredTensor *const embeddings = stored_embeddings(files), *const head = stored_tensor(files, "lm_head.weight");
  return embeddings == nullptr || head == nullptr ||
         (embeddings->dtype == head->dtype && embeddings->shape == head->shape &&
          std::ranges::equal(embeddings->bytes, head->bytes));
}

WeightPlan plan_weights(const ModelConfig& config, const WeightFiles& files, const LoadOptions& options) {
  WeightPlan plan;
  plan.stored_bf16 = stored_as_bf16(files);
  const ComputeType wanted = options.compute.value_or(plan.stored_bf16 ? ComputeType::bf16 : ComputeType::fp32);
  // Without bf16 products in hardware, weights are widened once instead of in every product.
  const Isa isa = std::min(options.isa.value_or(best_isa()), best_isa());
  plan.compute = isa == Isa::avx512bf16 ? wanted : ComputeType::fp32;
  plan.kv_type = options.kv_type.value_or(wanted == ComputeType::bf16 ? KvType::bf16 : KvType::fp32);
  plan.weight_bytes = config.parameters() * (plan.compute == ComputeType::bf16 ? 2 : 4);
  plan.packed_products =
      options.packed_products && options.compute.value_or(ComputeType::bf16) == ComputeType::bf16;  // inputs of 16 bits
  if (!plan.packed_products) return plan;
  for (const auto& [name, stored] : files.tensors())
    if (stored.dtype == "Q8_0" && stored.shape.size() == 2)
      plan.weight_bytes += static_cast<std::uint64_t>(stored.shape[0] * stored.shape[1]) * 9 / 8;
  return plan;
}

Expected<const StoredTensor*> find_tensor(const WeightFiles& files, const std::string& model, const std::string& name,
                                          std::vector<std::int64_t> shape) {
  const std::string described_by = files.is_gguf() ? "keys" : "config.json";
  const auto found = files.tensors().find(name);
  if (found == files.tensors().end())
    return fail(ErrorCode::rejected_input,
                model + ": tensor '" + name + "' is missing; the checkpoint does not fit its " + described_by);
  const StoredTensor& stored = found->second;
  if (stored.shape != shape)
    return fail(ErrorCode::rejected_input, model + ": tensor '" + name + "' is " + stored.describe() + " but its " +
                                               described_by + (files.is_gguf() ? " ask for " : " asks for ") +
                                               StoredTensor{stored.dtype, std::move(shape), {}}.describe() +
                                               "; the checkpoint does not fit its " + described_by);
  if (!files.is_gguf() && stored.dtype != "BF16" && stored.dtype != "F32")
    return fail(ErrorCode::rejected_input, model + ": tensor '" + name + "' has type " + stored.dtype +
                                               "; convert the checkpoint to bfloat16 or float32");
  return &stored;
}

Status check_tensors(const ModelConfig& config, const WeightFiles& files, const std::string& model) {
  std::set<std::string> used;
  const VisitTensor visit = [&](const std::string& name, Extents shape) -> Status {
    used.insert(name);
    KV_TRY(find_tensor(files, model, name, std::move(shape)));
    return {};
  };
  KV_TRY(visit_tensors(config, visit));
  if (!files.is_gguf()) return {};  // there, what has no place would be a different model
  for (const auto& [name, stored] : files.tensors())
    if (!used.contains(name))
      return fail(ErrorCode::rejected_input,
                  model + ": tensor '" + printable(name) +
                      "' has no place in the model that its keys describe; use another model");
  return {};
}

std::uint64_t prefill_bytes(const ModelConfig& config, ComputeType compute, KvType kv_type, int chunk_tokens) {
  constexpr std::uint64_t window_tokens = 64;  // ModelRuntime::window_queries
  const auto n = [](int number) { return static_cast<std::uint64_t>(number); };
  const std::uint64_t element = compute == ComputeType::bf16 ? 2 : 4;
  const std::uint64_t q = n(config.heads) * n(config.head_dim), kv = n(config.kv_heads) * n(config.head_dim);
  const std::uint64_t residual = n(config.hidden) * 4;
  const std::uint64_t rows = (2 * n(config.hidden) + 3 * q + 2 * kv + 2 * n(config.intermediate)) * element;
  const std::uint64_t cached = 2 * kv * bytes_of(kv_type);
  return n(chunk_tokens) * (residual + rows + cached) + window_tokens * q * n(config.layers) * 4 +
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
