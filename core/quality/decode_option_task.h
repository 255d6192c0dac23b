// Measures ways to decode the answers about one context: quality and inter-token latency of its profile questions with
// each option of decode-time eviction, over the uncompressed cache. Answers are decoded by the stages that serve
// requests, one at a time, so that latencies are of one sequence. Time counts only within steps. A step takes about as
// long as a layer of the model; a method that needs a calibration takes longer at its first answer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/policy/decode_option.h"
#include "core/request/decode_stage.h"
#include "core/request/question_prefill_stage.h"
#include "core/runtime/catalog.h"
#include "core/runtime/serving_clock.h"
#include "core/text/quality_meter.h"

namespace kvantage::inline quality {

struct DecodeOptionPlan {
  std::vector<std::string>
      options;  // texts of decode-time eviction, valid; "none" first: its answers are the reference
  std::string quality_metric = "token_f1";  // of words or meaning
  int max_answer_tokens = 48;               // for questions without a limit
};

class DecodeOptionTask {
 public:
  /// original: the context's uncompressed cache, only read; all must outlive the task. details gets the reference
  /// answers that it lacks.
  DecodeOptionTask(ModelRuntime& runtime, QualityMeter& meter, const Clock& clock, ContextDetails& details,
                   const KvCache& original, DecodeOptionPlan plan);
  ~DecodeOptionTask();

  /// A layer of a question's prefill, of the cut to a budget, or of one token; or the grading of an answer. Any error
  /// ends the task.
  Status step();
  bool done() const { return measured_.size() == plan_.options.size(); }
  /// After done(): in the order of the plan. n = 0: the model cannot decode that way, or nothing could be asked.
  std::vector<DecodeOption> take_measured() { return std::move(measured_); }

 private:
  struct Answer;
  Status begin_answer();
  Status grade();
  void finish_option();

  ModelRuntime& runtime_;
  QualityMeter& meter_;
  const Clock& clock_;
  ContextDetails& details_;
  const KvCache& original_;
  DecodeOptionPlan plan_;
  ServingClock step_clock_;  // stands still between two steps
  std::int64_t last_step_ns_;

  std::vector<std::size_t> asked_;  // profile questions
  std::size_t item_ = 0;            // next of asked_
  std::unique_ptr<Answer> answer_;
  std::vector<double> scores_;  // of the current option
  double gap_seconds_ = 0;
  std::size_t gaps_ = 0, answers_ = 0;
  std::vector<DecodeOption> measured_;
};

}  // namespace kvantage::inline quality
