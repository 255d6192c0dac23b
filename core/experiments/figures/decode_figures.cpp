#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/clock.h"
#include "core/base/form_text.h"
#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/base/units.h"
#include "core/experiments/figures/figure_makers.h"
#include "core/experiments/model/decode_study.h"
#include "core/experiments/paper_figures.h"
#include "core/policy/plan_text.h"
#include "core/text/quality.h"
#include "core/workload/families/families.h"

namespace kvantage::inline figures {
namespace {

struct Asked {
  std::string context, question, gold;
};

std::vector<Asked> ask_ledgers(const FigureArguments& arguments) {
  std::vector<Asked> asked;
  Random random(arguments.seed);
  const Family& ledger = **find_family("ledger");
  while (asked.size() < static_cast<std::size_t>(arguments.contexts)) {
    FamilyParams params;
    params.target_tokens = static_cast<std::size_t>(arguments.context_tokens);
    params.answer_tokens = static_cast<std::size_t>(arguments.answer_tokens);
    params.question_limit = 1;
    params.split = KeySplit::held_out;
    const GeneratedContext text = ledger.generate(params, random);
    if (!text.questions.empty())
      asked.push_back({text.text, text.questions.front().question, text.questions.front().answer});
  }
  return asked;
}

/// One eviction method at one budget, over all ledgers.
struct Cell {
  std::string eviction_method;  // empty: the full cache
  double budget_fraction = 1;
  int page_tokens = 16;
  CompactionKind compaction = CompactionKind::repack;

  std::vector<double> rouge, exact;
  double natural_answer_tokens = 0;            // of answers of natural length
  double timed_tokens = 0, timed_seconds = 0;  // of timed steps
  double full_cache_token_seconds = 0;         // of the full cache at the same page size
  double budget_tokens = 0, peak_bytes = 0, free_blocks = 0, fragmentation = 0, rows_read_fraction = 0;
  std::size_t page_summary_bytes = 0;
  EvictionCounts counts;

