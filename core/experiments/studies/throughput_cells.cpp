#include "core/experiments/studies/throughput_cells.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "core/base/folders.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/kept_throughput.h"
#include "core/model/random_llama.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline studies {
namespace {

constexpr int max_positions = 131072, head_dim = 64, layers = 4, vocab = 256, query_heads_per_kv_head = 4;

/// One value a block.
template <class Quantity>
std::vector<double> each(const ThroughputCell& cell, Quantity quantity) {
  std::vector<double> values;
  values.reserve(cell.runs.size());
  for (const ThroughputRun& one : cell.runs) values.push_back(quantity(one));
  return values;
}

Json budget_cell(const ThroughputCell& cell) {
  return cell.eviction ? Json(cell.eviction->budget.of_prompt(1)) : Json();
}

std::string compaction_text(const ThroughputCell& cell) {
  return cell.eviction ? to_string(cell.eviction->compaction) : "-";
}

/// As the window and sessions write it. Page-based methods free whole pages; for others, both what vLLM's block table
/// allows (a block is freed when all of its tokens are evicted) and compaction.
Expected<std::vector<DecodeEvictionSetting>> settings_of(const FigureArguments& arguments, int budget) {
  std::vector<DecodeEvictionSetting> settings;
  for (const std::string& method : split_list(arguments.eviction_methods)) {
    const DecodeMethodInfo* info = find_decode_method(FormText::name_of(method));
    const bool pages = info != nullptr && info->pages;
    for (const CompactionKind kind : {CompactionKind::none, CompactionKind::repack}) {
      if (pages && kind == CompactionKind::repack) continue;
      KV_ASSIGN(auto eviction, parse_decode_eviction(method));
      if (!eviction) return fail(ErrorCode::usage, "--eviction-methods: 'none' is the full cache; leave it out");
      eviction->budget = {.percent = 0, .tokens = budget};
      eviction->compaction = kind;
      eviction->compact_every = arguments.compact_every;
      if (arguments.cadence > 0) eviction->cadence = arguments.cadence;
      KV_TRY(check_throughput_method(*eviction));
      settings.push_back(std::move(*eviction));
    }
  }
  return settings;
}

}  // namespace

std::vector<double> ThroughputCell::tokens_per_second() const {
  return each(*this, std::mem_fn(&ThroughputRun::tokens_per_second));
}

std::vector<double> ThroughputCell::token_seconds() const {
  return each(*this, std::mem_fn(&ThroughputRun::seconds_per_output_token));
}

std::vector<double> ThroughputCell::compaction_share() const {
  return each(*this, [](const ThroughputRun& one) { return one.counts.compaction_seconds / one.decode_seconds; });
}

double ThroughputCell::memory_ratio(const ThroughputCell& full) const {
  return static_cast<double>(full.run().peak_bytes()) / static_cast<double>(run().peak_bytes());
}

bool ThroughputCell::frees_blocks() const {
  return eviction && (find_decode_method(eviction->name())->pages || eviction->compaction != CompactionKind::none);
}

Expected<std::vector<DecodeEvictionSetting>> throughput_evictions(const FigureArguments& arguments) {
  KV_ASSIGN(const auto budgets, study_numbers(arguments.budgets, "--budgets"));
  std::vector<DecodeEvictionSetting> all;
  for (const double budget : budgets) {
    if (budget != std::floor(budget) || budget < 1 || budget > max_positions)
      return fail(ErrorCode::usage,
                  "--budgets: " + short_number(budget) + " is not a number of tokens; give a list such as 256,1024");
    KV_ASSIGN(auto settings, settings_of(arguments, static_cast<int>(budget)));
    for (auto& setting : settings) all.push_back(std::move(setting));
  }
  return all;
}

