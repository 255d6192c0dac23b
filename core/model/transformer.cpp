#include "core/model/transformer.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <new>

#include "core/model/compute_cores.h"
#include "core/model/model_device.h"
#include "core/model/projection.h"
#include "core/model/transformer_impl.h"
#include "core/model/weight_plan.h"

namespace kvantage::inline model {
namespace {

constexpr int kernel_revision = 5;  // incremented whenever a kernel or the order of a sum changes bits

constexpr int packed_unit = 1 << 3;                            // set in numerics_version() where matrices stay packed
constexpr int products_unit = 1 << 12, thread_unit = 1 << 16;  // numerics_version() counts kinds and threads in these

/// Below this, waking the other threads takes longer than the product.
constexpr std::int64_t weight_bytes_worth_splitting = 1 << 20;

/// Products with the same input.
void multiply_alike(const Transformer::Impl& model, std::span<const Product> together, const float* input, int batch) {
  const bool packed = std::ranges::any_of(together, [](const Product& one) { return one.matrix->is_packed(); });
  if (model.products && !packed) return multiply_rows(model, together, input, batch);
  model.multiply_unrounded(together, input, batch);
}

bool keeps_packed(const Transformer::Impl& model) {
  return model.packed_products && std::ranges::any_of(model.files.tensors(), [](const auto& entry) {
           return packed_matrix_type(entry.second).has_value();
         });
}

}  // namespace

const char* to_string(ComputeType type) { return type == ComputeType::bf16 ? "bf16" : "fp32"; }

Transformer::Transformer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Transformer::~Transformer() = default;

const ModelConfig& Transformer::config() const { return impl_->config; }
KvShape Transformer::kv_shape() const {
  return {impl_->config.layers, impl_->config.kv_heads, impl_->config.head_dim, impl_->kv_type};
}
ComputeType Transformer::compute() const { return impl_->compute; }
Digest128 Transformer::digest() const { return impl_->digest; }
void Transformer::compute_on(std::shared_ptr<ModelDevice> device) { impl_->device = std::move(device); }
ModelDevice* Transformer::device() const { return impl_->device.get(); }
int Transformer::numerics_version() const {
  if (impl_->device != nullptr) return impl_->device->numerics_version();
  const int version =
      kernel_revision * 16 + (keeps_packed(*impl_) ? packed_unit : 0) + static_cast<int>(impl_->isa) * 2;
  if (impl_->products)
    return version + (impl_->compute == ComputeType::fp32 ? 1 : 0) +
           products_unit * (1 + static_cast<int>(*impl_->products));
  // libtorch splits fp32 products by threads, and on some CPUs each split rounds differently.
  return impl_->compute == ComputeType::fp32 ? version + 1 + compute_threads() * thread_unit : version;
}
std::string Transformer::path_description() const {
  if (impl_->device != nullptr) return impl_->device->description();
  const std::string own =
      impl_->products ? std::string(" batch-invariant ") + to_string(*impl_->products) : std::string();
  return to_string(impl_->compute) + own + (keeps_packed(*impl_) ? " and packed" : "") + " GEMM, " +
         to_string(impl_->isa) + " attention, " + std::to_string(compute_threads()) + " threads";
}
std::uint64_t Transformer::weight_bytes() const { return impl_->weight_bytes; }
std::span<const float> Transformer::rope() const {
  if (!impl_->config.rotates_alike()) return {};
  return impl_->rotations.frequencies;
}

Status Transformer::decode(KvCache& cache, std::int32_t token, std::int32_t position, std::span<float> logits) {
  if (logits.size() != static_cast<std::size_t>(impl_->config.vocab_size))
    return fail(ErrorCode::internal, "decode: logits must hold vocab_size numbers");
  DecodeTask task(*this, cache, token, position);
  if (auto status = task.run(); !status) {
    if (status.error().code == ErrorCode::no_space) cache.truncate(position);
    return status;
  }
  std::ranges::copy(task.logits(), logits.begin());
  return {};
}

void Transformer::Impl::embed(std::int32_t token, std::int32_t position, float* row) const {
  const auto width = static_cast<std::size_t>(config.hidden);
  const auto each = [&](const Matrix& table, std::int32_t index, const auto& take) {
    if (table.packed != nullptr) {
      std::vector<float> numbers(width);
      unpack_row(table.packed->matrix, index, numbers.data());
      for (std::size_t i = 0; i < width; ++i) take(row[i], numbers[i]);
      return;
    }
    const auto offset = static_cast<std::size_t>(index) * width;
    const auto* data = static_cast<const std::byte*>(table.tensor.const_data_ptr());
    if (table.element == Element::bf16) {
      const auto* source = reinterpret_cast<const Bf16*>(data) + offset;
      for (std::size_t i = 0; i < width; ++i) take(row[i], to_float(source[i]));
    } else {
      const auto* source = reinterpret_cast<const float*>(data) + offset;
      for (std::size_t i = 0; i < width; ++i) take(row[i], source[i]);
    }
  };
  each(embeddings, token, [](float& target, float number) { target = number; });
  if (config.learned_positions())
    each(positions, position + ModelConfig::position_offset, [](float& target, float number) { target += number; });
  if (const auto scale = static_cast<float>(config.form.scales.embedding); scale != 1.0F)
    for (std::size_t i = 0; i < width; ++i) row[i] *= scale;
}

float Transformer::Impl::score_scale() const {
  const double scale = config.form.scales.attention;
  return scale == 0 ? query_scale(config.head_dim) : static_cast<float>(scale * score_unit);
}

float Transformer::Impl::observed_scale() const { return config.observed_scale(); }

void Transformer::Impl::norm(const float* row, const std::vector<float>& weight, const std::vector<float>& bias,
                             void* output, Element type) const {
  if (config.layer_norm)
    kernel().layer_norm(row, weight.data(), bias.data(), config.hidden, config.rms_eps, output, type);
  else
    kernel().rms_norm(row, weight.data(), config.hidden, config.rms_eps, output, type);
}

bool Transformer::Impl::rounds_decoded_inputs(const LayerWeights& layer) const {
  if (!products) return compute == ComputeType::fp32;
  const auto packed = [](const Matrix& matrix) {
    return matrix.is_packed() || (matrix.latent != nullptr && matrix.latent->down.is_packed());
  };
  return !packed(layer.query) && !packed(layer.key) && !packed(layer.value);
}

void Transformer::Impl::multiply(const Matrix& matrix, const float* input, float* output, int batch) const {
  multiply(std::array{Product{&matrix, output}}, input, batch);
}

void Transformer::Impl::multiply(std::span<const Product> together, const float* input, int batch) const {
  for_inputs(together, [&](const LatentInput* latent, std::span<const Product> alike) {
    if (latent == nullptr) return multiply_alike(*this, alike, input, batch);
    multiply_alike(*this, alike, latent_rows(*this, *latent, input, batch).data(), batch);
  });
}

void Transformer::Impl::multiply_unrounded(std::span<const Product> together, const float* input, int batch) const {
  std::vector<PackedTarget> packed;
  std::int64_t rows = 0, bytes = 0;
  for (const Product& product : together) {
    if (const Matrix& matrix = *product.matrix; matrix.packed != nullptr) {
      packed.push_back({matrix.packed.get(), matrix.bias_or_null(), product.output, Element::fp32, matrix.rows()});
      continue;
    }
    rows += product.matrix->rows();
    const int element_bytes = !product.matrix->codes.empty() ? 1 : product.matrix->element == Element::bf16 ? 2 : 4;
    bytes += std::int64_t{product.matrix->rows()} * product.matrix->columns() * element_bytes * batch;
  }
  multiply_packed(packed, {input, Element::fp32, together.front().matrix->columns(), batch});
  if (rows == 0) return;
  for_parts(rows, weight_bytes_worth_splitting / (bytes / rows) + 1, [&](int first, int last) {
    int begin = 0;  // first row of this matrix among the rows of all
    for (const Product& product : together) {
      const Matrix& matrix = *product.matrix;
      if (matrix.packed != nullptr) continue;
      MatVec job;
      job.first = std::clamp(first - begin, 0, matrix.rows());
      job.last = std::clamp(last - begin, 0, matrix.rows());
      begin += matrix.rows();
      if (job.first == job.last) continue;
      job.weight = matrix.tensor.const_data_ptr();
      job.type = matrix.element;
      if (!matrix.codes.empty()) {
        job.codes = matrix.codes.data();
        job.scales = matrix.scales.data();
      }
      job.columns = matrix.columns();
      job.bias = matrix.bias_or_null();
      job.input = input;
      job.input_stride = matrix.columns();
      job.output = product.output;
      job.output_stride = matrix.rows();
      job.batch = batch;
      kernel().matvec(job);
    }
  });
}

void Transformer::Impl::logits(const float* residual, int rows, float* output) const {
  const auto width = static_cast<std::size_t>(config.hidden);
  const std::array product{Product{&head, output}};
  if (config.form.norms.after) return multiply_unrounded(product, residual, rows);  // the last layer applied the norm
  std::vector<float> normed(width * static_cast<std::size_t>(rows));
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
    norm(residual + r * width, final_norm, final_norm_bias, &normed[r * width], Element::fp32);
  multiply_unrounded(product, normed.data(), rows);
  const ScaleForm& scales = config.form.scales;
  const auto divisor = static_cast<float>(scales.logits), cap = static_cast<float>(scales.logits_cap);
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(config.vocab_size);
  for (std::size_t i = 0; divisor != 1.0F && i < count; ++i) output[i] /= divisor;
  for (std::size_t i = 0; cap > 0 && i < count; ++i) output[i] = std::tanh(output[i] / cap) * cap;
}

void for_parts(std::int64_t count, std::int64_t grain, const std::function<void(int, int)>& body) {
  at::parallel_for(0, count, std::max<std::int64_t>(1, grain), [&](std::int64_t first, std::int64_t last) {
    body(static_cast<int>(first), static_cast<int>(last));
  });
}

Status check_request(const Transformer::Impl& model, const KvCache& cache, std::span<const std::int32_t> tokens,
                     std::int32_t first_position) {
  const ModelConfig& config = model.config;
  const KvShape shape{config.layers, config.kv_heads, config.head_dim, model.kv_type};
  if (cache.shape() != shape) return fail(ErrorCode::internal, "the KV cache has another shape than the model");
  if (cache.encoded() != nullptr && config.has_windows())
    return fail(ErrorCode::internal, "quantized rows have no positions, by which a sliding window leaves rows out");
  if (tokens.empty()) return fail(ErrorCode::rejected_input, "no tokens to compute; give at least one");
  for (const std::int32_t token : tokens)
    if (token < 0 || token >= config.vocab_size)
      return fail(ErrorCode::rejected_input, "token id " + std::to_string(token) +
                                                 " is outside the model's vocabulary of " +
                                                 std::to_string(config.vocab_size) + "; use the model's own tokenizer");
  const std::int64_t end = std::int64_t{first_position} + static_cast<std::int64_t>(tokens.size());
  if (first_position < 0 || end > config.max_positions)
    return fail(ErrorCode::rejected_input,
                "position " + std::to_string(end - 1) + " is beyond the model's " +
                    std::to_string(config.max_positions) + " positions" +
                    (config.form.file.positions_of.empty() ? "" : " (" + config.form.file.positions_of + ")") +
                    "; shorten the context");
  return {};
}

Status guarded(const std::function<Status()>& body) {
  try {
    const c10::InferenceMode inference;
    return body();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::no_space, "model: out of memory; close other programs");
  } catch (const std::exception& exception) {
    std::string text = exception.what();
    return fail(ErrorCode::internal, "model: libtorch failed: " + text.substr(0, text.find('\n')));
  }
}

void set_compute_threads(int threads) {
  at::set_num_threads(threads > 0 ? threads : choose_compute_cores(0, false).threads);
}
int compute_threads() { return at::get_num_threads(); }

}  // namespace kvantage::inline model
