// The options of `reproduce FIGURE`.
#include <algorithm>
#include <array>

#include "app/cli/base/help_text.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/method_file_option.h"
#include "app/cli/base/model_options.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/figures/figure_request.h"
#include "core/experiments/paper_figures.h"
#include "core/policy/plan_text.h"

namespace kvantage::cli {
namespace {

void add_decoding_options(CLI::App& command, FigureArguments& arguments) {
  command.add_option("--eviction-methods", arguments.eviction_methods,
                     "Decode-time eviction methods (for compaction/overheads: scorers), comma-separated");
  command.add_option(
      "--page-tokens", arguments.page_tokens,
      "PagedEviction, compaction, decode: tokens per page, comma-separated; the figure's own by default");
  command.add_option("--cadence", arguments.cadence, "Steps between evictions; 0: each method's own")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command.add_option("--compact-every", arguments.compact_every, "Steps between compaction passes")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_flag("--shared-heads", arguments.shared_heads,
                   "Drop the same tokens in all KV heads of a layer, as a shared block table (vLLM) requires");
  command
      .add_option("--contexts", arguments.contexts,
                  "Number of ledgers; each has one question; throughput, long-decode: requests")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command
      .add_option("--context-tokens", arguments.context_tokens,
                  "Length of a ledger; KVPR, throughput, long-decode: length of the prompt")
      ->check(CLI::Range(64, 100000))
      ->capture_default_str();
  command
      .add_option(
          "--answer-tokens", arguments.answer_tokens,
          "Minimum length of a reference answer; steps to time; KVPR, throughput, long-decode: tokens to generate")
      ->check(CLI::Range(8, 100000))
      ->capture_default_str();
  command
      .add_option("--width", arguments.width,
                  "KVPR, throughput, long-decode: hidden size of the random-weight model, a multiple of 64 (KVPR) or "
                  "256 (the others)")
      ->check(CLI::Range(64, 8192))
      ->capture_default_str();
  command.add_option("--bandwidth", arguments.bandwidth.list,
                     "KVPR: bandwidths of the tier, comma-separated, in MB/s or as multiples of the break-even one, "
                     "such as 0.25x,1x,4x; 0 or 1x: where loading a token takes as long as recomputing it");
  command.add_option("--seed", arguments.seed, "Seed of the ledgers; KVPR: seed of weights and prompt")
      ->check(whole_number())
      ->capture_default_str();
}

void add_policy_options(CLI::App& command, FigureArguments& arguments) {
  command.add_option("--workload", arguments.workload,
                     "Workload of the figures of EvicPress and AdaptCache; the figure's own by default");
  command.add_option("--methods", arguments.methods, "EvicPress: compression methods; the figure's own by default");
  add_method_file_option(command);
  command.add_option("--removed", arguments.removed, "EvicPress: removed fractions; the figure's own by default");
  command.add_option(
      "--policy", arguments.policies,
      "evicpress/fig7 to 12, limits and AdaptCache: policies; for 7, 9, 11 and 12 all but optimal by default");
  command.add_option("--alpha", arguments.alphas,
                     "EvicPress: alphas (seconds per unit of quality) of policies that use alpha");
  command.add_option(
      "--budgets", arguments.budgets,
      "EvicPress: total tier budget as shares of the uncompressed bytes, such as 0.2, in a paper's regime that of the "
      "fastest tier; evicpress/fig8, limits and paper-scale: one; decoding figures: shares of the prompt; throughput, "
      "long-decode: tokens. The figure's own by default");
  command.add_option("--rate", arguments.rates,
                     "evicpress/fig8: requests per second; evicpress/fig10 and AdaptCache: one rate. "
                     "The figure's own by default");
}

void add_serving_options(CLI::App& command, FigureArguments& arguments) {
  CLI::Option* when = command.add_option("--reprofile-when", arguments.reprofile_when,
                                         "evicpress/fig10: when contexts are re-profiled, such as absolute(0.3)");
  command
      .add_option_function<double>(
          "--reprofile-threshold",
          [when](double share) {  // as if that were given: the figure's default does not take its place
            if (when->count() > 0) throw CLI::ExcludesError("--reprofile-threshold", when->get_name());
            when->add_result("relative(" + short_number(share) + ")");
            when->run_callback();
          },
          "evicpress/fig10: the same as --reprofile-when 'relative(X)'")
      ->check(CLI::Range(0.0, 1.0));
  command
      .add_option("--profile-questions", arguments.profile_questions,
                  "EvicPress: profile questions per context; 0: all")
      ->check(whole_number());
  command
      .add_option("--max-batch", arguments.max_batch,
                  "Maximum concurrent requests; 8 for evicpress/fig8 and AdaptCache, else as in the workload; "
                  "KVPR, throughput: batch size")
      ->check(CLI::Range(1, max_batch));
  command
      .add_option("--ttft-bound", arguments.bounds.ttft_seconds,
                  "evicpress/fig8: bound on the mean TTFT, queueing included, in seconds; by default twice the mean "
                  "prefill of a context")
      ->check(CLI::PositiveNumber);
  command
      .add_option(
          "--itl-bound", arguments.bounds.itl_seconds,
          "evicpress/fig8: bound on the mean inter-token latency, in seconds; by default twice that of requests "
          "served one at a time, doubled until another policy meets it")
      ->check(CLI::PositiveNumber);
  command.add_option("--min-quality", arguments.bounds.min_quality, "evicpress/fig8: minimum mean quality")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--seeds", arguments.seeds, "EvicPress: number of request sequences, seeded from --seed upward")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      .add_option("--blocks", arguments.blocks,
                  "PagedEviction, compaction, decode, KVPR: blocks; each measures every cell once, in an order of its "
                  "own. More give narrower intervals")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--limit", arguments.requests, "EvicPress: requests per run; 0: the workload's")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--quality-metric", arguments.metric,
                     "Quality metric; EvicPress by default: cosine, or token_f1 without its embedder; AdaptCache: "
                     "by_task");
}

