#include "core/model/experts.h"

#include <algorithm>
#include <array>

#include "core/model/expert_choice.h"
#include "core/model/layer_math.h"
#include "core/model/projection.h"

namespace kvantage::inline model {
namespace {

struct RoutedRow {
  std::int64_t row = 0;
  float weight = 0;
};

/// The rows of each expert, in order. The router multiplies in fp32: a choice by rounded logits would be another model.
std::vector<std::vector<RoutedRow>> route_rows(const Transformer::Impl& model, const ExtraWeights& weights,
                                               const at::Tensor& input) {
  const ExpertForm& form = model.config.form.experts;
  const Matrix& router = weights.router;
  const at::Tensor wide = input.to(at::kFloat).contiguous();
  at::Tensor logits;
  const bool own = model.products || router.packed != nullptr;  // as a token alone; adds the bias
  if (own) {
    logits = at::empty({input.size(0), form.count}, at::TensorOptions(at::kFloat));
    model.multiply_unrounded(std::array{Product{&router, logits.mutable_data_ptr<float>()}},
                             wide.const_data_ptr<float>(), static_cast<int>(input.size(0)));
  } else {
    logits = at::mm(wide, router.tensor.to(at::kFloat).t()).contiguous();
  }
  std::vector<std::vector<RoutedRow>> routed(static_cast<std::size_t>(form.count));
  std::vector<float> of_row(routed.size());
  for (std::int64_t row = 0; row < input.size(0); ++row) {
    const float* const source = logits.const_data_ptr<float>() + row * form.count;
    for (std::size_t e = 0; e < of_row.size(); ++e)
      of_row[e] = source[e] + (own || router.bias_values.empty() ? 0.0F : router.bias_values[e]);
    for (const ChosenExpert& chosen : choose_experts(form, of_row, weights.router_correction))
      routed[static_cast<std::size_t>(chosen.expert)].push_back({row, chosen.weight});
  }
  return routed;
}

/// Those of one expert, or of the MLP beside them.
struct GatedMlp {
  const Matrix& gate;
  const Matrix& up;
  const Matrix& down;
};
GatedMlp matrices(const ExpertWeights& expert) { return {expert.gate, expert.up, expert.down}; }
GatedMlp shared_matrices(const LayerWeights& layer) { return {layer.gate, layer.up, layer.down}; }

/// Of rows: [rows, hidden] in the compute type.
at::Tensor run_mlp(const Transformer::Impl& model, const GatedMlp& mlp, const at::Tensor& input) {
  const std::int64_t count = input.size(0);
  const auto options = at::TensorOptions(model.scalar());
  at::Tensor gate = at::empty({count, mlp.gate.rows()}, options), up = at::empty({count, mlp.up.rows()}, options),
             output = at::empty({count, mlp.down.rows()}, options);
  project(model, std::array{RowProduct{&mlp.gate, gate, true}, RowProduct{&mlp.up, up, true}}, input);
  gate_rows(model, gate.mutable_data_ptr(), up.const_data_ptr(), static_cast<std::size_t>(gate.numel()),
            model.element());
  project(model, mlp.down, gate, output, true);
  return output;
}

/// Of one token: [hidden].
void run_mlp(const Transformer::Impl& model, const GatedMlp& mlp, const float* input, float* output) {
  const auto wide = static_cast<std::size_t>(mlp.gate.rows());
  std::vector<float> gate(wide), up(wide);
  model.multiply(std::array{Product{&mlp.gate, gate.data()}, Product{&mlp.up, up.data()}}, input, 1);
  gate_rows(model, gate.data(), up.data(), wide, Element::fp32);
  model.multiply(mlp.down, gate.data(), output);
}

/// The outputs of one expert for the given rows: [rows, hidden] in the compute type.
at::Tensor run_expert(const Transformer::Impl& model, const ExpertWeights& expert, const at::Tensor& input,
                      const std::vector<RoutedRow>& rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  at::Tensor index = at::empty({count}, at::TensorOptions(at::kLong));
  for (std::size_t i = 0; i < rows.size(); ++i) index.mutable_data_ptr<std::int64_t>()[i] = rows[i].row;
  return run_mlp(model, matrices(expert), input.index_select(0, index));
}

}  // namespace

void run_experts(const Transformer::Impl& model, const LayerWeights& layer, const float* input, float* output) {
  const ExpertForm& form = model.config.form.experts;
  const auto hidden = static_cast<std::size_t>(model.config.hidden);
  std::vector<float> logits(static_cast<std::size_t>(form.count)), one(hidden);
  model.multiply_unrounded(std::array{Product{&layer.extra.router, logits.data()}}, input, 1);
  if (form.shared > 0)
    run_mlp(model, shared_matrices(layer), input, output);
  else
    std::fill_n(output, hidden, 0.0F);
  for (const ChosenExpert& chosen : choose_experts(form, logits, layer.extra.router_correction)) {
    run_mlp(model, matrices(layer.extra.experts[static_cast<std::size_t>(chosen.expert)]), input, one.data());
    for (std::size_t i = 0; i < hidden; ++i) output[i] += chosen.weight * one[i];
  }
}

at::Tensor run_experts(const Transformer::Impl& model, const LayerWeights& layer, const at::Tensor& input) {
  at::Tensor sums = at::zeros({input.size(0), model.config.hidden}, at::TensorOptions(at::kFloat));
  if (model.config.form.experts.shared > 0) sums.add_(run_mlp(model, shared_matrices(layer), input));
  const auto hidden = static_cast<std::size_t>(model.config.hidden);
  const auto routed = route_rows(model, layer.extra, input);
  for (std::size_t e = 0; e < routed.size(); ++e) {
    if (routed[e].empty()) continue;
    const at::Tensor output = run_expert(model, layer.extra.experts[e], input, routed[e]).to(at::kFloat);
    for (std::size_t i = 0; i < routed[e].size(); ++i) {
      const float* const source = output.const_data_ptr<float>() + i * hidden;
      float* const target = sums.mutable_data_ptr<float>() + static_cast<std::size_t>(routed[e][i].row) * hidden;
      for (std::size_t d = 0; d < hidden; ++d) target[d] += routed[e][i].weight * source[d];
    }
  }
  return sums;
}

}  // namespace kvantage::inline model
