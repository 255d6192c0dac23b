// Tables, rows and findings of figures about answers under decode-time eviction.
#include <algorithm>
#include <utility>

#include "core/base/statistics.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/decode_cells.h"
#include "core/policy/plan_text.h"
#include "core/text/quality.h"

namespace kvantage::inline studies {
namespace {

MeasuredSpan speed_of(const DecodeCell& cell, const DecodeCell& full) {
  return measured_ratio(full.token_seconds, cell.token_seconds);
}

/// With the columns that name a cell, and a plot over pages or budgets.
FigureTable table_of(const DecodeMeasures& measures, const char* title, const char* y,
                     std::vector<std::string> columns) {
  FigureTable table{title, {"eviction method", "compaction", "page tokens", "budget %", "budget tokens"}, {}};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = measures.by_pages ? "page tokens" : "budget tokens",
                          .y = {y},
                          .by = {"eviction method", "compaction", measures.by_pages ? "budget %" : "page tokens"}};
  return table;
}

std::vector<Json> row_of(const DecodeCell& cell) {
  return {cell.method(), cell.compaction_name(), cell.page_tokens, 100 * cell.budget_fraction, cell.budget_tokens};
}

FigureTable score_table(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells) {
  FigureTable table =
      table_of(measures, "Scores", "ROUGE-L",
               {"ROUGE-L", "low", "high", "token F1", "low", "high", "n", "exact match %", "answer tokens"});
  if (measures.f1) {
    table.plot->y.emplace_back("token F1");
    table.plot->y_title = "score, 0 - 1";
  }
  for (const DecodeCell& cell : cells) {
    std::vector<Json> row = row_of(cell);
    for (const auto* scores : {&cell.rouge, &cell.f1}) {
      const MeanWithInterval score = mean_with_interval(*scores);
      for (const double value : {score.mean, score.low, score.high}) row.emplace_back(value);
    }
    row.emplace_back(cell.rouge.size());
    row.emplace_back(100 * mean_of(cell.exact));
    row.emplace_back(cell.natural_answer_tokens);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Of cells with several kinds of text: means over all of them hide what one kind loses.
FigureTable kinds_table(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells,
                        const std::vector<AskedText>& asked) {
  FigureTable table = table_of(measures, "Scores by kind of text", "ROUGE-L",
                               {"kind of text", "ROUGE-L", "low", "high", "token F1", "low", "high", "n"});
  table.plot.reset();
  table.rows.reserve(cells.size() * measures.kinds.size());
  for (const DecodeCell& cell : cells)
    for (const char* kind : measures.kinds) {
      std::vector<Json> row = row_of(cell);
      row.emplace_back(kind);
      std::size_t count = 0;
      for (const auto* scores : {&cell.rouge, &cell.f1}) {
        std::vector<double> of_kind;
        of_kind.reserve(scores->size());
        for (std::size_t t = 0; t < scores->size(); ++t)
          if (asked[t].kind == kind) of_kind.push_back((*scores)[t]);
        const MeanWithInterval score = mean_with_interval(of_kind);
        for (const double value : {score.mean, score.low, score.high}) row.emplace_back(value);
        count = of_kind.size();
      }
      row.emplace_back(count);
      table.rows.push_back(std::move(row));
    }
  return table;
}

FigureTable time_table(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells) {
  FigureTable table = table_of(
      measures, "Times", "tokens/s",
      {"ms/output token", "low", "high", "tokens/s", "low", "high", "x full cache", "low", "high", "ms deciding"});
  for (const DecodeCell& cell : cells) {
    std::vector<Json> row = row_of(cell);
    add_interval_cells(row, scaled(measured_mean(cell.token_seconds), 1e3));
    add_interval_cells(row, measured_mean(cell.tokens_per_second()));
    add_interval_cells(row, speed_of(cell, full_cache_of(cells, cell)));
    row.emplace_back(1e3 * cell.counts.deciding_seconds);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// One quantity of the times in a plot of its own: a table has one plot.
FigureTable time_plot(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells, const char* title,
                      const char* column, MeasuredSpan (*of)(const DecodeCell& cell, const DecodeCell& full)) {
  FigureTable table = table_of(measures, title, column, {column, "low", "high"});
  for (const DecodeCell& cell : cells) {
    std::vector<Json> row = row_of(cell);
    add_interval_cells(row, of(cell, full_cache_of(cells, cell)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

MeasuredSpan token_ms(const DecodeCell& cell, const DecodeCell&) {
  return scaled(measured_mean(cell.token_seconds), 1e3);
}

FigureTable block_table(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells) {
  FigureTable table = table_of(measures, "Blocks of the pool", "slot copies",
                               {"peak MiB", "holes %", "blocks freed", "freed by compaction", "passes", "slot copies",
                                "us/pass", "score buffer KiB", "page summary KiB", "KV entries read %"});
  table.plot.reset();
  if (measures.compactions)
    table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                            .x = "eviction method",
                            .y = {"slot copies"},
                            .by = {"compaction", "budget %", "page tokens"}};
  for (const DecodeCell& cell : cells) {
    const EvictionCounts& counts = cell.counts;
    std::vector<Json> row = row_of(cell);
    row.emplace_back(cell.peak_bytes / (1 << 20));
    row.push_back(cell.fragmentation ? Json(100 * *cell.fragmentation) : Json());
    for (const auto count :
         {counts.blocks_freed_by_eviction, counts.blocks_freed_by_compaction, counts.passes, counts.slot_copies})
      row.emplace_back(count);
    row.push_back(counts.passes > 0 ? Json(1e6 * counts.compaction_seconds / static_cast<double>(counts.passes))
                                    : Json());
    for (const std::size_t bytes : {counts.score_buffer_bytes, cell.page_summary_bytes})
      row.emplace_back(static_cast<double>(bytes) / 1024);
    row.emplace_back(100 * cell.rows_read_fraction);
    table.rows.push_back(std::move(row));
  }
  return table;
}

OrderedJson cell_json(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells, const DecodeCell& cell) {
  OrderedJson json;
  json["evictor"] = cell.method();
  json["compaction"] = cell.compaction_name();
  json["page_tokens"] = cell.page_tokens;
  json["budget_fraction"] = cell.budget_fraction;
  json["budget_tokens"] = cell.budget_tokens;
  if (measures.scores) {
    for (const auto& [name, scores] : {std::pair{"rouge_l", &cell.rouge}, std::pair{"token_f1", &cell.f1}}) {
      const MeanWithInterval score = mean_with_interval(*scores);
      json[name] = {{"mean", score.mean}, {"low", score.low}, {"high", score.high}, {"n", score.n}};
    }
    json["exact_match"] = mean_of(cell.exact);
    json["answer_tokens"] = cell.natural_answer_tokens;
  }
  if (measures.times) {
    json["side_by_side"] = cell.side_by_side;
    json["timed_steps"] = cell.timed_tokens;
    json["seconds_per_output_token"] = mean_of(cell.token_seconds);
    json["seconds_per_output_token_by_block"] = cell.token_seconds;
    json["tokens_per_second"] = mean_of(cell.tokens_per_second());
    json["slow_down"] = measured_ratio(cell.token_seconds, full_cache_of(cells, cell).token_seconds).low;
  }
  json["peak_bytes"] = cell.peak_bytes;
  if (cell.free_blocks) json["free_blocks"] = *cell.free_blocks;
  if (cell.fragmentation) json["fragmentation"] = *cell.fragmentation;
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

std::string at_once_text(const DecodeCell& cell) {
  return cell.side_by_side > 1 ? std::to_string(cell.side_by_side) + " requests side by side" : "one answer at a time";
}

std::string freed_text(const std::vector<DecodeCell>& cells) {
  double by_eviction = 0, with_pass = 0;
  for (const DecodeCell& cell : cells) {
    if (cell.eviction_method.empty()) continue;
    const auto freed =
        static_cast<double>(cell.counts.blocks_freed_by_eviction + cell.counts.blocks_freed_by_compaction);
    if (cell.compaction == CompactionKind::none) by_eviction += freed;
    if (cell.compaction == CompactionKind::repack) with_pass += freed;
  }
  return "over all eviction methods, " + short_number(by_eviction) + " blocks are freed without compaction and " +
         short_number(with_pass) + " with repack";
}

}  // namespace

std::vector<FigureTable> decode_tables(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells,
                                       const std::vector<AskedText>& asked) {
  std::vector<FigureTable> tables;
  if (measures.scores) tables.push_back(score_table(measures, cells));
  if (measures.scores && measures.kinds.size() > 1) tables.push_back(kinds_table(measures, cells, asked));
  if (measures.times) {
    tables.push_back(time_table(measures, cells));
    tables.push_back(time_plot(measures, cells, "Time per output token", "ms/output token", token_ms));
    tables.push_back(time_plot(measures, cells, relative_throughput_title, "x full cache", speed_of));
  }
  tables.insert(measures.compactions ? tables.begin() : tables.end(), block_table(measures, cells));
  return tables;
}

OrderedJson decode_rows(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells) {
  OrderedJson rows = OrderedJson::array();
  for (const DecodeCell& cell : cells) rows.push_back(cell_json(measures, cells, cell));
  return rows;
}

// Relative to the full cache of the same page size, at the smallest budget, where methods differ most.
void add_decode_findings(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells, FigureResult& result) {
  const DecodeCell &full = cells.front(), *best = nullptr, *fastest = nullptr;
  double least = 2;
  for (const DecodeCell& cell : cells)
    if (!cell.eviction_method.empty()) least = std::min(least, cell.budget_fraction);
  for (const DecodeCell& cell : cells) {
    if (cell.eviction_method.empty() || cell.page_tokens != full.page_tokens || cell.budget_fraction != least) continue;
    if (best == nullptr || mean_of(cell.rouge) > mean_of(best->rouge)) best = &cell;
    if (fastest == nullptr || mean_of(cell.token_seconds) < mean_of(fastest->token_seconds)) fastest = &cell;
  }
  if (best == nullptr) return;
  const std::string budget = "at " + short_number(100 * least) + " % of the prompt ";
  if (measures.scores)
    result.findings.push_back(budget + best->eviction_method + " scores best: " + short_number(mean_of(best->rouge)) +
                              ", the full cache " + short_number(mean_of(full.rouge)));
  if (measures.times)
    result.time_findings.push_back(budget + fastest->eviction_method +
                                   " is the fastest: " + short_number(speed_of(*fastest, full).low) +
                                   " times the full cache's tokens per second, " + at_once_text(*fastest));
  if (measures.compactions) result.findings.push_back(freed_text(cells));
}

}  // namespace kvantage::inline studies
