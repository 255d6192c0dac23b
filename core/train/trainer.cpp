#include "core/train/trainer.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "core/train/checkpoint.h"
#include "core/train/curriculum.h"
#include "core/train/evaluation.h"
#include "core/train/network.h"
#include "core/train/optimizer.h"
#include "core/train/options_check.h"
#include "core/train/shape_file.h"
#include "core/train/workers.h"
#include "core/workload/families/lexicon.h"

namespace kvantage::inline training {
namespace {

constexpr std::size_t default_first_length = 64;
constexpr std::int64_t tolerated_failures = 4;  // steps in a row that teach nothing, each with other texts
constexpr double last_share = 0.02;             // of the learning rate at the end of the decay

/// Sums since the last report.
struct Tally {
  std::int64_t tokens = 0, steps = 0, present_steps = 0;
  double loss = 0, accuracy = 0, since = 0, key_loss = 0;
  std::int64_t key_steps = 0;
};

class Training {
 public:
  Training(const TrainOptions& options, const TrainDevice& device, const TrainHooks& hooks, const Clock& clock)
      : options_(options),
        hooks_(hooks),
        clock_(clock),
        tokenizer_(build_tokenizer(lexicon_pieces())),
        examples_(tokenizer_, example_options(options)),
        network_(options.shape, tokenizer_.tokens.size(), options.seed, device.type, device.steps),
        optimizer_(network_.parameters(),
                   OptimizerOptions{.matrix_rate = options.matrix_rate, .other_rate = options.other_rate}),
        curriculum_({.first_length = options.first_length.value_or(default_first_length),
                     .max_length = options.max_length,
                     .first_accuracy = options.growth.first_accuracy,
                     .later_accuracy = options.growth.later_accuracy,
                     .shorter_fraction = options.growth.shorter_fraction}),
        random_(derive_seed(options.seed, 2)),
        shards_(device.shards),
        device_(device.type),
        // Beside a GPU, threads only write texts.
        workers_(device.type.is_cpu() ? std::clamp<std::size_t>(options.threads, 1, shards_)
                                      : std::max<std::size_t>(options.threads, 1),
                 [threads = options.threads, shards = shards_] {
                   at::set_num_threads(static_cast<int>(std::max<std::size_t>(1, threads / shards)));
                 }) {}

  Expected<TrainProgress> run() {
    if (!options_.resume.empty()) KV_TRY(resume());
    start_ = clock_.seconds();
    tally_.since = start_;
    double checkpointed = start_, evaluated = start_;
    while (!finished()) {
      KV_TRY(one_step());
      const double now = clock_.seconds();
      if (finished()) break;  // the final report follows below
      if (now - tally_.since < 10.0) continue;
      TrainProgress progress = report(now);
      if (options_.evaluate_minutes > 0 && now - evaluated > options_.evaluate_minutes * 60) {
        KV_TRY(evaluate(progress));
        evaluated = clock_.seconds();
      }
      if (now - checkpointed > options_.checkpoint_minutes * 60 && failures_ == 0) {
        KV_TRY(save());
        progress.checkpointed = true;
        checkpointed = clock_.seconds();
      }
      if (hooks_.progress) hooks_.progress(progress);
    }
    KV_TRY(save());
    TrainProgress last = report(clock_.seconds());
    last.checkpointed = true;
    if (options_.evaluate_minutes > 0) KV_TRY(evaluate(last));  // checks for cancellation first
    return last;
  }

 private:
  bool finished() const {
    if (hooks_.cancelled && hooks_.cancelled()) return true;
    if (options_.steps > 0 && step_ >= options_.steps) return true;
    return options_.minutes > 0 && clock_.seconds() - start_ >= options_.minutes * 60;
  }

  /// Share of the training done, in [0, 1], by whichever limit was given.
  double elapsed() const {
    double share = 0.0;
    if (options_.steps > 0) share = static_cast<double>(step_) / static_cast<double>(options_.steps);
    if (options_.minutes > 0) share = std::max(share, (clock_.seconds() - start_) / (options_.minutes * 60));
    return std::min(share, 1.0);
  }

  double rate_share() {
    const double done = elapsed();
    if (decay_from_ < 0) {
      std::error_code ignored;
      const bool asked = step_ % 20 == 0 && std::filesystem::exists(options_.out / "decay-now", ignored);
      if (asked || done >= 1.0 - options_.decay_fraction) decay_from_ = asked ? done : 1.0 - options_.decay_fraction;
    }
    const double warm = std::min(1.0, static_cast<double>(step_ + 1) / static_cast<double>(options_.warmup_steps));
    if (decay_from_ < 0 || done <= decay_from_) return warm;
    return warm * std::max(last_share, (1.0 - done) / (1.0 - decay_from_));
  }

