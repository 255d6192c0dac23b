#include "core/experiments/figures/offload_bench.h"

#include <algorithm>
#include <filesystem>

#include "core/base/folders.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/experiments/paper_figures.h"
#include "core/kvpr/recompute_profile.h"
#include "core/model/random_llama.h"
#include "core/model/random_opt.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline figures {
namespace {

/// Removes its folder on destruction.
struct CheckpointFolder {
  std::filesystem::path path;
  CheckpointFolder() = default;
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;
  ~CheckpointFolder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
};

Expected<std::unique_ptr<Transformer>> random_model(const FigureArguments& arguments,
                                                    const OffloadBenchOptions& options) {
  const int hidden = options.hidden > 0 ? options.hidden : arguments.width, heads = hidden / 64;
  CheckpointFolder folder;
  KV_ASSIGN(folder.path, make_temporary_folder("kvantage-random"));
  const int positions = arguments.context_tokens + arguments.answer_tokens + 2 * offload_chunk;
  if (options.llama)  // three MLP matrices for OPT's two: the width that makes them 8 hidden^2 in total, rounded to 64
    KV_TRY(write_random_llama(
        folder.path, {.hidden = hidden, .heads = heads, .ffn = (8 * hidden / 3 + 63) / 64 * 64, .positions = positions},
        arguments.seed));
  else
    KV_TRY(write_random_opt(folder.path, {.hidden = hidden, .heads = heads, .ffn = 4 * hidden, .positions = positions},
                            arguments.seed));
  return Transformer::load(folder.path);
}

/// A model for which shipping layer inputs can pay off, with enough positions for prompt and answer.
Expected<std::unique_ptr<Transformer>> given_model(const FigureArguments& arguments,
                                                   const OffloadBenchOptions& options) {
  KV_ASSIGN(auto model, Transformer::load(arguments.model));
  if (const Status pays = check_recompute_pays(RecomputeSchedule::column, recompute_shape(*model)); !pays)
    return fail(ErrorCode::rejected_input, arguments.model + ": " + pays.error().message);
  const int positions = arguments.context_tokens + (options.decodes ? arguments.answer_tokens : 0) + 1,
            most = model->config().max_positions;
  if (positions > most)
    return fail(ErrorCode::usage, std::string("--context-tokens") + (options.decodes ? " and --answer-tokens" : "") +
                                      ": " + std::to_string(positions) + " positions are more than " + arguments.model +
                                      " has, " + std::to_string(most) + "; give fewer");
  return model;
}

/// "random-weight OPT", or the folder's own name.
std::string name_of(const FigureArguments& arguments, const OffloadBenchOptions& options) {
  if (arguments.model.empty()) return std::string("random-weight ") + (options.llama ? "Llama" : "OPT");
  std::error_code ignored;
  const auto folder = std::filesystem::canonical(arguments.model, ignored);
  return ignored ? arguments.model : folder.filename().string();
}

}  // namespace

Expected<std::unique_ptr<OffloadBench>> open_bench(const FigureArguments& arguments,
                                                   const OffloadBenchOptions& options) {
  auto bench = std::make_unique<OffloadBench>();
  KV_ASSIGN(auto model, arguments.model.empty() ? random_model(arguments, options) : given_model(arguments, options));
  bench->model = std::move(model);
  bench->model_name = name_of(arguments, options);
  Random random(arguments.seed);
  bench->prompt.resize(static_cast<std::size_t>(arguments.context_tokens));
  for (std::int32_t& token : bench->prompt)
    token = static_cast<std::int32_t>(
        random.below(std::min<std::uint64_t>(256, static_cast<std::uint64_t>(bench->model->config().vocab_size))));
  double bandwidth = options.bandwidth;
  if (bandwidth <= 0) {
    std::vector<double> rates;
    for (int i = 0; i < 7; ++i) {  // the first ones have cold caches and sleeping threads
      KV_ASSIGN(const auto rate, profile_recompute(*bench->model, offload_chunk, arguments.host->clock()));
      rates.push_back(rate.seconds_per_token);
    }
    bandwidth = recompute_shape(*bench->model).kv_bytes_per_token() / percentile(std::move(rates), 0.5);
  }
  bench->bandwidth = bandwidth;
  KV_ASSIGN(auto tier, arguments.host->open_memory_tier(bandwidth));
  bench->tier = std::move(tier);
  bench->buffers = arguments.host->make_buffers(std::size_t{256} << 20);
  KV_ASSIGN(const auto profile, profile_recomputation(*bench->model, *bench->tier, *bench->buffers,
                                                      arguments.context_tokens, offload_chunk));
  bench->profile = profile;
  // No fit is faster than the tier's throttle, even if short reads on a busy machine suggest so.
  if (bench->profile.link.bytes_per_second > bandwidth)
    bench->profile.link = {.latency_seconds = 0, .bytes_per_second = bandwidth};
  return bench;
}

Expected<std::vector<OffloadedRun>> decode(const FigureArguments& arguments, OffloadBench& bench, int prompt,
                                           int generated, const OffloadStudyOptions& options, int batch) {
  arguments.lines->begin_cell(std::to_string(prompt) + " tokens, " + std::to_string(generated) + " generated" +
                              (batch == 1 ? "" : ", " + std::to_string(batch) + " sequences"));
  std::vector<std::vector<std::int32_t>> prompts;
  for (int s = 0; s < batch; ++s) {
    prompts.emplace_back(bench.prompt.begin(), bench.prompt.begin() + prompt);
    prompts.back().front() = s;  // makes all following tokens differ
  }
  OffloadStudyOptions all = options;
  all.profile = bench.profile;
  all.chunk_tokens = offload_chunk;
  all.stop = [&arguments] { return arguments.host->interrupted(); };
  auto runs = compare_offloaded(*bench.model, *bench.tier, *bench.buffers, prompts, generated, all);
  if (runs) arguments.lines->end_cell();
  return runs;
}

FigureResult begin_offload(const FigureArguments& arguments, const OffloadBench& bench, const Json& batch) {
  FigureResult result = begin_figure(arguments.figure, Provenance::throttled);
  const ModelConfig& config = bench.model->config();
  result.settings = {
      {"model", bench.model_name + ", hidden " + std::to_string(config.hidden) + ", " + std::to_string(config.heads) +
                    " heads, " +
                    (config.kv_heads == config.heads ? "" : std::to_string(config.kv_heads) + " KV heads, ") +
                    std::to_string(config.layers) + " layers"},
      {"device", bench.model->path_description()},
      {"tier", "memory throttled to " + short_number(bench.bandwidth / 1e6) + " MB/s, fitted " +
                   short_number(bench.profile.link.bytes_per_second / 1e6) + " MB/s + " +
                   short_number(bench.profile.link.latency_seconds * 1e3) + " ms"},
      {"recompute us/token", bench.profile.recompute.seconds_per_token * 1e6},
      {"rest of a layer ms", bench.profile.rest_seconds * 1e3},
      {"prompt tokens", arguments.context_tokens},
      {"generated tokens", arguments.answer_tokens},
      {"batch", batch},
      {"seed", arguments.seed},
      {"command", arguments.command}};
  return result;
}

std::string percent(double share) { return short_number(100 * share) + " %"; }

std::string range_of(const std::vector<double>& shares) {
  const auto [least, most] = std::ranges::minmax(shares);
  return short_number(100 * least) + " - " + percent(most);
}

}  // namespace kvantage::inline figures
