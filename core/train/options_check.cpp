#include "core/train/options_check.h"

#include <cmath>
#include <limits>

#include "core/base/units.h"

namespace kvantage::inline training {
namespace {

constexpr std::size_t max_probes = 10'000;
constexpr std::size_t max_threads = 1024;
constexpr std::size_t max_batch_factor = 1024;

Status usage(const std::string& message) { return fail(ErrorCode::usage, message); }

struct Width {
  const char* name;
  std::int64_t value, min, max, multiple;
};

struct Number {
  const char* option;
  double value, max;
  bool zero;  // allowed
};

Status check_number(const Number& number) {
  const bool high_enough = number.zero ? number.value >= 0 : number.value > 0;
  if (std::isfinite(number.value) && high_enough && number.value <= number.max) return {};
  const std::string range = std::isfinite(number.max) ? std::string(number.zero ? "from 0 to " : "above 0 and up to ") +
                                                            format_fixed(number.max, 0)
                            : number.zero ? "0 or more"
                                          : "above 0";
  return usage(std::string(number.option) + ": not a number that can be used; give one " + range);
}

Status check_length(const char* option, std::size_t tokens, std::int64_t most) {
  if (tokens >= min_text_tokens && tokens <= static_cast<std::size_t>(most)) return {};
  return usage(std::string(option) + ": " + std::to_string(tokens) + " tokens; give " +
               std::to_string(min_text_tokens) + " (under it no question fits) to " + std::to_string(most) +
               " (positions of the model)");
}

Status check_work(const TrainOptions& options) {
  if (options.threads < 1 || options.threads > max_threads)
    return usage("--threads: give 1 to " + std::to_string(max_threads));
  if (options.probes < 1 || options.probes > max_probes)
    return usage("--probes: " + std::to_string(options.probes) + " questions; give 1 to " + std::to_string(max_probes));
  return {};
}

}  // namespace

Status check_shape(const TrainShape& shape, const std::string& where) {
  // bf16 products require multiples of 16; RoPE rotates pairs of channels, the first layers' biases use a quarter of
  // the pairs.
  for (const Width& width :
       {Width{"hidden", shape.hidden, 16, 8192, 16}, Width{"layers", shape.layers, 1, 128, 1},
        Width{"heads", shape.query_heads, 1, 256, 1}, Width{"kv-heads", shape.kv_heads, 1, 256, 1},
        Width{"head-dim", shape.head_dim, 8, 256, 8}, Width{"intermediate", shape.intermediate, 16, 65536, 16},
        Width{"positions", shape.max_positions, 64, 1 << 20, 1}})
    if (width.value < width.min || width.value > width.max || width.value % width.multiple != 0)
      return usage(where + ": " + width.name + " " + std::to_string(width.value) + "; give " +
                   std::to_string(width.min) + " to " + std::to_string(width.max) +
                   (width.multiple > 1 ? ", a multiple of " + std::to_string(width.multiple) : ""));
  if (shape.query_heads % shape.kv_heads != 0)
    return usage(where + ": " + std::to_string(shape.query_heads) + " heads are not a multiple of " +
                 std::to_string(shape.kv_heads) + " kv-heads; change one of them");
  if (!(std::isfinite(shape.rope_theta) && shape.rope_theta > 1) ||
      !(std::isfinite(shape.norm_epsilon) && shape.norm_epsilon > 0))
    return usage(where +
                 ": RoPE's base must be finite and above 1, the norms' epsilon finite and above 0; correct them");
  return {};
}

Status check_training(const TrainOptions& options) {
  if (options.out.empty()) return usage("--out: no folder given; name one to write the model to");
  const double no_end = std::numeric_limits<double>::infinity();
  for (const Number& number :
       {Number{"--minutes", options.minutes, no_end, true}, Number{"--decay-fraction", options.decay_fraction, 1, true},
        Number{"--first-accuracy", options.growth.first_accuracy, 1, false},
        Number{"--later-accuracy", options.growth.later_accuracy, 1, false},
        Number{"--future-attention", options.future.weight, no_end, true},
        Number{"--future-fraction", options.future.fraction, 1, true},
        Number{"shorter lengths' share", options.growth.shorter_fraction, 1, true},
        Number{"--matrix-rate", options.matrix_rate, no_end, false},
        Number{"--other-rate", options.other_rate, no_end, false},
        Number{"--checkpoint-minutes", options.checkpoint_minutes, no_end, true},
        Number{"--evaluate-minutes", options.evaluate_minutes, no_end, true}})
    KV_TRY(check_number(number));
  if (options.steps < 0) return usage("--steps: negative; give a positive limit");
  if (options.steps == 0 && options.minutes == 0) return usage("--steps, --minutes: no limit given; give one of them");
  if (options.batch_factor < 1 || options.batch_factor > max_batch_factor)
    return usage("--batch-factor: give 1 to " + std::to_string(max_batch_factor));
  if (options.warmup_steps < 1) return usage("warm-up steps: under 1; give at least one");
  KV_TRY(check_shape(options.shape, "shape"));
  KV_TRY(check_length("--max-length", options.max_length, options.shape.max_positions));
  if (options.first_length) KV_TRY(check_length("--first-length", *options.first_length, options.shape.max_positions));
  if (options.first_length && options.max_length < *options.first_length)
    return usage("--max-length: below --first-length (" + std::to_string(*options.first_length) + "); give more");
  if (options.evaluate_minutes > 0)
    KV_TRY(check_length("--evaluate-tokens", options.context_tokens, options.shape.max_positions));
  return check_work(options);
}

Status check_evaluation(const TrainOptions& options, const TrainShape& shape,
                        const std::vector<std::size_t>& context_tokens) {
  if (context_tokens.empty()) return usage("--evaluate-lengths: names no length; give one or more, like 512,1024");
  for (const std::size_t tokens : context_tokens)
    KV_TRY(check_length("--evaluate-lengths", tokens, shape.max_positions));
  return check_work(options);
}

}  // namespace kvantage::inline training
