// Computes paper figures: arguments, checks, and one function per group of figures. Descriptions and default settings
// are in core/experiments/paper_figures.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/form_text.h"
#include "core/experiments/figures/figure_host.h"
#include "core/experiments/figures/figure_progress.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/paper_figures.h"
#include "core/report/figure.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline figures {

/// Option values as given. `host` and `lines` are never null.
struct FigureArguments {
  std::string figure, model, eviction_methods;
  int cadence = 0;  // 0: each eviction method's own
  int compact_every = 128;
  int contexts = 6, context_tokens = 1024, answer_tokens = 256;
  std::string page_tokens = "16";
  bool shared_heads = false;
  int width = 1024;      // of KVPR's random model
  double bandwidth = 0;  // of KVPR's tier, MB/s; 0: where loading a token takes as long as recomputing it
  std::uint64_t seed = 1;
  bool json = false;
  std::string progress;  // "json": lines on stderr; "none"
  // for figures over a workload
  std::string workload, store, database, methods, removed, policies, alphas, metric, command;
  bool temporary_store = false, gpu = false;
  std::string budgets = "0.1,0.2,0.33";  // for decode figures: as a fraction of the prompt
  std::string rates = "0.5,1,2,4";
  RateBounds bounds;
  double reprofile_threshold = 0.15;
  std::size_t profile_questions = 0;  // per context; 0: all
  int seeds = 3;
  int blocks = 3;              // of timed cells
  int max_batch = 0;           // requests in flight at most; 0: as in the session
  std::uint64_t requests = 0;  // 0: the workload's
  FigureHost* host = nullptr;
  std::shared_ptr<FigureProgress> lines;
};

/// A figure of answers under decode-time eviction.
struct DecodeFigure {
  const char* name;
  bool scores, times;        // answers of natural length; steps of a fixed number
  bool compactions = false;  // every eviction method with each kind of compaction
  bool by_pages = false;     // plotted over page sizes instead of budgets
};
const std::vector<DecodeFigure>& decode_figures();
Status reproduce_decode(ModelRuntime& runtime, const DecodeFigure& figure, const FigureArguments& arguments);
/// usage error before anything is loaded.
Status check_decode(const FigureArguments& arguments);

/// Checks option values against the figure: usage error before anything is loaded.
Status check_figure(const FigureArguments& arguments, const PaperFigure& figure);

/// The page on token eviction: memory that a paged pool frees, and the cost of attention weights.
Status reproduce_overheads(ModelRuntime& runtime, const FigureArguments& arguments);
/// usage error for unknown eviction methods.
Status check_overheads(const FigureArguments& arguments);

/// Throughput of requests side by side under decode-time eviction, on a model of random weights.
bool is_throughput_figure(const std::string& figure);
/// usage error for methods, budgets or lengths that cannot be measured.
Status check_throughput(const FigureArguments& arguments);
Status reproduce_throughput(const FigureArguments& arguments);

/// KVPR: decoding from a slower tier, on a model of random weights.
bool is_offload_figure(const std::string& figure);
/// usage error for lengths beyond the supported maximum, or a bandwidth below 1 MB/s.
Status check_offload(const FigureArguments& arguments);
Status reproduce_offload(const FigureArguments& arguments);

/// EvicPress: its worked example, figures from quality curves, and policies on a workload.
std::vector<std::string> policy_figures();
/// Figures that serve sessions: all but the worked example.
bool serves_sessions(const std::string& figure);
Status reproduce_policies(const FigureArguments& arguments);

/// "0.1,0.2" as positive numbers, at least one; usage error naming the option.
Expected<std::vector<double>> study_numbers(const std::string& text, const char* option);
/// Computes the requested figure and shows it. Errors: of opening a session or of options, or `cancelled`.
Status make_figure(const FigureArguments& arguments);

}  // namespace kvantage::inline figures
