// The real model in virtual time: the processor's kernels compute every number, and each step takes what a table of
// costs says. Rows of questions stay in the cache, as where the processor computes.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/batch_decode.h"
#include "core/model/model_device.h"
#include "core/model/transformer.h"
#include "tests/support/hashed_model.h"
#include "tests/support/virtual_executor.h"

namespace kvantage::test {

class TimedModel final : public ModelDevice {
 public:
  static Expected<std::shared_ptr<ModelDevice>> load(const std::filesystem::path& folder, VirtualExecutor& executor,
                                                     ModelCosts costs) {
    KV_ASSIGN(auto model, Transformer::load(folder));
    return std::make_shared<TimedModel>(std::move(model), executor, costs);
  }
  TimedModel(std::unique_ptr<Transformer> model, VirtualExecutor& executor, ModelCosts costs)
      : model_(std::move(model)), executor_(executor), costs_(costs) {}

  std::string description() const override { return model_->path_description() + ", time simulated"; }
  int numerics_version() const override { return 1'000'001; }
  std::unique_ptr<ModelDevice::Prefill> prefill(KvCache& cache, std::vector<std::int32_t> tokens, std::int32_t first,
                                                const PrefillOptions& options) override {
    return std::make_unique<Pass>(*this, cache, std::move(tokens), first, options);
  }
  Expected<std::vector<float>> decode(std::span<const DecodeSequence> sequences) override {
    executor_.pass(costs_.decode_per_step + costs_.decode_per_sequence * static_cast<double>(sequences.size()));
    const std::vector<DecodeSequence> asked{sequences.begin(), sequences.end()};
    if (!resumes(asked)) {
      decoding_ = std::make_unique<BatchDecodeTask>(*model_, asked);
      in_task_ = asked;
    }
    while (!decoding_->done()) KV_TRY(decoding_->step());  // no_space: it resumes where it stopped
    std::vector<float> logits;
    for (std::size_t i = 0; i < in_task_.size(); ++i) {
      if (!holds(asked, in_task_[i])) continue;
      const auto next = decoding_->logits(i);
      logits.insert(logits.end(), next.begin(), next.end());
    }
    decoding_.reset();
    return logits;
  }
  bool verifies_drafts() const override { return true; }
  ModelDeviceGauges gauges() const override { return {"simulated", 0, 0, {}, {}}; }

 private:
  class Pass final : public ModelDevice::Prefill {
   public:
    Pass(TimedModel& model, KvCache& cache, std::vector<std::int32_t> tokens, std::int32_t first,
         const PrefillOptions& options)
        : model_(model),
          tokens_(static_cast<int>(tokens.size())),
          chunk_tokens_(options.chunk_tokens),
          task_(*model.model_, cache, std::move(tokens), first, options) {}
    Status step(int /*layer*/, int chunk) override {
      const ModelCosts& costs = model_.costs_;
      const int tokens = std::min(chunk_tokens_, tokens_ - chunk * chunk_tokens_);
      model_.executor_.pass(costs.prefill_per_step + costs.prefill_per_token_layer * tokens);
      return task_.step();
    }
    std::vector<float> take_logits() override { return {task_.logits().begin(), task_.logits().end()}; }
    WindowQueries take_window_queries() override { return task_.take_window_queries(); }

   private:
    TimedModel& model_;
    int tokens_, chunk_tokens_;
    PrefillTask task_;
  };

  static bool holds(const std::vector<DecodeSequence>& sequences, const DecodeSequence& wanted) {
    return std::ranges::any_of(sequences, [&](const DecodeSequence& one) {
      return one.cache == wanted.cache && one.token == wanted.token && one.position == wanted.position;
    });
  }
  /// Whether `asked` is what is left of a step that ran out of blocks.
  bool resumes(const std::vector<DecodeSequence>& asked) {
    if (decoding_ == nullptr) return false;
    if (!std::ranges::all_of(asked, [&](const DecodeSequence& one) { return holds(in_task_, one); })) return false;
    for (std::size_t i = 0; i < in_task_.size(); ++i)
      if (!holds(asked, in_task_[i])) decoding_->leave(i);
    return true;
  }

  std::unique_ptr<Transformer> model_;
  VirtualExecutor& executor_;
  ModelCosts costs_;
  std::unique_ptr<BatchDecodeTask> decoding_;
  std::vector<DecodeSequence> in_task_;
};

}  // namespace kvantage::test
