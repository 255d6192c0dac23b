#include "core/model/gguf/gguf_architecture.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/base/json.h"
#include "core/model/architectures/config_fields.h"

namespace kvantage::inline model_gguf {

std::span<const GgufArchitectureRow> gguf_architecture_rows() {
  static constexpr auto rows = std::to_array<GgufArchitectureRow>({
#define KV_GGUF_ARCHITECTURE(name, architecture, suffix, ...) \
  {name, Architecture::architecture, &read_gguf_##suffix, GgufForm{__VA_ARGS__}},
#include "core/model/gguf/gguf_architectures.inl"
#undef KV_GGUF_ARCHITECTURE
  });
  return rows;
}

Expected<const GgufArchitectureRow*> gguf_architecture(const GgufFile& file) {
  KV_ASSIGN(const auto name, file.text("general.architecture"));
  const GgufKeys keys(file, std::string(name));
  std::uint64_t experts = 0;
  if (keys.has("expert_count")) {
    KV_ASSIGN(experts, file.whole_number(keys.key("expert_count")));
  }
  const GgufArchitectureRow* found = nullptr;
  std::string known, previous;
  for (const GgufArchitectureRow& row : gguf_architecture_rows()) {
    if (name == row.name && (found == nullptr || row.form.experts == (experts > 0))) found = &row;
    if (previous != row.name) known += (known.empty() ? "" : ", ") + std::string(row.name);
    previous = row.name;
  }
  if (found == nullptr)
    return file.reject("architecture '" + printable(name) +
                       "' (key 'general.architecture') is not supported; use a model of one of " + known);
  if (experts > 0 && !found->form.experts)
    return keys.refuse("expert_count", "is " + std::to_string(experts) +
                                           ", but mixtures of experts are not supported for this architecture");
  return found;
}

Expected<std::vector<bool>> read_gguf_windows(const GgufKeys& keys, int window, int period, ModelConfig& config) {
  constexpr const char* name = "attention.sliding_window_pattern";
  std::vector<bool> windowed(static_cast<std::size_t>(config.layers));
  const auto given = keys.file().values().find(keys.key(name));
  if (given != keys.file().values().end() && given->second.type == GgufType::array) {
    const GgufValue& flags = given->second;
    if (flags.element != GgufType::boolean || flags.count != windowed.size())
      return keys.refuse(name,
                         "must be a number, or a flag for each of the " + std::to_string(config.layers) + " layers");
    for (std::size_t layer = 0; layer < windowed.size(); ++layer) windowed[layer] = flags.bytes[layer] != std::byte{0};
  } else {
    KV_ASSIGN(period, keys.size_or(name, period));
    for (std::size_t layer = 0; layer < windowed.size(); ++layer)
      windowed[layer] = (static_cast<int>(layer) + 1) % period != 0;
  }
  config.form.layers.resize(windowed.size());
  for (std::size_t layer = 0; layer < windowed.size(); ++layer)
    config.form.layers[layer].window = windowed[layer] && window < config.max_positions ? window : 0;
  return windowed;
}

Status read_gguf_experts(const GgufKeys& keys, int intermediate, ModelConfig& config) {
  ExpertForm& experts = config.form.experts;
  KV_ASSIGN(experts.count, keys.size("expert_count"));
  KV_ASSIGN(experts.chosen, keys.size("expert_used_count"));
  experts.intermediate = intermediate;
  if (experts.chosen > experts.count || experts.count > 4096 || experts.intermediate > (1 << 22))
    return keys.refuse("expert_used_count", "(" + std::to_string(experts.chosen) + " of " +
                                                std::to_string(experts.count) + " experts) cannot be chosen");
  return {};
}

}  // namespace kvantage::inline model_gguf