/// Of the command, whatever the figure.
void add_place_options(CLI::App& command, FigureArguments& arguments) {
  command.add_option("--store", arguments.store, "Folder of the stores (default: the cache folder)");
  command.add_option("--db", arguments.database, "Database of profiles and runs (default: inside the store)");
  command.add_flag("--temporary-store", arguments.temporary_store,
                   "Use a temporary folder inside --store; runs and profiles stay in the database");
  command.add_flag("--gpu", arguments.gpu,
                   "EvicPress and AdaptCache: sessions prefill and answer on the first GPU (docs/gpu-model.md)");
  add_json_option(command, arguments.json);
  CLI::Option* quiet = command.add_flag_callback(
      "--quiet", [&arguments] { arguments.progress = "none"; }, "No progress");
  command.add_option("--progress", arguments.progress, "json: progress as JSON lines on stderr")
      ->check(one_of({"json"}))
      ->excludes(quiet);
}

/// "Budgets: total tier budget, ...; 0.1,0.2 by default"
std::string help_of(const FigureSetting& setting) {
  std::string text = setting.tip.empty() ? setting.label : setting.tip;
  if (!setting.standard.empty())
    text += "; default: " + setting.standard;
  else if (!setting.otherwise.empty())
    text += "; default: " + setting.otherwise;
  return text;
}

/// Leaves in the help what the figure reads, with its own defaults.
void show_options_of(CLI::App& command, const PaperFigure& figure) {
  for (CLI::Option* option : command.get_options([](CLI::Option*) { return true; })) {
    const std::string name = option->get_name();
    if (option->get_positional()) continue;
    const auto setting = std::ranges::find(figure.settings, name, &FigureSetting::option);
    const bool takes_model = reads_model(figure), model = reads_model_option(figure, name);
    if (setting != figure.settings.end()) {
      option->description(help_of(*setting));
      option->default_str("");
    } else if (name == "--models" ? !takes_model
                                  : !model && !name.starts_with("--help") && !is_of_the_command(name) &&
                                        std::ranges::count(figure.more, name) == 0) {
      option->group("");
    }
  }
  command.description(figure.name + ": " + figure.title);
}

}  // namespace

bool is_of_the_command(const std::string& option) {
  constexpr std::array names{"--store", "--db",       "--temporary-store", "--gpu",     "--json",
                             "--quiet", "--progress", "--models",          "--picture", "--picture-width"};
  return std::ranges::find(names, option) != names.end();
}

void add_figure_options(CLI::App& command, FigureArguments& arguments) {
  command
      .add_option(
          "FIGURE", arguments.figure,
          "Figure or table, e.g. evicpress/fig8, or list; list prints each with its paper and title, claims every "
          "number that the papers report, and all makes every figure")
      ->required();
  command
      .add_option("--model", arguments.model.path,
                  "Hugging Face model folder, or reference-mha; if not given: the default model. KVPR: random "
                  "weights by default, kvpr/fig7 and kvpr/context-load take a folder")
      ->transform(shipped_model());
  add_prompt_form_option(command, arguments.model.prompt_form);
  add_max_model_len_option(command, arguments.model.max_model_len);
  add_decoding_options(command, arguments);
  add_policy_options(command, arguments);
  add_serving_options(command, arguments);
  add_place_options(command, arguments);
  command.formatter_fn([&command](const CLI::App* shown, const std::string& name, CLI::AppFormatMode mode) {
    const auto named = command.get_option("FIGURE")->results();
    if (const PaperFigure* figure = named.empty() ? nullptr : find_paper_figure(named.front()))
      show_options_of(command, *figure);
    return HelpText().make_help(shown, name, mode);
  });
}

}  // namespace kvantage::cli
