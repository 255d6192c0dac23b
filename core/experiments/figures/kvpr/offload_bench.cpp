#include "core/experiments/figures/kvpr/offload_bench.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "core/base/folders.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/experiments/measured_spans.h"
#include "core/kvpr/recompute_profile.h"
#include "core/model/random_llama.h"
#include "core/model/random_opt.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline kvpr_figures {
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
  LoadOptions load;
  load.max_model_len = arguments.model.max_model_len;
  KV_ASSIGN(auto model, Transformer::load(arguments.model.path, load));
  if (const Status pays = check_recompute_pays(RecomputeSchedule::column, recompute_shape(*model)); !pays)
    return fail(ErrorCode::rejected_input, arguments.model.path + ": " + pays.error().message);
  const int positions = arguments.context_tokens + (options.decodes ? arguments.answer_tokens : 0) + 1,
            most = model->config().max_positions;
  if (positions > most)
    return fail(ErrorCode::usage, std::string("--context-tokens") + (options.decodes ? " and --answer-tokens" : "") +
                                      ": " + std::to_string(positions) + " positions are more than " +
                                      arguments.model.path + " has, " + std::to_string(most) + "; give fewer");
  return model;
}

/// Where loading a token takes as long as recomputing it.
Expected<double> break_even_bandwidth(const FigureArguments& arguments, Transformer& model, int chunk_tokens) {
  std::vector<double> rates;
  for (int i = 0; i < 7; ++i) {  // the first ones have cold caches and sleeping threads
    KV_ASSIGN(const auto rate, profile_recompute(model, chunk_tokens, arguments.host->clock()));
    rates.push_back(rate.seconds_per_token);
  }
  return recompute_shape(model).kv_bytes_per_token() / percentile(std::move(rates), 0.5);
}

/// Break-even is measured once for all bandwidths of a figure, so that multiples of it are exact.
Expected<double> bytes_per_second(const LinkBandwidth& bandwidth, const FigureArguments& arguments, Transformer& model,
                                  int chunk_tokens) {
  if (!bandwidth.relative) return 1e6 * bandwidth.value;
  double even = arguments.bandwidth.break_even ? *arguments.bandwidth.break_even : 0;
  if (even <= 0) {
    KV_ASSIGN(const auto measured, break_even_bandwidth(arguments, model, chunk_tokens));
    even = measured;
    if (arguments.bandwidth.break_even) *arguments.bandwidth.break_even = even;
  }
  return even * bandwidth.value;
}

OffloadSums sums_of(const OffloadedRun& run, int batch) {
  return {.seconds = run.seconds(),
          .predicted_seconds = run.predicted_seconds(),
          .waited_seconds = run.waited_seconds(),
          .recompute_seconds = run.recompute_seconds(),
          .kv_bytes = run.kv_bytes(),
          .input_bytes = run.input_bytes(),
          .weight_bytes = run.weight_bytes(),
          .offloaded_bytes = static_cast<double>(run.offloaded_bytes),
          .recomputed_tokens = static_cast<double>(run.steps.back().recomputed_tokens) / batch,
          .answers = run.tokens};
}

/// "random-weight OPT", or the folder's own name.
std::string name_of(const FigureArguments& arguments, const OffloadBenchOptions& options) {
  if (arguments.model.path.empty()) return std::string("random-weight ") + (options.llama ? "Llama" : "OPT");
  std::error_code ignored;
  const auto folder = std::filesystem::canonical(arguments.model.path, ignored);
  return ignored ? arguments.model.path : folder.filename().string();
}

}  // namespace

