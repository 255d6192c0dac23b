#include "core/model/architectures/architecture.h"

#include <array>

namespace kvantage::inline model_architectures {

std::span<const ArchitectureRow> architecture_rows() {
  static constexpr auto rows = std::to_array<ArchitectureRow>({
#define KV_ARCHITECTURE(id, name, intermediate, head_dim, suffix) \
  {Architecture::id, name, intermediate, &read_##suffix, &names_of_##suffix, head_dim},
#include "core/model/architectures/architectures.inl"
#undef KV_ARCHITECTURE
  });
  return rows;
}

}  // namespace kvantage::inline model_architectures
