// Option values of a figure, as given on the command line or in the window.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/form_text.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/studies/figure_host.h"
#include "core/experiments/studies/figure_progress.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline studies {

/// The model of a figure, and how it is read.
struct AskedModel {
  std::string path;         // empty: the host's own, or random weights
  std::string prompt_form;  // empty: the model's own
  int max_model_len = 0;    // LoadOptions
};

struct AskedBandwidths {
  std::string list;                         // of MB/s and multiples of break-even; empty: break-even
  std::shared_ptr<double> break_even = {};  // bytes/s, once measured, for all of the list; null or 0: not yet
};

/// Option values as given. `host` and `lines` are never null.
struct FigureArguments {
  std::string figure, eviction_methods;
  AskedModel model;
  int cadence = 0;  // 0: each eviction method's own
  int compact_every = 128;
  int contexts = 6, context_tokens = 1024, answer_tokens = 256;
  std::string page_tokens = "16";
  bool shared_heads = false;
  int width = 1024;           // of KVPR's random model
  AskedBandwidths bandwidth;  // of KVPR's tier
  std::uint64_t seed = 1;
  bool json = false;
  std::string progress;  // "json": lines on stderr; "none"
  // for figures over a workload
  std::string workload, store, database, methods, removed, policies, alphas, metric, command;
  bool temporary_store = false, gpu = false;
  std::string budgets;  // empty: the figure's own; for decode figures as a fraction of the prompt
  std::string rates;    // empty: the figure's own
  RateBounds bounds;
  std::string reprofile_when = "absolute(0.3)";  // text form of a rule
  std::size_t profile_questions = 0;             // per context; 0: all
  int seeds = 3;
  int blocks = 3;              // of timed cells
  int max_batch = 0;           // requests in flight at most; 0: as in the session
  std::uint64_t requests = 0;  // 0: the workload's
  FigureHost* host = nullptr;
  std::shared_ptr<FigureProgress> lines;
};

/// "0.1,0.2" as positive numbers, at least one; usage error naming the option.
Expected<std::vector<double>> study_numbers(const std::string& text, const char* option);
/// Loads the model that is asked for, else the host's own. Errors as ModelRuntime::load().
Expected<std::unique_ptr<ModelRuntime>> load_asked_model(const FigureArguments& arguments);

}  // namespace kvantage::inline studies