Expected<std::unique_ptr<OffloadBench>> open_bench(const FigureArguments& arguments,
                                                   const OffloadBenchOptions& options) {
  auto bench = std::make_unique<OffloadBench>();
  KV_ASSIGN(auto model,
            arguments.model.path.empty() ? random_model(arguments, options) : given_model(arguments, options));
  bench->model = std::move(model);
  bench->model_name = name_of(arguments, options);
  Random random(arguments.seed);
  bench->prompt.resize(static_cast<std::size_t>(arguments.context_tokens));
  for (std::int32_t& token : bench->prompt)
    token = static_cast<std::int32_t>(
        random.below(std::min<std::uint64_t>(256, static_cast<std::uint64_t>(bench->model->config().vocab_size))));
  KV_ASSIGN(const auto asked, parse_bandwidths(arguments.bandwidth.list));
  double bandwidth = options.bandwidth;
  if (bandwidth <= 0) {
    KV_ASSIGN(const auto resolved, bytes_per_second(asked.front(), arguments, *bench->model, options.chunk_tokens));
    bandwidth = resolved;
  }
  bench->bandwidth = bandwidth;
  bench->chunk_tokens = options.chunk_tokens;
  bench->bandwidth_from = asked.front().origin();
  KV_ASSIGN(auto tier, arguments.host->open_memory_tier(bandwidth));
  bench->tier = std::move(tier);
  // Two layers are in flight, and twice that is ample.
  const double layers = 4 * recompute_shape(*bench->model).kv_bytes_per_token() * options.batch *
                        (arguments.context_tokens + arguments.answer_tokens);
  bench->buffers = arguments.host->make_buffers((std::size_t{256} << 20) + static_cast<std::size_t>(layers));
  KV_ASSIGN(const auto profile, profile_bench(arguments, *bench));
  bench->profile = profile;
  return bench;
}

Expected<RecomputeProfile> profile_bench(const FigureArguments& arguments, OffloadBench& bench) {
  KV_ASSIGN(auto profile, profile_recomputation(*bench.model, *bench.tier, *bench.buffers, arguments.context_tokens,
                                                bench.chunk_tokens));
  // No fit is faster than the tier's throttle, even if short reads on a busy machine suggest so.
  if (profile.link.bytes_per_second > bench.bandwidth)
    profile.link = {.latency_seconds = 0, .bytes_per_second = bench.bandwidth};
  return profile;
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
  all.chunk_tokens = bench.chunk_tokens;
  all.stop = [&arguments] { return arguments.host->interrupted(); };
  return compare_offloaded(*bench.model, *bench.tier, *bench.buffers, prompts, generated, all);
}

namespace {

template <class Value>
std::vector<double> of_each(const std::vector<OffloadSums>& blocks, Value value) {
  std::vector<double> values(blocks.size());
  std::ranges::transform(blocks, values.begin(), value);
  return values;
}

}  // namespace

std::vector<double> MeasuredCell::each(double OffloadSums::*sum) const {
  return of_each(blocks, [&](const OffloadSums& block) { return block.*sum; });
}

std::vector<double> MeasuredCell::tokens_per_second() const {
  return of_each(blocks, [&](const OffloadSums& block) { return cell.batch * cell.generated / block.seconds; });
}

std::vector<double> MeasuredCell::prediction_errors() const {
  return of_each(blocks,
                 [](const OffloadSums& block) { return std::abs(block.seconds / block.predicted_seconds - 1); });
}

std::vector<double> MeasuredCell::share_of_time(double OffloadSums::*sum) const {
  return of_each(blocks, [&](const OffloadSums& block) { return block.*sum / block.seconds; });
}

double MeasuredCell::mean(double OffloadSums::*sum) const { return mean_of(each(sum)); }

MeasuredSpan MeasuredCell::step_ms() const {
  return scaled(measured_mean(each(&OffloadSums::seconds)), 1e3 / cell.generated);
}

Expected<std::vector<MeasuredCell>> measure_cells(
    const FigureArguments& arguments, OffloadBench& bench, const std::vector<OffloadCell>& cells,
    const std::function<void(std::size_t cell, const OffloadedRun& run)>& look) {
  std::vector<MeasuredCell> measured;
  measured.reserve(cells.size());
  for (const OffloadCell& cell : cells) measured.push_back({cell});
  arguments.lines->expect_cells(static_cast<std::size_t>(arguments.blocks) * cells.size());
  std::map<std::tuple<int, int, int>, std::vector<std::int32_t>> answers;
  const auto measure = [&](std::size_t c, int) -> Expected<ExperimentRunner::Keep> {
    const OffloadCell& cell = cells[c];
    OffloadStudyOptions options = cell.options;
    options.modes = {cell.mode};
    KV_ASSIGN(auto runs, decode(arguments, bench, cell.prompt, cell.generated, options, cell.batch));
    const auto run = std::make_shared<const OffloadedRun>(std::move(runs.front()));
    if (!options.codec || options.codec->is_lossless()) {
      const auto first = answers.try_emplace({cell.prompt, cell.generated, cell.batch}, run->tokens).first;
      if (run->tokens != first->second)
        return fail(ErrorCode::internal,
                    "decoding from a slower tier: two ways or blocks give different tokens; report it");
    }
    return [&, c, run]() -> Status {
      measured[c].blocks.push_back(sums_of(*run, cells[c].batch));
      if (look) look(c, *run);
      arguments.lines->end_cell();
      return {};
    };
  };
  KV_TRY(arguments.host->runner().run_blocks(arguments.blocks, cells.size(), arguments.seed, measure));
  return measured;
}

