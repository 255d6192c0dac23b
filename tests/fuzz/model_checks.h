// What must hold of a model's config, from whatever file it was read.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/model/config.h"
#include "tests/fuzz/fuzzing.h"

namespace kvantage::test {

inline void check_config(const ModelConfig& config) {
  const auto within = [](int number, int most) { return number >= 1 && number <= most; };
  must_hold(within(config.layers, 1000) && within(config.heads, 1024) && within(config.kv_heads, config.heads) &&
                config.heads % config.kv_heads == 0,
            "layers and heads are those of a supported model");
  must_hold(within(config.head_dim, 1024) && config.head_dim % 2 == 0, "channels of a head are pairs");
  must_hold(within(config.hidden, 1 << 20) && within(config.intermediate, 1 << 22) &&
                within(config.vocab_size, 1 << 24) && within(config.max_positions, 1'000'000'000),
            "sizes are those of a supported model");
  must_hold(config.rms_eps > 0 && config.rms_eps < 1, "a norm divides by more than 0");
  must_hold(std::ranges::adjacent_find(config.eos_ids, std::greater_equal{}) == config.eos_ids.end(),
            "ids of ends ascend");
  for (const std::int32_t id : config.eos_ids)
    must_hold(id >= 0 && id < config.vocab_size, "an end is in the vocabulary");
  must_hold(config.bos_id >= -1 && config.bos_id < config.vocab_size, "a begin is in the vocabulary");
  const auto frequencies = rope_frequencies(config);
  must_hold(frequencies.size() == static_cast<std::size_t>(config.head_dim / 2), "each pair has a frequency");
  for (const float frequency : frequencies) must_hold(std::isfinite(frequency), "a frequency is a number");
  must_hold(config.parameters() > 0 && config.canonical_text().find('\n') == std::string::npos,
            "a model has parameters, and a text in one line");
}

}  // namespace kvantage::test