Status ThroughputBench::open() {
  KV_ASSIGN(const auto pages, study_numbers(arguments_.page_tokens, "--page-tokens"));
  setting_ = {.page_tokens = static_cast<int>(pages.front()),
              .prompt_tokens = arguments_.context_tokens,
              .output_tokens = arguments_.answer_tokens,
              .requests = arguments_.contexts,
              .max_batch = std::max(1, arguments_.max_batch),
              .seed = arguments_.seed};
  KV_ASSIGN(const auto folder, make_temporary_folder("kvantage-random"));
  const int hidden = arguments_.width, heads = hidden / head_dim;
  const Status written = write_random_llama(folder,
                                            {.hidden = hidden,
                                             .heads = heads,
                                             .layers = layers,
                                             .ffn = 4 * hidden,
                                             .vocab = vocab,
                                             .positions = setting_.prompt_tokens + setting_.output_tokens,
                                             .kv_heads = std::max(1, heads / query_heads_per_kv_head)},
                                            arguments_.seed);
  auto model = written ? Transformer::load(folder) : tl::unexpected(written.error());
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!model) return tl::unexpected(model.error());
  model_ = std::move(*model);
  return {};
}

Expected<std::vector<ThroughputCell>> ThroughputBench::measure(const std::vector<DecodeEvictionSetting>& settings,
                                                               int requests, int pool_tokens,
                                                               const std::vector<ThroughputCell>& before) {
  setting_.requests = setting_.max_batch = requests;
  setting_.pool_tokens = pool_tokens;
  std::vector<ThroughputCell> cells(1);
  for (const DecodeEvictionSetting& eviction : settings) cells.push_back({eviction});
  const KeptThroughput kept(arguments_, requests, pool_tokens);
  const auto measure = [&](std::size_t cell, int block) {
    return serve(cells[cell], block, before.empty() ? nullptr : &before[cell].run(), kept);
  };
  const auto take_kept = [&](std::size_t cell, int block) {
    const auto run = kept.take(cells[cell], block);
    if (!run) return false;
    cells[cell].runs.push_back(*run);
    arguments_.lines->end_cell();
    return true;
  };
  KV_TRY(arguments_.host->runner().run_blocks(arguments_.blocks, cells.size(),
                                              derive_seed(arguments_.seed, before.size()), measure, take_kept));
  return cells;
}

Expected<ExperimentRunner::Keep> ThroughputBench::serve(ThroughputCell& cell, int block, const ThroughputRun* before,
                                                        const KeptThroughput& kept) {
  arguments_.lines->begin_cell((cell.eviction ? cell.eviction->text() : std::string("full cache")) + ", " +
                               std::to_string(setting_.max_batch) + " side by side, block " +
                               std::to_string(block + 1));
  setting_.eviction = cell.eviction;
  setting_.held_blocks = 0;
  if (cell.eviction && before != nullptr) {
    const auto batch = static_cast<std::size_t>(before->batch);
    setting_.held_blocks = (before->peak_blocks + batch - 1) / batch;
  }
  const auto stop = [this] { return arguments_.host->interrupted(); };
  KV_ASSIGN(const auto measured, measure_throughput(*model_, setting_, arguments_.host->clock(), stop));
  return [this, &cell, &kept, block, run = measured]() -> Status {
    cell.runs.push_back(run);
    arguments_.lines->end_cell();
    return kept.keep(cell, block, run);
  };
}

FigureResult ThroughputBench::begin(const PaperFigure& figure) const {
  FigureResult result = begin_figure(figure);
  const ModelConfig& config = model_->config();
  result.settings = {{"model", "random-weight Llama, hidden " + std::to_string(config.hidden) + ", " +
                                   std::to_string(config.heads) + " heads, " + std::to_string(config.kv_heads) +
                                   " KV heads, " + std::to_string(config.layers) + " layers"},
                     {"device", model_->path_description()},
                     {"requests", arguments_.contexts},
                     {"prompt tokens", arguments_.context_tokens},
                     {"output tokens", arguments_.answer_tokens},
                     {"page tokens", setting_.page_tokens},
                     {"compact every", arguments_.compact_every},
                     {"blocks", arguments_.blocks},
                     {"seed", arguments_.seed},
                     {"command", arguments_.command}};
  return result;
}

