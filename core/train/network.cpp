#include "core/train/network.h"

#include <cmath>

#include "core/train/functions.h"
#include "core/train/matrix_product.h"

namespace kvantage::inline training {
namespace {

// Indices of a layer's seven parameters.
enum LayerPart : std::size_t {
  norm1,
  qkv_weight,
  qkv_bias,
  out_weight,
  norm2,
  gate_up_weight,
  down_weight,
  layer_parts
};

std::size_t index_of(std::size_t layer, LayerPart part) { return 1 + layer * layer_parts + part; }

at::Tensor random_matrix(std::int64_t rows, std::int64_t columns, double deviation, Random& random) {
  at::Tensor matrix = at::empty({rows, columns}, at::kFloat);
  float* data = matrix.data_ptr<float>();
  for (std::int64_t i = 0; i < rows * columns; ++i) data[i] = static_cast<float>(random.normal() * deviation);
  return matrix;
}

/// Biases that make the heads of the first two layers attend one to four tokens back: on the fastest-rotating quarter
/// of the channels k gets v and q gets v rotated back by the shift, so q(t).k(s) peaks at s = t - shift. v = 4 with
/// small q and k weights there. With v = 2 and weights like the other layers', token content initially dominates
/// position, and lookup takes twice as many tokens to learn.
at::Tensor starting_bias(const TrainShape& shape, bool looks_back) {
  constexpr float beta = 4.0f;
  const std::int64_t width = (shape.query_heads + 2 * shape.kv_heads) * shape.head_dim;
  at::Tensor bias = at::zeros({width}, at::kFloat);
  if (!looks_back) return bias;
  float* data = bias.data_ptr<float>();
  const std::int64_t half = shape.head_dim / 2;
  for (std::int64_t head = 0; head < shape.query_heads + shape.kv_heads; ++head) {
    const double shift = head < shape.query_heads ? static_cast<double>(1 + head % 4) : 0.0;
    for (std::int64_t i = 0; i < half / 4; ++i) {
      const double frequency = std::pow(shape.rope_theta, -static_cast<double>(i) / static_cast<double>(half));
      const double c = std::cos(-shift * frequency), s = std::sin(-shift * frequency);
      data[head * shape.head_dim + i] = beta * static_cast<float>(c - s);
      data[head * shape.head_dim + half + i] = beta * static_cast<float>(c + s);
    }
  }
  return bias;
}

/// The steps between matrix products, in one of their two implementations.
struct Step {
  decltype(&kvantage::rms_norm) rms_norm;
  decltype(&kvantage::swiglu) swiglu;
  decltype(&kvantage::bias_rope) bias_rope;
  decltype(&kvantage::causal_attention) causal_attention;
  decltype(&kvantage::weighted_cross_entropy) weighted_cross_entropy;
};
constexpr Step own_steps{rms_norm, swiglu, bias_rope, causal_attention, weighted_cross_entropy};
constexpr Step plain_steps{plain::rms_norm, plain::swiglu, plain::bias_rope, plain::causal_attention,
                           plain::weighted_cross_entropy};

}  // namespace

Network::Network(const TrainShape& shape, std::size_t vocabulary, std::uint64_t seed)
    : Network(shape, vocabulary, seed, at::kCPU, Steps::own_kernels) {}

Network::Network(const TrainShape& shape, std::size_t vocabulary, std::uint64_t seed, at::Device device, Steps steps)
    : shape_(shape),
      device_(device),
      steps_(steps),
      vocabulary_((static_cast<std::int64_t>(vocabulary) + 31) / 32 * 32) {
  constexpr double deviation = 0.02;
  constexpr double attention_deviation = 0.06;  // with a smaller value, attention starts uniform and stays so for long
  constexpr double looking_back_deviation = 0.01;
  constexpr std::int64_t looking_back_layers = 2;
  const double out_deviation = deviation / std::sqrt(2.0 * static_cast<double>(shape.layers));
  const std::int64_t q_rows = shape.query_heads * shape.head_dim, kv_rows = shape.kv_heads * shape.head_dim;
  Random random(derive_seed(seed, 1));
  const auto add = [this](std::string name, const at::Tensor& value, std::vector<std::int64_t> parts,
                          bool decays = false) {
    parameters_.push_back({std::move(name), value.to(device_), std::move(parts), decays});
  };
  add("embedding", random_matrix(vocabulary_, shape.hidden, deviation, random), {}, true);
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    const std::string prefix = "layers." + std::to_string(layer) + ".";
    add(prefix + "norm1", at::ones({shape.hidden}, at::kFloat), {});
    at::Tensor qkv = random_matrix(q_rows + 2 * kv_rows, shape.hidden, 1.0, random);
    const bool looks_back = layer < looking_back_layers;
    qkv.slice(0, 0, q_rows + kv_rows).mul_(looks_back ? looking_back_deviation : attention_deviation);
    qkv.slice(0, q_rows + kv_rows, q_rows + 2 * kv_rows).mul_(deviation);
    add(prefix + "qkv.weight", qkv, {q_rows, kv_rows, kv_rows});
    add(prefix + "qkv.bias", starting_bias(shape, looks_back), {});
    add(prefix + "out", random_matrix(shape.hidden, q_rows, out_deviation, random), {shape.hidden});
    add(prefix + "norm2", at::ones({shape.hidden}, at::kFloat), {});
    add(prefix + "gate_up", random_matrix(2 * shape.intermediate, shape.hidden, deviation, random),
        {shape.intermediate, shape.intermediate});
    add(prefix + "down", random_matrix(shape.hidden, shape.intermediate, out_deviation, random), {shape.hidden});
  }
  add("norm", at::ones({shape.hidden}, at::kFloat), {});
}

