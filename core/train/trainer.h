// Trains the default model: a small transformer that finds facts in long texts (resources/model/MODEL_CARD.md). Data
// comes from core/workload/families; lengths grow with reading accuracy (curriculum.h); matrices learn by Muon, the
// rest by AdamW (optimizer.h); matrix products run in bf16 on fp32 master weights (network.h). On the CPU a
// batch is always split into two shards whose gradients are summed in order, each computed by one worker. So the
// numbers do not depend on the number of threads: a seed gives the same weights bit for bit on one machine. The output
// folder is a Hugging Face model folder; training_state.safetensors next to the weights allows resuming a training.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace kvantage::inline training {

struct TrainShape {
  std::int64_t hidden = 256;
  std::int64_t layers = 6;
  std::int64_t query_heads = 8;
  std::int64_t kv_heads = 4;
  std::int64_t head_dim = 32;
  std::int64_t intermediate = 704;
  double rope_theta = 1e6;
  double norm_epsilon = 1e-5;
  std::int64_t max_positions = 8192;  // written to config.json
};

struct TrainOptions {
  std::filesystem::path out;
  std::filesystem::path resume;  // a folder of an earlier training, whose shape is kept; the rest only if it has state
  std::uint64_t seed = 1;
  std::size_t threads = 2;
  std::int64_t steps = 0;                   // stop after this many in total; 0 = no limit
  double minutes = 0;                       // stop after this much time from now; 0 = no limit
  double decay_fraction = 0.25;             // last share of the steps or minutes, during which the learning rate decays
  std::optional<std::size_t> first_length;  // 64, but max_length when resuming from weights alone: they can already
                                            // read
  std::size_t max_length = 2560;            // text and questions together
  struct Growth {
    double first_accuracy = 0.6;    // mean accuracy on answer tokens that doubles the first length
    double later_accuracy = 0.935;  // ... and the later ones
    double shorter_fraction = 0.4;  // of batches at a length below the current one
  } growth;
  double matrix_rate = 0.01;  // Muon
  double other_rate = 1e-3;   // AdamW
  std::int64_t warmup_steps = 100;
  double checkpoint_minutes = 5;
  double evaluate_minutes = 10;       // 0 = never
  std::size_t probes = 12;            // questions per family and length in an evaluation
  std::size_t context_tokens = 1024;  // text length in an evaluation, at most the length that training has reached
  std::size_t batch_factor = 1;       // multiplies the tokens of a step
  struct FutureAttentionPart {
    double weight = 0;      // of the loss of future_attention.h; 0 = none
    double fraction = 0.3;  // last share of the steps or minutes, in which that loss is on
  } future;
  TrainShape shape;             // for a new model
  std::string device = "auto";  // "cpu", "cuda", or "auto": cuda if available
};

struct FamilyScore {
  std::string family;
  std::size_t context_tokens = 0;
  std::size_t questions = 0;
  std::size_t exact = 0;            // greedy answers that are correct to the last token
  std::size_t exact_blind = 0;      // ... without the text: what the model memorized or guessed
  std::size_t majority_answer = 0;  // questions whose answer is the most frequent one
  std::size_t answer_tokens = 0;    // in all answers, including end tokens
  std::size_t right_tokens = 0;     // ... predicted correctly given the correct prefix
};

struct TrainProgress {
  std::int64_t step = 0;
  std::int64_t tokens = 0;
  std::size_t length = 0;           // current stage of the curriculum
  double seconds = 0;               // since this training was started or resumed
  double tokens_per_second = 0;     // since the last report
  double loss = 0;                  // means since the last report
  double answer_accuracy = 0;       // on answer tokens, at the current length
  double learning_rate_share = 0;   // of the full learning rates
  std::optional<double> key_loss;   // mean loss of future attention since the last report, while it is on
  std::vector<FamilyScore> scores;  // set after an evaluation
  bool checkpointed = false;
};

struct TrainHooks {
  std::function<void(const TrainProgress&)> progress;  // about every ten seconds and on events
  std::function<bool()> cancelled;  // polled once per step and every few questions; a final checkpoint is written
};

struct EvaluationHooks {
  std::function<void(const FamilyScore&)> cell;  // after each cell
  std::function<bool()> cancelled;               // polled every few questions
};

/// Trains until the limits in `options`, writes the folder and returns the last progress. The file `decay-now` in the
/// output folder starts the decay immediately. Errors: usage (settings), rejected_input (resume), io; cancelled is not
/// an error.
Expected<TrainProgress> train_model(const TrainOptions& options, const TrainHooks& hooks, const Clock& clock);

/// Exact match of greedy answers to held-out questions for the trained folder options.out: every family at each context
/// length, `options.probes` questions per cell, texts by `options.seed`. Errors: usage, rejected_input, cancelled.
Expected<std::vector<FamilyScore>> evaluate_model(const TrainOptions& options,
                                                  const std::vector<std::size_t>& context_tokens,
                                                  const EvaluationHooks& hooks = {});

}  // namespace kvantage::inline training