  double token_seconds() const { return timed_tokens > 0 ? timed_seconds / timed_tokens : 0; }
  double slow_down() const { return full_cache_token_seconds > 0 ? token_seconds() / full_cache_token_seconds : 0; }
  const char* compaction_name() const {
    if (eviction_method.empty() || eviction_method.starts_with("quest")) return "-";
    return compaction == CompactionKind::none     ? "none"
           : compaction == CompactionKind::repack ? "repack"
                                                  : "hole filling";
  }
};

/// The method's own cadence, unless another one is requested.
int cadence_of(const FigureArguments& arguments, const std::string& eviction_method) {
  if (arguments.cadence > 0) return arguments.cadence;
  const std::string_view name = FormText::name_of(eviction_method);
  for (const DecodeMethodInfo& info : known_eviction_methods())
    if (info.name == name) return info.cadence;
  return 1;
}

void add_counts(const DecodeStudyAnswer& answer, double share, Cell& cell) {
  cell.peak_bytes = std::max(cell.peak_bytes, static_cast<double>(answer.peak_blocks * answer.block_bytes));
  cell.free_blocks += share * static_cast<double>(answer.gauges.free);
  cell.fragmentation += share * answer.gauges.fragmentation;
  cell.rows_read_fraction += share * answer.rows_read_fraction;
  cell.page_summary_bytes = std::max(cell.page_summary_bytes, answer.page_summary_bytes);
  cell.counts += answer.counts;
}

// Scores come from answers of natural length, times and counts from a fixed number of steps: a degenerate answer may be
// very short or very long.
Status measure(ModelRuntime& runtime, const DecodeFigure& figure, const FigureArguments& arguments,
               const std::vector<Asked>& asked, Cell& cell) {
  const Clock& clock = arguments.host->clock();
  const double share = 1.0 / static_cast<double>(asked.size());
  for (const Asked& one : asked) {
    const PromptParts parts = runtime.prompt->encode(one.context, one.question);
    const auto prompt = static_cast<double>(parts.context.size() + parts.question.size());
    DecodeStudySetting setting;
    setting.eviction_method = cell.eviction_method;
    setting.shared_heads = arguments.shared_heads;
    setting.page_tokens = cell.page_tokens;
    setting.eviction = {.budget_tokens = std::max(cell.page_tokens, static_cast<int>(prompt * cell.budget_fraction)),
                        .cadence = cadence_of(arguments, cell.eviction_method),
                        .compaction = cell.compaction,
                        .compact_every = arguments.compact_every};
    cell.budget_tokens += share * setting.eviction.budget_tokens;
    if (figure.scores) {
      KV_ASSIGN(const auto answer, answer_with_eviction(runtime, one.context, one.question, setting, clock,
                                                        [&arguments] { return arguments.host->interrupted(); }));
      cell.rouge.push_back(rouge_l(answer.text, one.gold));
      cell.exact.push_back(exact_match(answer.text, one.gold));
      cell.natural_answer_tokens += share * answer.answer_tokens;
      if (!figure.times) add_counts(answer, share, cell);
    }
    if (!figure.times) continue;
    setting.whole_length = true;
    setting.max_tokens = arguments.answer_tokens;
    KV_ASSIGN(const auto timed, answer_with_eviction(runtime, one.context, one.question, setting, clock,
                                                     [&arguments] { return arguments.host->interrupted(); }));
    cell.timed_tokens += timed.answer_tokens - 1;  // the prefill produced the first token
    cell.timed_seconds += timed.decode_seconds;
    add_counts(timed, share, cell);
  }
  return {};
}

OrderedJson cell_json(const DecodeFigure& figure, const Cell& cell) {
  OrderedJson json;
  json["evictor"] = cell.eviction_method.empty() ? "full cache" : cell.eviction_method;
  json["compaction"] = cell.compaction_name();
  json["page_tokens"] = cell.page_tokens;
  json["budget_fraction"] = cell.budget_fraction;
  json["budget_tokens"] = cell.budget_tokens;
  if (figure.scores) {
    const MeanWithInterval score = mean_with_interval(cell.rouge), exact = mean_with_interval(cell.exact);
    json["rouge_l"] = {{"mean", score.mean}, {"low", score.low}, {"high", score.high}, {"n", score.n}};
    json["exact_match"] = exact.mean;
    json["answer_tokens"] = cell.natural_answer_tokens;
  }
  if (figure.times) {
    json["timed_steps"] = cell.timed_tokens;
    json["seconds_per_output_token"] = cell.token_seconds();
    json["tokens_per_second"] = cell.token_seconds() > 0 ? 1 / cell.token_seconds() : 0;
    json["slow_down"] = cell.slow_down();
  }
  json["peak_bytes"] = cell.peak_bytes;
  json["free_blocks"] = cell.free_blocks;
  json["fragmentation"] = cell.fragmentation;
  json["tokens_evicted"] = cell.counts.tokens_evicted;
  json["blocks_freed_by_eviction"] = cell.counts.blocks_freed_by_eviction;
  json["blocks_freed_by_compaction"] = cell.counts.blocks_freed_by_compaction;
  json["compaction_passes"] = cell.counts.passes;
  json["slot_copies"] = cell.counts.slot_copies;
  json["compaction_seconds"] = cell.counts.compaction_seconds;
  json["deciding_seconds"] = cell.counts.deciding_seconds;
  json["score_buffer_bytes"] = cell.counts.score_buffer_bytes;
  json["page_summary_bytes"] = cell.page_summary_bytes;
  json["rows_read_fraction"] = cell.rows_read_fraction;
  json["provenance"] = "measured";
  return json;
}

void print_head(FigureHost& host, const DecodeFigure& figure) {
  host.print("%-15s %4s %6s", "method", "page", "budget");
  if (figure.scores) host.print("  %-22s %3s %6s", "rouge_l [95 %]", "n", "tokens");
  if (figure.times) host.print(" %9s %8s %6s", "tokens/s", "ms/token", "x full");
  host.print(" %10s %6s %6s %7s %6s %7s %7s %9s %9s %s\n", "peak", "holes", "freed", "by pass", "passes", "copies",
             "us/pass", "ms decide", "scores", "compaction");
}

void print_cell(FigureHost& host, const DecodeFigure& figure, const Cell& cell) {
  host.print("%-15s %4d %6.0f", cell.eviction_method.empty() ? "full cache" : cell.eviction_method.c_str(),
             cell.page_tokens, cell.budget_tokens);
  if (figure.scores) {
    const MeanWithInterval score = mean_with_interval(cell.rouge);
    host.print("  %5.3f [%.3f, %.3f]   %3zu %6.0f", score.mean, score.low, score.high, score.n,
               cell.natural_answer_tokens);
  }
  if (figure.times)
    host.print(" %9.1f %8.3f %6.2f", 1 / cell.token_seconds(), 1e3 * cell.token_seconds(), cell.slow_down());
  const EvictionCounts& c = cell.counts;
  const std::string scores = c.score_buffer_bytes > 0 || cell.page_summary_bytes == 0
                                 ? format_bytes(c.score_buffer_bytes)
                                 : format_bytes(cell.page_summary_bytes) + " of pages";
  host.print(" %10s %5.1f%% %6lld %7lld %6lld %7lld %7.1f %9.1f %9s %s",
             format_bytes(static_cast<std::uint64_t>(cell.peak_bytes)).c_str(), cell.fragmentation * 100,
             static_cast<long long>(c.blocks_freed_by_eviction), static_cast<long long>(c.blocks_freed_by_compaction),
             static_cast<long long>(c.passes), static_cast<long long>(c.slot_copies),
             c.passes > 0 ? 1e6 * c.compaction_seconds / static_cast<double>(c.passes) : 0, c.deciding_seconds * 1e3,
             scores.c_str(), cell.compaction_name());
  if (cell.rows_read_fraction < 1) host.print("; reads %.0f%% of the rows", cell.rows_read_fraction * 100);
  host.print("\n");
}

FigureTable table_of(const DecodeFigure& figure, const std::vector<Cell>& cells) {
  FigureTable table{figure.scores && figure.times ? "Scores and times"
                    : figure.scores               ? "Scores"
                                                  : "Times",
                    {"eviction method", "compaction", "page tokens", "budget %"},
                    {}};
  const auto add_columns = [&table](std::initializer_list<const char*> names) {
    table.columns.insert(table.columns.end(), names.begin(), names.end());
  };
  if (figure.scores) add_columns({"ROUGE-L", "low", "high", "n"});
  if (figure.times) add_columns({"tokens/s", "ms/token", "slowdown vs. full cache"});
  add_columns({"peak MiB", "holes %", "blocks freed", "freed by compaction", "slot copies", "score buffer KiB"});
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "budget %",
                          .y = {figure.scores ? "ROUGE-L" : "tokens/s"},
                          .by = {"eviction method", "compaction", "page tokens"}};
  for (const Cell& cell : cells) {
    std::vector<Json> row{cell.eviction_method.empty() ? "full cache" : cell.eviction_method, cell.compaction_name(),
                          cell.page_tokens, 100 * cell.budget_fraction};
    if (figure.scores) {
      const MeanWithInterval score = mean_with_interval(cell.rouge);
      for (const double value : {score.mean, score.low, score.high}) row.emplace_back(value);
      row.emplace_back(score.n);
    }
    if (figure.times) {
      const double seconds = cell.token_seconds();
      for (const Json& value : {seconds > 0 ? Json(1 / seconds) : Json(), Json(1e3 * seconds), Json(cell.slow_down())})
        row.push_back(value);
    }
    row.emplace_back(cell.peak_bytes / (1 << 20));
    row.emplace_back(100 * cell.fragmentation);
    for (const auto count :
         {cell.counts.blocks_freed_by_eviction, cell.counts.blocks_freed_by_compaction, cell.counts.slot_copies})
      row.emplace_back(count);
    row.emplace_back(static_cast<double>(cell.counts.score_buffer_bytes) / 1024);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Relative to the full cache of the same page size, at the smallest budget, where methods differ most.
void add_findings(const DecodeFigure& figure, const std::vector<Cell>& cells, FigureResult& result) {
  const Cell *full = nullptr, *best = nullptr, *fastest = nullptr;
  double least = 2;
  for (const Cell& cell : cells)
    if (!cell.eviction_method.empty()) least = std::min(least, cell.budget_fraction);
  for (const Cell& cell : cells) {
    if (cell.eviction_method.empty()) {
      if (full == nullptr) full = &cell;
      continue;
    }
    if (full != nullptr && cell.page_tokens == full->page_tokens && cell.budget_fraction == least) {
      if (best == nullptr || mean_of(cell.rouge) > mean_of(best->rouge)) best = &cell;
      if (fastest == nullptr || cell.token_seconds() < fastest->token_seconds()) fastest = &cell;
    }
  }
  if (full == nullptr || best == nullptr) return;
  const std::string budget = "at " + short_number(100 * least) + " % of the prompt ";
  if (figure.scores)
    result.findings.push_back(budget + best->eviction_method + " scores best: " + short_number(mean_of(best->rouge)) +
                              ", the full cache " + short_number(mean_of(full->rouge)));
  if (figure.times && fastest->token_seconds() > 0)
    result.time_findings.push_back(budget + fastest->eviction_method + " is the fastest: " +
                                   short_number(full->token_seconds() / fastest->token_seconds()) +
                                   " times the full cache's tokens per second, one answer at a time");
  if (figure.compactions) {
    double by_eviction = 0, with_pass = 0;
    for (const Cell& cell : cells) {
      if (cell.eviction_method.empty()) continue;
      const double freed =
          static_cast<double>(cell.counts.blocks_freed_by_eviction + cell.counts.blocks_freed_by_compaction);
      if (cell.compaction == CompactionKind::none) by_eviction += freed;
      if (cell.compaction == CompactionKind::repack) with_pass += freed;
    }
    result.findings.push_back("over all eviction methods, " + short_number(by_eviction) +
                              " blocks are freed without compaction and " + short_number(with_pass) + " with repack" +
                              (with_pass > by_eviction ? ": as in the article, compaction fills the free slots" : ""));
  }
}

}  // namespace

// core/report/paper_figures_others.cpp has the default methods, budgets and pages.
const std::vector<DecodeFigure>& decode_figures() {
  static const std::vector<DecodeFigure> list = {{"pagedeviction/fig2", true, false},
                                                 {"pagedeviction/fig3", false, true},
                                                 {"pagedeviction/fig4", true, true},
                                                 {"decode", true, true},
                                                 {"compaction/compaction", false, true, true}};
  return list;
}

Status check_decode(const FigureArguments& arguments) {
  for (const std::string& eviction_method : split_list(arguments.eviction_methods))
    KV_TRY(check_decode_study(eviction_method));
  for (const auto& [text, option] :
       {std::pair{&arguments.budgets, "--budgets"}, std::pair{&arguments.page_tokens, "--page-tokens"}}) {
    KV_ASSIGN(const auto numbers, study_numbers(*text, option));
    for (const double number : numbers)
      if (text == &arguments.page_tokens ? number != std::floor(number) || number > 4096 : number > 1)
        return fail(ErrorCode::usage, std::string(option) + ": " + short_number(number) +
                                          (text == &arguments.page_tokens
                                               ? " is not a number of tokens up to 4096; give a list such as 8,16"
                                               : " is more than the prompt; give shares up to 1, such as 0.25,0.5"));
  }
  return {};
}

Status reproduce_decode(ModelRuntime& runtime, const DecodeFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(const auto budgets, study_numbers(arguments.budgets, "--budgets"));
  KV_ASSIGN(const auto pages, study_numbers(arguments.page_tokens, "--page-tokens"));
  const std::vector<std::string> eviction_methods = split_list(arguments.eviction_methods);
  const auto asked = ask_ledgers(arguments);
  FigureResult result = begin_figure(figure.name);
  if (!arguments.json) {
    arguments.host->print(
        "%s: %s. ledgers: %d of %d tokens, reference answers of %d tokens and more, seed %llu; measured, %s\n",
        figure.name, result.title.c_str(), arguments.contexts, arguments.context_tokens, arguments.answer_tokens,
        static_cast<unsigned long long>(arguments.seed), runtime.model->path_description().c_str());
    if (figure.times)
      arguments.host->print("times and counts over %d steps each, regardless of the answers\n",
                            arguments.answer_tokens);
    print_head(*arguments.host, figure);
  }
  arguments.lines->expect_cells(pages.size() *
                                (1 + eviction_methods.size() * budgets.size() * (figure.compactions ? 3 : 1)));
  std::vector<Cell> cells;
  double full_cache_token_seconds = 0;
  const auto run = [&](const std::string& eviction_method, double fraction, int page, CompactionKind kind) -> Status {
    Cell cell;
    cell.eviction_method = eviction_method;
    cell.budget_fraction = fraction;
    cell.page_tokens = page;
    cell.compaction = kind;
    arguments.lines->begin_cell((eviction_method.empty() ? "full cache"
                                                         : eviction_method + ", " + short_number(100 * fraction) +
                                                               " % of the prompt, " + cell.compaction_name()) +
                                ", pages of " + std::to_string(page));
    KV_TRY(measure(runtime, figure, arguments, asked, cell));
    arguments.lines->end_cell();
    if (eviction_method.empty()) full_cache_token_seconds = cell.token_seconds();
    cell.full_cache_token_seconds = full_cache_token_seconds;
    if (!arguments.json) print_cell(*arguments.host, figure, cell);
    cells.push_back(std::move(cell));
    return {};
  };
  for (const double page_tokens : pages) {
    const int page = static_cast<int>(page_tokens);
    KV_TRY(run("", 1.0, page, CompactionKind::none));
    for (const std::string& eviction_method : eviction_methods)
      for (const double fraction : budgets) {
        KV_TRY(run(eviction_method, fraction, page, CompactionKind::repack));
        if (!figure.compactions) continue;
        KV_TRY(run(eviction_method, fraction, page, CompactionKind::hole_fill));
        KV_TRY(run(eviction_method, fraction, page, CompactionKind::none));
      }
  }
  add_findings(figure, cells, result);
  if (!arguments.json) {
    result = arguments.host->noted(std::move(result));
    arguments.host->print("\nThe paper: %s\n", result.paper.c_str());
    for (const std::string& finding : result.findings) arguments.host->print("Here: %s\n", finding.c_str());
    return {};
  }
  result.tables.push_back(table_of(figure, cells));
  result.settings = {{"model", runtime.model->digest().hex()},
                     {"device", runtime.model->path_description()},
                     {"contexts", arguments.contexts},
                     {"context_tokens", arguments.context_tokens},
                     {"answer_tokens", arguments.answer_tokens},
                     {"shared_heads", arguments.shared_heads},
                     {"cadence", arguments.cadence},
                     {"compact_every", arguments.compact_every},
                     {"seed", arguments.seed},
                     {"command", arguments.command}};
  OrderedJson json = to_json(arguments.host->noted(std::move(result)));
  json["rows"] = OrderedJson::array();  // every quantity of every cell by name, in base units
  for (const Cell& cell : cells) json["rows"].push_back(cell_json(figure, cell));
  arguments.host->show_json(json);
  return {};
}

}  // namespace kvantage::inline figures