std::vector<ExportedTensor> Network::exported() const {
  const std::int64_t q_rows = shape_.query_heads * shape_.head_dim, kv_rows = shape_.kv_heads * shape_.head_dim;
  std::vector<ExportedTensor> list{{"model.embed_tokens.weight", 0, 0, vocabulary_}};
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(shape_.layers); ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    list.push_back({prefix + "input_layernorm.weight", index_of(layer, norm1), 0, shape_.hidden});
    for (const auto& [suffix, part] : {std::pair{".weight", qkv_weight}, std::pair{".bias", qkv_bias}}) {
      list.push_back({prefix + "self_attn.q_proj" + suffix, index_of(layer, part), 0, q_rows});
      list.push_back({prefix + "self_attn.k_proj" + suffix, index_of(layer, part), q_rows, kv_rows});
      list.push_back({prefix + "self_attn.v_proj" + suffix, index_of(layer, part), q_rows + kv_rows, kv_rows});
    }
    list.push_back({prefix + "self_attn.o_proj.weight", index_of(layer, out_weight), 0, shape_.hidden});
    list.push_back({prefix + "post_attention_layernorm.weight", index_of(layer, norm2), 0, shape_.hidden});
    list.push_back({prefix + "mlp.gate_proj.weight", index_of(layer, gate_up_weight), 0, shape_.intermediate});
    list.push_back(
        {prefix + "mlp.up_proj.weight", index_of(layer, gate_up_weight), shape_.intermediate, shape_.intermediate});
    list.push_back({prefix + "mlp.down_proj.weight", index_of(layer, down_weight), 0, shape_.hidden});
  }
  list.push_back({"model.norm.weight", parameters_.size() - 1, 0, shape_.hidden});
  return list;
}

std::vector<at::Tensor> Network::working_copies() const {
  std::vector<at::Tensor> copies;
  for (const Parameter& parameter : parameters_)
    copies.push_back(parameter.parts.empty() ? parameter.value : parameter.value.to(at::kBFloat16));
  copies.push_back(parameters_[0].value.to(at::kBFloat16));
  return copies;
}

Network::Leaves Network::leaves(const std::vector<at::Tensor>& copies, bool with_gradient) const {
  Leaves list;
  for (const at::Tensor& copy : copies) list.push_back(copy.detach().set_requires_grad(with_gradient));
  return list;
}

at::Tensor Network::trunk(const Leaves& leaves, const at::Tensor& tokens, const at::Tensor& positions,
                          std::size_t sequences, FutureAttention* future) const {
  const std::int64_t half = shape_.head_dim / 2;
  const at::Tensor exponents = at::arange(half, at::kDouble) / static_cast<double>(half);
  const at::Tensor frequencies = at::pow(shape_.rope_theta, exponents).reciprocal();
  const at::Tensor angles = positions.to(at::kDouble).unsqueeze(1) * frequencies.unsqueeze(0);
  const at::Tensor cosine = angles.cos().to(at::kFloat).to(device_), sine = angles.sin().to(at::kFloat).to(device_);
  const Step& step = steps_ == Steps::plain ? plain_steps : own_steps;
  const train_kernels::HeadShape heads{
      sequences, static_cast<std::size_t>(tokens.size(0)) / sequences, static_cast<std::size_t>(shape_.query_heads),
      static_cast<std::size_t>(shape_.kv_heads), static_cast<std::size_t>(shape_.head_dim)};
  at::Tensor x = at::embedding(leaves[0], tokens.to(device_));
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(shape_.layers); ++layer) {
    const auto part = [&](LayerPart which) -> const at::Tensor& { return leaves[index_of(layer, which)]; };
    const at::Tensor a = step.rms_norm(x, part(norm1), shape_.norm_epsilon);
    const HeadTensors qkv =
        step.bias_rope(matrix_product(a, part(qkv_weight).t()), part(qkv_bias), cosine, sine, heads);
    if (future != nullptr) future->observe(qkv, heads);
    const at::Tensor attended =
        future != nullptr && future->cuts() ? future->attend(qkv, heads) : step.causal_attention(qkv, heads);
    x = x + matrix_product(attended, part(out_weight).t());
    const at::Tensor m = step.rms_norm(x, part(norm2), shape_.norm_epsilon);
    x = x + matrix_product(step.swiglu(matrix_product(m, part(gate_up_weight).t())), part(down_weight).t());
  }
  return x;
}

