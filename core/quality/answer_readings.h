// The difference between the model's predictions over compressed forms and over the original while it reads reference
// answers (teacher forcing). Readings over the original serve every form; beyond a memory limit they are repeated.
// Where prefills_together(), several answers are read together, as many as a step has rows for; else one after the
// other.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "core/runtime/answer_task.h"
#include "core/runtime/catalog.h"
#include "core/runtime/teacher_forcing.h"

namespace kvantage::inline quality {

class AnswerReadings {
 public:
  struct Limits {
    std::size_t kept_bytes = std::size_t{256} << 20;  // of the readings over the original that are kept
    int step_rows = AnswerTask::default_step_rows;    // tokens that are read together, at most
  };
  /// The reference answer of a question, which has this number among the context's, over a form. Both must outlive its
  /// metrics.
  struct Item {
    std::size_t index = 0;
    const CatalogQuestion* question = nullptr;
    const KvCache* form = nullptr;
  };

  /// original: uncompressed, must outlive this.
  AnswerReadings(ModelRuntime& runtime, const KvCache& original, Limits limits);
  AnswerReadings(ModelRuntime& runtime, const KvCache& original) : AnswerReadings(runtime, original, Limits{}) {}

  /// Replaces the items so far.
  void begin(std::vector<Item> items);
  /// Drops the last `count` items.
  void withdraw(std::size_t count);
  /// About a layer's work. no_space: the block pool is full; retry when it has space.
  Status step();
  bool done() const { return metrics_.size() == items_.size(); }
  /// Of the first items, in order: as many as are read.
  const std::vector<LogitMetrics>& metrics() const { return metrics_; }

 private:
  struct Reading {
    std::size_t item = 0;
    bool of_original = false;
    std::unique_ptr<ForcedReadTask> task = {};  // once begun
  };
  void begin_wave();
  std::unique_ptr<ForcedReadTask> task_of(const Reading& reading) const;
  Status step_wave();
  void take_first();
  int rows_together() const;

  ModelRuntime& runtime_;
  const KvCache& original_;
  Limits limits_;
  bool together_ = false;
  std::vector<Item> items_;
  std::vector<LogitMetrics> metrics_;
  std::deque<Reading> wave_;                          // in order; an item's reading over the original before its own
  std::map<std::size_t, ForcedReading> of_original_;  // by question
  std::size_t bytes_ = 0;                             // total size of these
  std::map<std::size_t, ForcedReading> passing_;      // of the wave, beyond the memory limit
};

}  // namespace kvantage::inline quality
