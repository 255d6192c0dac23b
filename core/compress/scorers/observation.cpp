#include "core/compress/scorers/observation.h"

namespace kvantage::inline scorers {

std::size_t Observation::bytes() const {
  std::size_t floats = 0;
  const auto add = [&floats](const std::vector<std::vector<float>>& layers) {
    for (const auto& layer : layers) floats += layer.size();
  };
  add(queries.layers);
  add(hidden_states.layers);
  for (const RepeatChunk& chunk : repeat) {
    add(chunk.queries);
    add(chunk.keys);
    add(chunk.hidden_norms);
  }
  for (const auto& layer : calibration.layers)
    floats += layer.real.size() + layer.imaginary.size() + layer.magnitude.size();
  for (const auto& layer : output_norms.layers) floats += layer.absolute.size() + layer.euclidean.size();
  return floats * sizeof(float);
}

}  // namespace kvantage::inline scorers