Network::ShardResult Network::loss(const Leaves& leaves, const Batch& batch, std::size_t first, std::size_t count,
                                   double total_weight, FutureAttention* future) const {
  const std::size_t begin = first * batch.length, size = count * batch.length;
  std::vector<std::int64_t> rows, targets;
  std::vector<float> weights;
  std::vector<std::uint8_t> answers;
  for (std::size_t i = 0; i < size; ++i) {
    const float weight = batch.weights[begin + i];
    if (weight <= 0.0f) continue;
    rows.push_back(static_cast<std::int64_t>(i));
    targets.push_back(batch.tokens[begin + i + 1]);
    weights.push_back(weight / static_cast<float>(total_weight));
    answers.push_back(batch.is_answer[begin + i]);
  }
  const auto signed_size = static_cast<std::int64_t>(size);
  const at::Tensor tokens = at::from_blob(const_cast<std::int64_t*>(&batch.tokens[begin]), {signed_size}, at::kLong);
  const at::Tensor positions =
      at::from_blob(const_cast<std::int32_t*>(&batch.positions[begin]), {signed_size}, at::kInt);
  const auto chosen = static_cast<std::int64_t>(rows.size());
  const at::Tensor x = trunk(leaves, tokens, positions, count, future);
  // Copies: autograd keeps some of them until the backward pass.
  const auto on_device = [this](const at::Tensor& values) { return values.clone().to(device_); };
  const Step& step = steps_ == Steps::plain ? plain_steps : own_steps;
  const at::Tensor picked = x.index_select(0, on_device(at::from_blob(rows.data(), {chosen}, at::kLong)));
  const at::Tensor logits =
      matrix_product(step.rms_norm(picked, leaves[leaves.size() - 2], shape_.norm_epsilon), leaves.back().t());
  at::Tensor correct;
  ShardResult result;
  result.loss = step.weighted_cross_entropy(logits, on_device(at::from_blob(targets.data(), {chosen}, at::kLong)),
                                            on_device(at::from_blob(weights.data(), {chosen}, at::kFloat)), correct);
  correct = correct.cpu();
  const std::uint8_t* right = correct.const_data_ptr<std::uint8_t>();
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (answers[i] != 0) {
      ++result.answer_tokens;
      result.answer_correct += right[i];
    }
  return result;
}

std::vector<std::int64_t> Network::greedy_after(const Leaves& leaves, const std::vector<std::int64_t>& tokens,
                                                std::size_t from) const {
  const auto size = static_cast<std::int64_t>(tokens.size());
  const at::Tensor ids = at::from_blob(const_cast<std::int64_t*>(tokens.data()), {size}, at::kLong);
  const at::Tensor x =
      trunk(leaves, ids, at::arange(size, at::kInt), 1).slice(0, static_cast<std::int64_t>(from), size - 1);
  const Step& step = steps_ == Steps::plain ? plain_steps : own_steps;
  const at::Tensor logits =
      matrix_product(step.rms_norm(x.contiguous(), leaves[leaves.size() - 2], shape_.norm_epsilon), leaves.back().t());
  const at::Tensor best = logits.argmax(1).cpu();
  const std::int64_t* data = best.const_data_ptr<std::int64_t>();
  return {data, data + best.size(0)};
}

std::vector<at::Tensor> Network::gradients(const Leaves& leaves) const {
  std::vector<at::Tensor> list;
  for (std::size_t i = 0; i < parameters_.size(); ++i) list.push_back(leaves[i].grad().to(at::kFloat));
  list[0].add_(leaves.back().grad());  // the embedding is tied to the output head
  return list;
}

}  // namespace kvantage::inline training
