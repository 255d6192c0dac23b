// Throughput under decode-time eviction on a model of random weights: PagedEviction's setting, and long generations.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/base/folders.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/experiments/blocks.h"
#include "core/experiments/figures/figure_makers.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/model/throughput_study.h"
#include "core/experiments/paper_figures.h"
#include "core/model/random_llama.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline figures {
namespace {

constexpr int max_positions = 131072, head_dim = 64, layers = 4, vocab = 256, query_heads_per_kv_head = 4;
constexpr const char *throughput = "pagedeviction/throughput", *long_decode = "compaction/long-decode";

struct ServedCell {
  std::optional<DecodeEvictionSetting> eviction;  // nothing: the full cache
  std::vector<ThroughputRun> runs = {};           // one per block

  /// Lengths and counts are the same in every block.
  const ThroughputRun& run() const { return runs.front(); }
  template <class Quantity>
  std::vector<double> each(Quantity quantity) const {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const ThroughputRun& one : runs) values.push_back(quantity(one));
    return values;
  }
  std::vector<double> tokens_per_second() const { return each(std::mem_fn(&ThroughputRun::tokens_per_second)); }
  std::vector<double> token_seconds() const { return each(std::mem_fn(&ThroughputRun::seconds_per_output_token)); }
  std::vector<double> compaction_share() const {
    return each([](const ThroughputRun& one) { return one.counts.compaction_seconds / one.decode_seconds; });
  }
  double memory_ratio(const ServedCell& full) const {
    return static_cast<double>(full.run().peak_bytes()) / static_cast<double>(run().peak_bytes());
  }
  /// Whether what it evicts comes back: whole pages, or compaction.
  bool frees_blocks() const {
    return eviction && (find_decode_method(eviction->name())->pages || eviction->compaction != CompactionKind::none);
  }

  std::string method() const { return eviction ? eviction->name() : "full cache"; }
  Json budget() const { return eviction ? Json(eviction->budget.of_prompt(1)) : Json(); }
  std::string compaction() const { return eviction ? to_string(eviction->compaction) : "-"; }
};

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

