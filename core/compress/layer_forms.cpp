#include "core/compress/layer_forms.h"

#include <algorithm>

#include "core/model/rope.h"

namespace kvantage::inline compression {
namespace {

/// transformers multiplies queries by no more than the scale of cosines and sines; scorers see all that makes scores of
/// products.
std::vector<std::vector<float>> query_factors_of(const ModelConfig& config) {
  const float observed = config.observed_scale(), turned = static_cast<float>(config.rope.stretch.attention_factor);
  std::vector<std::vector<float>> factors;
  if (observed == 1.0F && turned == 1.0F) return factors;
  const auto head_dim = static_cast<std::size_t>(config.head_dim), half = head_dim / 2,
             pairs = static_cast<std::size_t>(config.rotated_channels() / 2);
  factors.reserve(static_cast<std::size_t>(config.layers));
  for (int layer = 0; layer < config.layers; ++layer) {
    std::vector<float>& row = factors.emplace_back(head_dim, observed);
    const LayerForm form = config.layer_form(layer);
    if (!form.rotates || form.local_rope) continue;
    for (std::size_t c = 0; c < head_dim; ++c)
      if (c % half < pairs) row[c] *= turned;
  }
  return factors;
}

FileVectors file_vectors_of(const ModelConfig& config) {
  FileVectors files;
  if (config.form.latent.rank > 0) {
    files.latent_model = to_string(config.architecture);
    return files;
  }
  for (int channel = 0; config.rope.rotated != 0 && channel < config.head_dim; ++channel)
    files.channels.push_back(stored_channel(config.head_dim, config.rope.rotated, channel));
  files.query_factors = query_factors_of(config);
  return files;
}

}  // namespace

LayerForms layer_forms_of(const ModelConfig& config) {
  return {config.windows(), frequencies_of_layers(config), file_vectors_of(config)};
}

}  // namespace kvantage::inline compression
