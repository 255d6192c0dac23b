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
std::vector<std::vector<RoutedRow>> route_rows(const Transformer::Impl& model, const Matrix& router,
                                               const at::Tensor& input) {
  const ExpertForm& form = model.config.form.experts;
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
    for (const ChosenExpert& chosen : choose_experts(form, of_row))
      routed[static_cast<std::size_t>(chosen.expert)].push_back({row, chosen.weight});
  }
  return routed;
}

/// The outputs of one expert for the given rows: [rows, hidden] in the compute type.
at::Tensor run_expert(const Transformer::Impl& model, const ExpertWeights& expert, const at::Tensor& input,
                      const std::vector<RoutedRow>& rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  at::Tensor index = at::empty({count}, at::TensorOptions(at::kLong));
  for (std::size_t i = 0; i < rows.size(); ++i) index.mutable_data_ptr<std::int64_t>()[i] = rows[i].row;
  const at::Tensor taken = input.index_select(0, index);
  const auto options = at::TensorOptions(model.scalar());
  at::Tensor gate = at::empty({count, expert.gate.rows()}, options), up = at::empty({count, expert.up.rows()}, options),
             output = at::empty({count, expert.down.rows()}, options);
  project(model, expert.gate, taken, gate, true);
  project(model, expert.up, taken, up, true);
  gate_rows(model, gate.mutable_data_ptr(), up.const_data_ptr(), static_cast<std::size_t>(gate.numel()),
            model.element());
  project(model, expert.down, gate, output, true);
  return output;
}

}  // namespace

void run_experts(const Transformer::Impl& model, const LayerWeights& layer, const float* input, float* output) {
  const ExpertForm& form = model.config.form.experts;
  const auto wide = static_cast<std::size_t>(form.intermediate), hidden = static_cast<std::size_t>(model.config.hidden);
  std::vector<float> logits(static_cast<std::size_t>(form.count)), gate(wide), up(wide), one(hidden);
  model.multiply_unrounded(std::array{Product{&layer.extra.router, logits.data()}}, input, 1);
  std::fill_n(output, hidden, 0.0F);
  for (const ChosenExpert& chosen : choose_experts(form, logits)) {
    const ExpertWeights& expert = layer.extra.experts[static_cast<std::size_t>(chosen.expert)];
    model.multiply(std::array{Product{&expert.gate, gate.data()}, Product{&expert.up, up.data()}}, input, 1);
    gate_rows(model, gate.data(), up.data(), wide, Element::fp32);
    model.multiply(expert.down, gate.data(), one.data());
    for (std::size_t i = 0; i < hidden; ++i) output[i] += chosen.weight * one[i];
  }
}

at::Tensor run_experts(const Transformer::Impl& model, const LayerWeights& layer, const at::Tensor& input) {
  at::Tensor sums = at::zeros({input.size(0), model.config.hidden}, at::TensorOptions(at::kFloat));
  const auto hidden = static_cast<std::size_t>(model.config.hidden);
  const auto routed = route_rows(model, layer.extra.router, input);
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
