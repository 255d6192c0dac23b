#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/base/units.h"
#include "core/train/shape_file.h"
#include "core/train/trainer.h"
#include "gpu/model/module_loader.h"

namespace kvantage::cli {
namespace {

/// A width option, if given.
struct WidthOption {
  const char* name;
  std::int64_t TrainShape::*field;
  const char* what;
  std::optional<std::int64_t> given = {};
};

struct TrainArguments {
  TrainOptions options;
  std::array<WidthOption, 7> widths{{{"--hidden", &TrainShape::hidden, "Hidden size"},
                                     {"--layers", &TrainShape::layers, "Layers"},
                                     {"--heads", &TrainShape::query_heads, "Query heads"},
                                     {"--kv-heads", &TrainShape::kv_heads, "KV heads"},
                                     {"--head-dim", &TrainShape::head_dim, "Head dimension"},
                                     {"--intermediate", &TrainShape::intermediate, "Width of the SwiGLU layer"},
                                     {"--positions", &TrainShape::max_positions, "Positions"}}};
  bool json = false;
  bool quiet = false;
  bool only_evaluate = false;
  std::vector<std::size_t> evaluate_lengths{512, 1024, 2048};
};

double share(std::size_t part, std::size_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

OrderedJson scores_json(const std::vector<FamilyScore>& scores) {
  OrderedJson list = OrderedJson::array();
  for (const FamilyScore& score : scores)
    list.push_back({{"family", score.family},
                    {"context_tokens", score.context_tokens},
                    {"n", score.questions},
                    {"exact_match", share(score.exact, score.questions)},
                    {"exact_match_low", proportion_interval(score.exact, score.questions).low},
                    {"exact_match_high", proportion_interval(score.exact, score.questions).high},
                    {"token_accuracy", share(score.right_tokens, score.answer_tokens)},
                    {"exact_match_without_text", share(score.exact_blind, score.questions)},
                    {"exact_match_without_text_high", proportion_interval(score.exact_blind, score.questions).high},
                    {"most_frequent_answer", share(score.majority_answer, score.questions)}});
  return list;
}

OrderedJson progress_json(const TrainProgress& p) {
  OrderedJson line = {{"step", p.step},
                      {"tokens", p.tokens},
                      {"length", p.length},
                      {"seconds", p.seconds},
                      {"tokens_per_second", p.tokens_per_second},
                      {"loss", p.loss},
                      {"answer_accuracy", p.answer_accuracy},
                      {"learning_rate_share", p.learning_rate_share},
                      {"checkpointed", p.checkpointed}};
  if (p.key_loss) line["key_loss"] = *p.key_loss;
  if (!p.scores.empty()) line["exact_match"] = scores_json(p.scores);
  return line;
}

void print_score_names(std::FILE* to) {
  std::fprintf(to, "  %-10s %6s %5s  %-28s %-14s %-26s %s\n", "family", "tokens", "n", "exact match [95 %]",
               "token accuracy", "without the text [95 %]", "most frequent answer");
}

void print_score(std::FILE* to, const FamilyScore& s) {
  const auto with_interval = [&s](std::size_t part) {
    const Interval interval = proportion_interval(part, s.questions);
    return format_fixed(share(part, s.questions), 3) + " [" + format_fixed(interval.low, 3) + ", " +
           format_fixed(interval.high, 3) + "]";
  };
  std::fprintf(to, "  %-10s %6zu %5zu  %-28s %-14s %-26s %s\n", s.family.c_str(), s.context_tokens, s.questions,
               with_interval(s.exact).c_str(), format_fixed(share(s.right_tokens, s.answer_tokens), 4).c_str(),
               with_interval(s.exact_blind).c_str(), format_fixed(share(s.majority_answer, s.questions), 3).c_str());
  std::fflush(to);
}

void print_progress(const TrainProgress& p) {
  std::printf(
      "step %6lld  %6.2f M tokens  length %4zu  %6.1f min  %6.0f tokens/s  loss %.4f  answers %.4f  rate %.2f%s%s\n",
      static_cast<long long>(p.step), static_cast<double>(p.tokens) * 1e-6, p.length, p.seconds / 60,
      p.tokens_per_second, p.loss, p.answer_accuracy, p.learning_rate_share,
      p.key_loss ? ("  keys " + format_fixed(*p.key_loss, 3)).c_str() : "", p.checkpointed ? "  saved" : "");
  if (!p.scores.empty()) print_score_names(stdout);
  for (const FamilyScore& score : p.scores) print_score(stdout, score);
  std::fflush(stdout);
}

/// Widths are for new models: a folder has its own, which given widths must not contradict.
Status settle_shape(TrainArguments& arguments) {
  TrainOptions& options = arguments.options;
  const std::filesystem::path folder = arguments.only_evaluate ? options.out : options.resume;
  KV_ASSIGN(const auto shape, folder.empty() ? Expected<TrainShape>(TrainShape{}) : read_shape(folder));
  options.shape = shape;
  for (const WidthOption& width : arguments.widths) {
    if (!width.given) continue;
    std::int64_t& value = options.shape.*width.field;
    if (!folder.empty() && value != *width.given)
      return fail(ErrorCode::usage, std::string(width.name) + ": " + std::to_string(*width.given) +
                                        ", but the model in " + folder.string() + " has " + std::to_string(value) +
                                        "; leave it out");
    value = *width.given;
  }
  return {};
}

int evaluate(const TrainArguments& arguments) {
  // A cell takes minutes: the table is printed incrementally, the JSON on the other stream.
  std::FILE* const table = arguments.json ? stderr : stdout;
  const bool shown = !(arguments.json && arguments.quiet);
  std::vector<FamilyScore> done;
  EvaluationHooks hooks;
  hooks.cancelled = interrupted;
  hooks.cell = [&](const FamilyScore& score) {
    if (shown && done.empty()) print_score_names(table);
    if (shown) print_score(table, score);
    done.push_back(score);
  };
  const auto scores = evaluate_model(arguments.options, arguments.evaluate_lengths, hooks);
  const bool cancelled = !scores && scores.error().code == ErrorCode::cancelled;
  if (arguments.json && (scores || (cancelled && !done.empty()))) print_json(scores_json(done));
  return scores ? 0 : report_error(scores.error());
}

/// Of the limit that was given; where both were, of the steps.
void show_left(const TrainOptions& options, const TrainProgress& progress) {
  if (options.steps > 0)
    stderr_progress().show("training, steps", static_cast<double>(progress.step), static_cast<double>(options.steps));
  else
    stderr_progress().show("training, minutes", progress.seconds / 60, options.minutes);
}

int train(const TrainArguments& arguments) {
  // Checked up front, not at the first checkpoint.
  if (const Status writable = make_writable_folder(arguments.options.out); !writable)
    return report_error(writable.error());
  TrainHooks hooks;
  hooks.cancelled = interrupted;
  hooks.progress = [&arguments](const TrainProgress& progress) {
    if (arguments.quiet) return;
    stderr_progress().erase();
    if (arguments.json) {
      print_json(progress_json(progress));
      std::fflush(stdout);
    } else {
      print_progress(progress);
    }
    show_left(arguments.options, progress);
  };
  const SystemClock clock;
  const auto last = train_model(arguments.options, hooks, clock);
  stderr_progress().clear();
  if (!last) return report_error(last.error());
  if (arguments.json) {
    print_json(progress_json(*last));
  } else {
    print_progress(*last);
  }
  return interrupted() ? interrupted_exit_code : 0;
}

}  // namespace

void add_model_train(CLI::App& model, CommandResult& result) {
  auto arguments = std::make_shared<TrainArguments>();
  TrainOptions& o = arguments->options;
  CLI::App& command = *model.add_subcommand("train", "Train the default model on the synthetic families");
  command.add_option("--out", o.out, "Folder of the model; created if missing")->required();
  command.add_option("--resume", o.resume, "Folder of an earlier training to resume");
  command.add_option("--steps", o.steps, "Stop after this many steps in total");
  command.add_option("--minutes", o.minutes, "Stop after this many minutes from now");
  command.add_option("--seed", o.seed, "Seed of weights and data")->check(whole_number())->capture_default_str();
  command.add_option("--threads", o.threads, "Compute threads; 0: one per core")
      ->check(CLI::Range(0, max_threads))
      ->capture_default_str();
  command.add_option("--max-length", o.max_length, "Longest sequence, text and questions")
      ->check(whole_number())
      ->capture_default_str();
  command
      .add_option("--first-length", o.first_length,
                  "Initial length (default: 64); when resuming from weights alone, --max-length")
      ->check(whole_number());
  command.add_option("--first-accuracy", o.growth.first_accuracy, "Token accuracy that doubles the first length")
      ->capture_default_str();
  command.add_option("--later-accuracy", o.growth.later_accuracy, "Token accuracy that doubles later lengths")
      ->capture_default_str();
  command.add_option("--decay-fraction", o.decay_fraction, "Final share of the training, with decaying learning rates")
      ->capture_default_str();
  command.add_option("--matrix-rate", o.matrix_rate, "Learning rate of matrices (Muon)")->capture_default_str();
  command.add_option("--other-rate", o.other_rate, "Learning rate of all other parameters (AdamW)")
      ->capture_default_str();
  command.add_option("--batch-factor", o.batch_factor, "Multiplies the tokens of a step; for GPUs")
      ->check(whole_number())
      ->capture_default_str();
  command
      .add_option("--future-attention", o.future.weight,
                  "Weight of the loss that makes key norms tell future attention (tried: 0.3); 0: none")
      ->capture_default_str();
  command
      .add_option("--future-fraction", o.future.fraction,
                  "Final share of the training with --future-attention; in its last two thirds, half of the steps "
                  "answer from texts cut by knorm or paged_eviction")
      ->capture_default_str();
  for (WidthOption& width : arguments->widths)
    command.add_option(width.name, width.given,
                       std::string(width.what) + " (default: " + std::to_string(TrainShape{}.*width.field) +
                           "); with --resume and --evaluate, the folder's");
  command.add_option("--checkpoint-minutes", o.checkpoint_minutes, "Time between checkpoints")->capture_default_str();
  command.add_option("--evaluate-minutes", o.evaluate_minutes, "Time between evaluations; 0: none")
      ->capture_default_str();
  command.add_option("--probes", o.probes, "Held-out questions per family in an evaluation")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--evaluate-tokens", o.context_tokens, "Text length in evaluations during training")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--device", o.device, "auto: cuda where there is one")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.add_flag("--evaluate", arguments->only_evaluate, "Only evaluate the model in --out");
  command.add_option("--evaluate-lengths", arguments->evaluate_lengths, "Text lengths for --evaluate")
      ->delimiter(',')
      ->check(whole_number())
      ->capture_default_str();
  add_json_option(command, arguments->json);
  command.add_flag("--quiet", arguments->quiet, "No progress");
  command.callback([arguments, &o, &result] {
    if (const Status settled = settle_shape(*arguments); !settled) {
      result.exit_code = report_error(settled.error());
      return;
    }
    note_interrupts();
    if (o.threads == 0) o.threads = std::max(1U, std::thread::hardware_concurrency());
    // "auto" needs no error; a loadable library does not imply a GPU.
    if (const Status cuda = o.device == "cpu" ? Status() : gpu::load_torch_cuda(); !cuda && o.device == "cuda") {
      result.exit_code =
          report_error({ErrorCode::usage, "--device cuda: " + cuda.error().message + "; or train with --device cpu"});
      return;
    }
    result.exit_code = arguments->only_evaluate ? evaluate(*arguments) : train(*arguments);
  });
}

}  // namespace kvantage::cli
