// The difference between the model's predictions over a compressed form and over the original while it reads a
// reference answer (teacher forcing). Readings over the original serve every form; beyond a memory limit they are
// repeated.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>

#include "core/runtime/catalog.h"
#include "core/runtime/teacher_forcing.h"

namespace kvantage::inline quality {

class AnswerReadings {
 public:
  /// original: uncompressed, must outlive this. max_bytes: of the readings over it that are kept.
  AnswerReadings(ModelRuntime& runtime, const KvCache& original, std::size_t max_bytes = std::size_t{256} << 20)
      : runtime_(runtime), original_(original), max_bytes_(max_bytes) {}

  /// About a layer's work for the reference answer of `question`, number `index`; pass the same one until its metrics
  /// are returned. no_space: the block pool is full; retry when it has space.
  Expected<std::optional<LogitMetrics>> step(std::size_t index, const CatalogQuestion& question, const KvCache& form);

 private:
  void keep(std::size_t index, ForcedReading reading);

  ModelRuntime& runtime_;
  const KvCache& original_;
  std::size_t max_bytes_;
  std::unique_ptr<ForcedReadTask> reading_;
  bool reading_original_ = false;
  std::map<std::size_t, ForcedReading> of_original_;  // by question
  std::size_t bytes_ = 0;                             // total size of these
  ForcedReading passing_;                             // of the original, when it exceeds the memory limit
};

}  // namespace kvantage::inline quality