Expected<std::vector<DecodeEvictionSetting>> all_settings(const FigureArguments& arguments) {
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

class Bench {
 public:
  explicit Bench(const FigureArguments& arguments) : arguments_(arguments) {}

  Status open() {
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

  /// The full cache and every setting, for so many requests, in blocks. pool_tokens: 0: room for all of them. before:
  /// the same cells with all requests side by side, which tell how many blocks a request holds; empty: none.
  Expected<std::vector<ServedCell>> measure(const std::vector<DecodeEvictionSetting>& settings, int requests,
                                            int pool_tokens = 0, const std::vector<ServedCell>& before = {}) {
    setting_.requests = setting_.max_batch = requests;
    setting_.pool_tokens = pool_tokens;
    std::vector<ServedCell> cells(1);
    for (const DecodeEvictionSetting& eviction : settings) cells.push_back({eviction});
    KV_TRY(run_blocks(arguments_.blocks, cells.size(), derive_seed(arguments_.seed, before.size()),
                      [&](std::size_t cell, int block) {
                        return serve(cells[cell], block, before.empty() ? nullptr : &before[cell].run());
                      }));
    return cells;
  }

  const ThroughputSetting& setting() const { return setting_; }
  const Transformer& model() const { return *model_; }

 private:
  Status serve(ServedCell& cell, int block, const ThroughputRun* before) {
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
    KV_ASSIGN(const auto run, measure_throughput(*model_, setting_, arguments_.host->clock(), stop));
    cell.runs.push_back(run);
    arguments_.lines->end_cell();
    return {};
  }

  const FigureArguments& arguments_;
  ThroughputSetting setting_;
  std::unique_ptr<Transformer> model_;
};

FigureTable table_of(const std::string& title, const std::vector<ServedCell>& cells) {
  FigureTable table{title,
                    {"method", "compaction", "budget tokens", "side by side", "tokens/s", "low", "high", "x full cache",
                     "low", "high", "ms/output token", "low", "high", "peak KV MB", "KV of the full cache / its own",
                     "ms/step deciding", "compaction % of decoding", "preempted"},
                    {}};
  table.plot = FigurePlot{
      .kind = FigurePlot::Kind::lines, .x = "budget tokens", .y = {"tokens/s"}, .by = {"method", "compaction"}};
  const ServedCell& full = cells.front();
  for (const ServedCell& cell : cells) {
    std::vector<Json> row{cell.method(), cell.compaction(), cell.budget(), cell.run().batch};
    add_interval_cells(row, measured_mean(cell.tokens_per_second()));
    add_interval_cells(row, measured_ratio(cell.tokens_per_second(), full.tokens_per_second()));
    add_interval_cells(row, scaled(measured_mean(cell.token_seconds()), 1e3));
    row.emplace_back(static_cast<double>(cell.run().peak_bytes()) / 1e6);
    row.emplace_back(cell.memory_ratio(full));
    row.emplace_back(1e3 * mean_of(cell.each([](const ThroughputRun& run) {
                       return run.counts.deciding_seconds / static_cast<double>(std::max<std::int64_t>(run.steps, 1));
                     })));
    row.emplace_back(100 * mean_of(cell.compaction_share()));
    row.emplace_back(cell.run().preempted);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The cell of a method without compaction at the budget; null: none.
const ServedCell* cell_of(const std::vector<ServedCell>& cells, std::string_view method, int budget) {
  const auto found = std::ranges::find_if(cells, [&](const ServedCell& cell) {
    return cell.eviction && cell.method() == method && cell.eviction->budget.of_prompt(1) == budget &&
           cell.eviction->compaction == CompactionKind::none;
  });
  return found == cells.end() ? nullptr : &*found;
}

std::vector<int> budgets_of(const std::vector<ServedCell>& cells) {
  std::vector<int> budgets;
  for (const ServedCell& cell : cells)
    if (cell.eviction && std::ranges::find(budgets, cell.eviction->budget.of_prompt(1)) == budgets.end())
      budgets.push_back(cell.eviction->budget.of_prompt(1));
  return budgets;
}

/// PagedEviction beside the full cache and the other methods at one budget.
std::vector<std::string> paged_findings(const std::string& where, const std::vector<ServedCell>& cells) {
  std::vector<std::string> findings;
  for (const int budget : budgets_of(cells)) {
    const ServedCell* paged = cell_of(cells, "paged_eviction", budget);
    if (paged == nullptr) continue;
    const std::string begin = where + ", budget " + std::to_string(budget) + ": paged_eviction has ";
    const auto add = [&](const std::string& other, const ServedCell& cell) {
      std::string text = begin;
      text += short_number(measured_ratio(paged->tokens_per_second(), cell.tokens_per_second()).low);
      text += " times the throughput of ";
      text += other;
      findings.push_back(std::move(text));
    };
    add("the full cache", cells.front());
    for (const char* other : {"streaming_llm", "knorm", "keydiff"})
      if (const ServedCell* cell = cell_of(cells, other, budget)) add(other, *cell);
  }
  return findings;
}

/// As the paper: all requests side by side, at the largest budget, which is as long as the prompt there.
void add_throughput_claims(const std::vector<ServedCell>& cells, FigureResult& result) {
  const auto budgets = budgets_of(cells);
  if (budgets.empty()) return;
  const int budget = std::ranges::max(budgets);
  const ServedCell &full = cells.front(), *paged = cell_of(cells, "paged_eviction", budget),
                   *streaming = cell_of(cells, "streaming_llm", budget);
  const auto speed = [](const ServedCell& above, const ServedCell& below) {
    return measured_ratio(above.tokens_per_second(), below.tokens_per_second());
  };
  std::vector<MeasuredSpan> gains, unstructured;
  for (const char* other : {"knorm", "keydiff"})
    if (const ServedCell* cell = cell_of(cells, other, budget)) {
      unstructured.push_back(speed(*cell, full));
      if (paged != nullptr) gains.push_back(scaled(speed(*paged, *cell), 1, -1));
    }
  add_claim(result, "pagedeviction/throughput-vs-knorm-keydiff", gains, true);
  add_claim(result, "pagedeviction/unstructured-vs-full", unstructured, true);
  if (paged == nullptr) return;
  add_claim(result, "pagedeviction/throughput-vs-full", scaled(speed(*paged, full), 1, -1), true);
  const MeasuredSpan saving = scaled(measured_ratio(paged->token_seconds(), full.token_seconds()), -1, 1);
  for (const char* claim : {"pagedeviction/latency-all-models", "pagedeviction/tpot-1b"})
    add_claim(result, claim, saving, true);
  if (streaming == nullptr) return;
  add_claim(result, "pagedeviction/throughput-vs-streaming-llm", scaled(speed(*paged, *streaming), 1, -1), true);
  add_claim(result, "pagedeviction/tpot-vs-streaming-llm",
            measured_ratio(paged->token_seconds(), streaming->token_seconds()), true);
}

/// Over the methods whose blocks come back; compaction where there is some.
void add_long_decode_claims(const std::vector<ServedCell>& cells, FigureResult& result) {
  std::vector<MeasuredSpan> speeds, memory, shares;
  for (const ServedCell& cell : cells) {
    if (!cell.frees_blocks()) continue;
    speeds.push_back(measured_ratio(cell.tokens_per_second(), cells.front().tokens_per_second()));
    memory.push_back(exactly(cell.memory_ratio(cells.front())));
    if (cell.eviction->compaction != CompactionKind::none) shares.push_back(measured_mean(cell.compaction_share()));
  }
  add_claim(result, "compaction/long-decode-speed", speeds, true);
  add_claim(result, "compaction/long-decode-memory", memory);
  add_claim(result, "compaction/compaction-interval", shares, true);
}

FigureResult begin(const FigureArguments& arguments, const Bench& bench) {
  FigureResult result = begin_figure(arguments.figure);
  const ModelConfig& config = bench.model().config();
  result.settings = {{"model", "random-weight Llama, hidden " + std::to_string(config.hidden) + ", " +
                                   std::to_string(config.heads) + " heads, " + std::to_string(config.kv_heads) +
                                   " KV heads, " + std::to_string(config.layers) + " layers"},
                     {"device", bench.model().path_description()},
                     {"requests", arguments.contexts},
                     {"prompt tokens", arguments.context_tokens},
                     {"output tokens", arguments.answer_tokens},
                     {"page tokens", bench.setting().page_tokens},
                     {"compact every", arguments.compact_every},
                     {"blocks", arguments.blocks},
                     {"seed", arguments.seed},
                     {"command", arguments.command}};
  return result;
}

Expected<FigureResult> throughput_figure(const FigureArguments& arguments) {
  KV_ASSIGN(const auto settings, all_settings(arguments));
  Bench bench(arguments);
  KV_TRY(bench.open());
  const int batch = std::max(1, arguments.max_batch), many = std::max(batch, arguments.contexts);
  FigureResult result = begin(arguments, bench);
  result.settings["side by side"] = batch;
  arguments.lines->expect_cells(2 * (settings.size() + 1) * static_cast<std::size_t>(arguments.blocks));
  KV_ASSIGN(const auto same_batch, bench.measure(settings, batch));
  const int page = bench.setting().page_tokens;
  const int pool = batch * ((arguments.context_tokens + arguments.answer_tokens + page - 1) / page * page);
  KV_ASSIGN(const auto same_pool, bench.measure(settings, many, pool, same_batch));
  result.tables = {table_of("The same number side by side: what the kernels gain", same_batch),
                   table_of("The same pool, " + std::to_string(pool) +
                                " tokens of it: larger batches as well, as many requests as it has room for",
                            same_pool),
                   {"Paper: LLaMA-3.2-1B on an A100, 64 requests of 1,024 + 8,192 tokens, budget 1,024",
                    {"method", "tokens/s", "x full cache"},
                    {{"full cache", 2200, 1},
                     {"paged_eviction", 3020, 3020.0 / 2200},
                     {"streaming_llm", 2920, 2920.0 / 2200},
                     {"inverse key L2, keydiff", 2170, 2170.0 / 2200}}}};
  for (const auto& findings : {paged_findings("same batch", same_batch), paged_findings("same pool", same_pool)})
    result.time_findings.insert(result.time_findings.end(), findings.begin(), findings.end());
  add_throughput_claims(same_batch, result);
  return result;
}

Expected<FigureResult> long_decode_figure(const FigureArguments& arguments) {
  KV_ASSIGN(const auto settings, all_settings(arguments));
  Bench bench(arguments);
  KV_TRY(bench.open());
  FigureResult result = begin(arguments, bench);
  arguments.lines->expect_cells((settings.size() + 1) * static_cast<std::size_t>(arguments.blocks));
  KV_ASSIGN(const auto cells, bench.measure(settings, arguments.contexts));
  result.tables = {table_of("A long generation", cells),
                   {"Article: TriAttention, decoding 32K tokens at a budget of 3,072",
                    {"method", "tokens/s", "x full cache", "KV of the full cache / its own"},
                    {{"full cache", 222.8, 1, 1}, {"triattention", 563.5, 563.5 / 222.8, 10.7}}}};
  for (const ServedCell& cell : cells) {
    if (!cell.frees_blocks()) continue;
    const double speed = measured_ratio(cell.tokens_per_second(), cells.front().tokens_per_second()).low;
    result.time_findings.push_back(cell.method() + " at " + std::to_string(cell.eviction->budget.of_prompt(1)) +
                                   " tokens is " + short_number(speed) + " times as fast as the full cache with 1/" +
                                   short_number(cell.memory_ratio(cells.front())) +
                                   " of its KV memory; compaction takes " +
                                   short_number(100 * mean_of(cell.compaction_share())) + " % of decoding");
  }
  add_long_decode_claims(cells, result);
  return result;
}

}  // namespace

bool is_throughput_figure(const std::string& figure) { return figure == throughput || figure == long_decode; }

Status check_throughput(const FigureArguments& arguments) {
  KV_TRY(all_settings(arguments));
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

Status reproduce_throughput(const FigureArguments& arguments) {
  KV_ASSIGN(const auto result,
            arguments.figure == throughput ? throughput_figure(arguments) : long_decode_figure(arguments));
  arguments.host->show(result, arguments.json);
  return {};
}

}  // namespace kvantage::inline figures