  /// Jumps between positions use twice the longest text, as methods that repeat the text do.
  static ExampleOptions example_options(const TrainOptions& options) {
    ExampleOptions made;
    const auto wanted = std::max<std::size_t>(made.max_position, 2 * options.max_length);
    made.max_position =
        static_cast<std::uint32_t>(std::min(wanted, static_cast<std::size_t>(options.shape.max_positions)));
    return made;
  }

  /// What each shard learns about future attention in this step; empty while that is off.
  std::vector<std::optional<FutureAttention>> future_attention(const Batch& batch) {
    std::vector<std::optional<FutureAttention>> made(shards_);
    const double into = elapsed() - (1.0 - options_.future.fraction);
    if (options_.future.weight <= 0 || into < 0 || curriculum_.first_lesson()) return made;
    // Keys that do not show yet what is needed cannot decide what is cut.
    const bool cuts = into >= options_.future.fraction / 3 && random_.below(2) == 0;
    const std::size_t rows = batch.sequences / shards_;
    for (std::size_t shard = 0; shard < shards_; ++shard) {
      made[shard].emplace(batch, shard * rows, rows, device_);
      if (cuts) made[shard]->cut(random_);
    }
    return made;
  }

  Status one_step() {
    curriculum_.hurry(elapsed() / std::max(1e-9, 1.0 - options_.decay_fraction));
    const std::size_t length = curriculum_.draw(random_);
    KV_ASSIGN(auto batch, examples_.make(sequences_per_step(length, options_.batch_factor, shards_), length,
                                         curriculum_.first_lesson(), random_, workers_));
    auto future = future_attention(batch);
    double total_weight = 0.0;
    for (float weight : batch.weights) total_weight += static_cast<double>(weight);

    const std::vector<at::Tensor> copies = network_.working_copies();
    const std::size_t rows = batch.sequences / shards_;
    std::vector<std::vector<at::Tensor>> gradients(shards_);
    std::vector<Network::ShardResult> results(shards_);
    workers_.run(shards_, [&](std::size_t shard) {
      const Network::Leaves leaves = network_.leaves(copies, true);
      FutureAttention* const observer = future[shard] ? &*future[shard] : nullptr;
      results[shard] = network_.loss(leaves, batch, shard * rows, rows, total_weight, observer);
      const double weight = options_.future.weight / static_cast<double>(shards_);
      (observer != nullptr ? results[shard].loss + weight * observer->loss() : results[shard].loss).backward();
      gradients[shard] = network_.gradients(leaves);
    });
    if (future.front()) {
      ++tally_.key_steps;
      for (const auto& shard : future) tally_.key_loss += shard->loss().item<double>() / static_cast<double>(shards_);
    }
    for (std::size_t shard = 1; shard < shards_; ++shard)
      for (std::size_t i = 0; i < gradients[0].size(); ++i) gradients[0][i].add_(gradients[shard][i]);
    double loss = 0.0;
    std::size_t answers = 0, correct = 0;
    for (const auto& result : results) {
      loss += result.loss.item<double>();
      answers += result.answer_tokens;
      correct += result.answer_correct;
    }
    rate_share_ = rate_share();
    const bool learned =
        std::isfinite(loss) && optimizer_.step(network_.parameters(), gradients[0], rate_share_, workers_);
    failures_ = learned ? 0 : failures_ + 1;
    if (failures_ > tolerated_failures)
      return fail(ErrorCode::internal, "training: losses or gradients are not finite from step " +
                                           std::to_string(step_ - tolerated_failures) +
                                           " on; resume from the last checkpoint with smaller learning rates");
    ++step_;
    if (!learned) return {};
    const auto tokens = static_cast<std::int64_t>(batch.sequences * batch.length);
    tokens_ += tokens;
    tally_.tokens += tokens;
    ++tally_.steps;
    tally_.loss += loss;
    if (answers > 0) {
      const double accuracy = static_cast<double>(correct) / static_cast<double>(answers);
      if (length == curriculum_.length()) {
        ++tally_.present_steps;
        tally_.accuracy += accuracy;
      }
      curriculum_.record(length, accuracy);
    }
    return {};
  }

  TrainProgress report(double now) {
    TrainProgress progress;
    progress.step = step_;
    progress.tokens = tokens_;
    progress.length = curriculum_.length();
    progress.seconds = now - start_;
    const auto mean = [](double sum, std::int64_t count) { return count > 0 ? sum / static_cast<double>(count) : 0.0; };
    progress.tokens_per_second = now > tally_.since ? static_cast<double>(tally_.tokens) / (now - tally_.since) : 0.0;
    progress.loss = mean(tally_.loss, tally_.steps);
    progress.answer_accuracy = mean(tally_.accuracy, tally_.present_steps);
    progress.learning_rate_share = rate_share_;
    if (tally_.key_steps > 0) progress.key_loss = mean(tally_.key_loss, tally_.key_steps);
    tally_ = {};
    tally_.since = now;
    return progress;
  }