MeasuredSpan time_ratio(const MeasuredCell& after, const MeasuredCell& before) {
  return measured_ratio(after.each(&OffloadSums::seconds), before.each(&OffloadSums::seconds));
}

MeasuredSpan time_saved(const MeasuredCell& after, const MeasuredCell& before) {
  return scaled(time_ratio(after, before), -1, 1);
}

FigureResult begin_offload(const PaperFigure& figure, const FigureArguments& arguments, const OffloadBench& bench,
                           const Json& batch) {
  FigureResult result = begin_figure(figure, Provenance::throttled);
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
      {"bandwidth", bench.bandwidth_from},
      {"bandwidth MB/s", bench.bandwidth / 1e6},
      {"recompute us/token", bench.profile.recompute.seconds_per_token * 1e6},
      {"rest of a layer ms", bench.profile.rest_seconds * 1e3},
      {"prompt tokens", arguments.context_tokens},
      {"generated tokens", arguments.answer_tokens},
      {"batch", batch},
      {"blocks", arguments.blocks},
      {"seed", arguments.seed},
      {"command", arguments.command}};
  return result;
}

std::string percent(double share) { return short_number(100 * share) + " %"; }

std::string range_of(const std::vector<MeasuredSpan>& shares) {
  const MeasuredSpan all = span_of(shares);
  return all.low == all.high ? percent(all.low) : short_number(100 * all.low) + " - " + percent(all.high);
}

namespace {

PaperFigure with_random_weights(PaperFigure figure) {
  figure.random_weights = true;
  return figure;
}

}  // namespace

OffloadExperiment::OffloadExperiment(PaperFigure figure, Make make, Place place)
    : Experiment(with_random_weights(std::move(figure))), make_(make), place_(place) {}

Status OffloadExperiment::check(const FigureArguments& arguments) const {
  if (arguments.context_tokens > max_prompt)
    return fail(ErrorCode::usage, "--context-tokens: " + std::to_string(arguments.context_tokens) +
                                      " exceeds the maximum; give at most " + std::to_string(max_prompt));
  if (arguments.answer_tokens > max_generated)
    return fail(ErrorCode::usage, "--answer-tokens: " + std::to_string(arguments.answer_tokens) +
                                      " exceeds the maximum; give at most " + std::to_string(max_generated));
  KV_TRY(parse_bandwidths(arguments.bandwidth.list));
  if (arguments.model.path.empty() && arguments.model.max_model_len > 0)
    return fail(ErrorCode::usage,
                "--max-model-len: random weights have the positions that the figure needs; give --model as well, or "
                "leave it out");
  if (arguments.width % 64 != 0)
    return fail(ErrorCode::usage, "--width: " + std::to_string(arguments.width) +
                                      " is not a multiple of 64, a head's width; give one, e.g. 1024");
  return {};
}

Expected<std::vector<FigureResult>> OffloadExperiment::run(const FigureArguments& arguments) const {
  KV_ASSIGN(const auto bandwidths, parse_bandwidths(arguments.bandwidth.list));
  arguments.lines->repeat_cells(bandwidths.size());
  FigureArguments one = arguments;
  one.bandwidth.break_even = std::make_shared<double>(0);
  std::vector<FigureResult> results;
  results.reserve(bandwidths.size());
  for (const LinkBandwidth& bandwidth : bandwidths) {
    one.bandwidth.list = bandwidth.text();
    KV_ASSIGN(auto result, make_(figure(), one));
    results.push_back(std::move(result));
  }
  return std::vector<FigureResult>{swept(std::move(results), place_(bandwidths))};
}

}  // namespace kvantage::inline kvpr_figures
