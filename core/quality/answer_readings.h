// How far the model's predictions over a compressed form are from those over the original, while it reads a reference
// answer (teacher forcing). The reading over the original serves every form; past a limit of memory it is read again.
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
  /// original: uncompressed, outlives this.
  AnswerReadings(ModelRuntime& runtime, const KvCache& original) : runtime_(runtime), original_(original) {}

  /// About a layer's work for the reference answer of `question`, number `index`; the same one until its figures are
  /// there. no_space: the block pool is full, and the step may be tried again once it is not.
  Expected<std::optional<LogitFigures>> step(std::size_t index, const CatalogQuestion& question, const KvCache& form);

 private:
  void keep(std::size_t index, ForcedReading reading);

  ModelRuntime& runtime_;
  const KvCache& original_;
  std::unique_ptr<ForcedReadTask> reading_;
  bool reading_original_ = false;
  std::map<std::size_t, ForcedReading> of_original_;  // by question
  std::size_t bytes_ = 0;                             // of those
  ForcedReading passing_;                             // of the original, where there was no room to keep it
};

}  // namespace kvantage::inline quality