  Status evaluate(TrainProgress& progress) {
    const std::size_t tokens = std::min(options_.context_tokens, curriculum_.length());
    auto scores = evaluate_network(network_, examples_, {tokens}, options_.probes, derive_seed(options_.seed, 3),
                                   workers_, {.cell = nullptr, .cancelled = hooks_.cancelled});
    if (!scores && scores.error().code == ErrorCode::cancelled)
      return {};  // the training has ended, with its checkpoint
    KV_ASSIGN(progress.scores, std::move(scores));
    return {};
  }

  /// A working model's folder must not be overwritten by a model that cannot answer.
  Status check_weights() const {
    const bool finite = std::ranges::all_of(network_.parameters(), [](const Parameter& parameter) {
      return parameter.value.isfinite().all().item<bool>();
    });
    // One step may fail by chance. Several in a row mean weights that answer nothing, even if they are finite.
    if (finite && failures_ <= 1) return {};
    return fail(ErrorCode::internal,
                "training: " + std::string(finite ? "losses or gradients" : "the weights") +
                    " are not finite at step " + std::to_string(step_) +
                    "; nothing was saved: resume from the last checkpoint with smaller learning rates");
  }

  Status save() {
    KV_TRY(check_weights());
    KV_TRY(save_model(options_.out, network_, tokenizer_, options_.shape));
    const Json progress = {{"step", step_},
                           {"tokens", tokens_},
                           {"length", curriculum_.length()},
                           {"first_lesson", curriculum_.first_lesson()},
                           {"recent", std::vector<double>(curriculum_.recent().begin(), curriculum_.recent().end())},
                           {"random", random_.state()},
                           {"optimizer_steps", optimizer_.steps()}};
    return save_state(options_.out, network_, optimizer_, progress);
  }

  Status resume() {
    KV_ASSIGN(const auto progress, load_checkpoint(options_.resume, network_, &optimizer_));
    if (progress.empty()) {
      curriculum_.set_first_lesson(false);  // weights worth resuming can already look things up
      curriculum_.set_length(options_.first_length.value_or(options_.max_length));
      return {};
    }
    const std::string name = options_.resume.string();
    const auto step = json_field<std::int64_t>(progress, "step", name);
    const auto tokens = json_field<std::int64_t>(progress, "tokens", name);
    const auto length = json_field<std::size_t>(progress, "length", name);
    const auto recent = json_field<std::vector<double>>(progress, "recent", name);
    const auto random = json_field<std::uint64_t>(progress, "random", name);
    const auto optimizer_steps = json_field<std::int64_t>(progress, "optimizer_steps", name);
    for (const Error* error :
         {step ? nullptr : &step.error(), tokens ? nullptr : &tokens.error(), length ? nullptr : &length.error(),
          recent ? nullptr : &recent.error(), random ? nullptr : &random.error(),
          optimizer_steps ? nullptr : &optimizer_steps.error()})
      if (error != nullptr) return tl::unexpected(*error);
    step_ = *step;
    tokens_ = *tokens;
    KV_ASSIGN(const auto first_lesson, json_field_or<bool>(progress, "first_lesson", name, false));
    curriculum_.set_first_lesson(first_lesson);
    curriculum_.set_length(std::min(*length, options_.max_length));
    curriculum_.recent().assign(recent->begin(), recent->end());
    random_ = Random(*random);
    optimizer_.steps() = *optimizer_steps;
    return {};
  }

  const TrainOptions& options_;
  const TrainHooks& hooks_;
  const Clock& clock_;
  TokenizerSpec tokenizer_;
  ExampleMaker examples_;
  Network network_;
  Optimizer optimizer_;
  Curriculum curriculum_;
  Random random_;
  std::size_t shards_;
  at::Device device_;
  Workers workers_;
  Tally tally_;
  std::int64_t step_ = 0;
  std::int64_t tokens_ = 0;
  std::int64_t failures_ = 0;
  double start_ = 0;
  double decay_from_ = -1;
  double rate_share_ = 0;
};

}  // namespace

Expected<TrainProgress> train_model(const TrainOptions& given, const TrainHooks& hooks, const Clock& clock) {
  TrainOptions options = given;
  if (!options.resume.empty()) {
    KV_ASSIGN(const auto shape, read_shape(options.resume));
    options.shape = shape;
  }
  KV_TRY(check_training(options));
  keep_freed_memory();
  at::set_num_threads(1);  // on this thread; the workers set their own
  KV_ASSIGN(const auto device, train_device(options.device));
  Training training(options, device, hooks, clock);
  return training.run();
}

}  // namespace kvantage::inline training