FigureTable throughput_table(const std::string& title, const std::vector<ThroughputCell>& cells) {
  FigureTable table{title,
                    {"method", "compaction", "budget tokens", "side by side", "tokens/s", "low", "high", "x full cache",
                     "low", "high", "ms/output token", "low", "high", "peak KV MB", "KV of the full cache / its own",
                     "ms/step deciding", "compaction % of decoding", "preempted"},
                    {}};
  const ThroughputCell& full = cells.front();
  for (const ThroughputCell& cell : cells) {
    std::vector<Json> row{cell.method(), compaction_text(cell), budget_cell(cell), cell.run().batch};
    add_interval_cells(row, measured_mean(cell.tokens_per_second()));
    add_interval_cells(row, measured_ratio(cell.tokens_per_second(), full.tokens_per_second()));
    add_interval_cells(row, scaled(measured_mean(cell.token_seconds()), 1e3));
    row.emplace_back(static_cast<double>(cell.run().peak_bytes()) / 1e6);
    row.emplace_back(cell.memory_ratio(full));
    row.emplace_back(1e3 * mean_of(each(cell, [](const ThroughputRun& run) {
                       return run.counts.deciding_seconds / static_cast<double>(std::max<std::int64_t>(run.steps, 1));
                     })));
    row.emplace_back(100 * mean_of(cell.compaction_share()));
    row.emplace_back(cell.run().preempted);
    table.rows.push_back(std::move(row));
  }
  return table;
}

const ThroughputCell* cell_of(const std::vector<ThroughputCell>& cells, std::string_view method, int budget) {
  const auto found = std::ranges::find_if(cells, [&](const ThroughputCell& cell) {
    return cell.eviction && cell.method() == method && cell.eviction->budget.of_prompt(1) == budget &&
           cell.eviction->compaction == CompactionKind::none;
  });
  return found == cells.end() ? nullptr : &*found;
}

std::vector<int> budgets_of(const std::vector<ThroughputCell>& cells) {
  std::vector<int> budgets;
  for (const ThroughputCell& cell : cells)
    if (cell.eviction && std::ranges::find(budgets, cell.eviction->budget.of_prompt(1)) == budgets.end())
      budgets.push_back(cell.eviction->budget.of_prompt(1));
  return budgets;
}

Status ThroughputExperiment::check(const FigureArguments& arguments) const {
  KV_TRY(throughput_evictions(arguments));
  KV_ASSIGN(const auto pages, study_numbers(arguments.page_tokens, "--page-tokens"));
  if (pages.size() != 1 || pages[0] > 4096 || pages[0] != std::floor(pages[0]) || static_cast<int>(pages[0]) % 4 != 0)
    return fail(ErrorCode::usage, "--page-tokens: '" + arguments.page_tokens +
                                      "' is not one multiple of 4 up to 4096; give one, e.g. 16");
  if (arguments.context_tokens + arguments.answer_tokens > max_positions)
    return fail(ErrorCode::usage, "--answer-tokens: prompt and output are more than " + std::to_string(max_positions) +
                                      " tokens together; give fewer");
  if (arguments.width % (head_dim * query_heads_per_kv_head) != 0)
    return fail(ErrorCode::usage,
                "--width: " + std::to_string(arguments.width) +
                    " is not a multiple of 256, the width of four heads that share a KV head; give one, e.g. 512");
  return {};
}

Expected<std::vector<FigureResult>> ThroughputExperiment::run(const FigureArguments& arguments) const {
  KV_ASSIGN(auto result, make_(figure(), arguments));
  return std::vector<FigureResult>{std::move(result)};
}

}  // namespace kvantage::inline studies
