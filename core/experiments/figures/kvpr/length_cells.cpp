#include "core/experiments/figures/kvpr/length_cells.h"

#include <algorithm>
#include <utility>

#include "core/base/statistics.h"
#include "core/experiments/measured_spans.h"

namespace kvantage::inline kvpr_figures {

std::vector<OffloadCell> whole_prompt(const FigureArguments& arguments) {
  return {{arguments.context_tokens, arguments.answer_tokens, 1, SplitMode::load_only},
          {arguments.context_tokens, arguments.answer_tokens, 1, SplitMode::solved}};
}

std::vector<Length> lengths_of(const FigureArguments& arguments, int batch) {
  std::vector<Length> all;
  for (const int part : {4, 2, 1})
    for (const int of_generated : {4, 1})
      all.push_back({std::max(offload_chunk, arguments.context_tokens / part),
                     std::max(1, arguments.answer_tokens / of_generated), batch});
  return all;
}

std::vector<OffloadCell> both_ways(const std::vector<Length>& lengths, const OffloadStudyOptions& options) {
  std::vector<OffloadCell> cells;
  for (const Length& length : lengths)
    for (const SplitMode mode : {SplitMode::load_only, SplitMode::solved})
      cells.push_back({length.prompt, length.generated, length.batch, mode, options});
  return cells;
}

OffloadStudyOptions column_by_column() {
  OffloadStudyOptions options;
  options.order = BatchOrder::column;
  options.weights = WeightLoading::keys_values_first;
  return options;
}

int batch_of(const FigureArguments& arguments) { return std::max(1, arguments.max_batch); }

LengthThroughput throughput_of(std::string title, const OffloadBench& bench, std::span<const MeasuredCell> cells) {
  LengthThroughput all{{std::move(title),
                        {"prompt tokens", "generated", "batch", "keys and values MB", "load only tokens/s", "low",
                         "high", "split tokens/s", "low", "high", "throughput gain %", "low", "high",
                         "recomputed tokens", "predicted split tokens/s", "prediction error %"},
                        {}},
                       {},
                       {},
                       {}};
  const double token_bytes = recompute_shape(*bench.model).kv_bytes_per_token() * bench.model->config().layers;
  for (std::size_t c = 0; c + 1 < cells.size(); c += 2) {
    const MeasuredCell &load = cells[c], &split = cells[c + 1];
    const auto& [prompt, generated, batch, mode, options] = split.cell;
    const std::vector<double> errors = split.prediction_errors();
    all.ratios.push_back(time_ratio(load, split));
    all.gains.push_back(scaled(all.ratios.back(), 1, -1));
    all.off.insert(all.off.end(), errors.begin(), errors.end());
    std::vector<Json> row{prompt, generated, batch, token_bytes * batch * (prompt + generated) / 1e6};
    add_interval_cells(row, measured_mean(load.tokens_per_second()));
    add_interval_cells(row, measured_mean(split.tokens_per_second()));
    add_interval_cells(row, scaled(all.gains.back(), 100));
    row.emplace_back(split.mean(&OffloadSums::recomputed_tokens));
    row.emplace_back(batch * generated / split.mean(&OffloadSums::predicted_seconds));
    row.emplace_back(100 * mean_of(errors));
    all.table.rows.push_back(std::move(row));
  }
  return all;
}

FigurePlot plot_over_lengths() {
  return {.kind = FigurePlot::Kind::bars,
          .x = "prompt tokens",
          .y = {"load only tokens/s", "split tokens/s"},
          .y_title = "tokens/s",
          .by = {"generated"}};
}

FigureTable shares_table(std::string title, const char* column, std::span<const MeasuredCell> cells,
                         const std::vector<MeasuredSpan>& shares, std::vector<PublishedMark> published) {
  FigureTable table{std::move(title), {"prompt tokens", "generated", column, "low", "high"}, {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "prompt tokens",
                          .y = {column},
                          .by = {"generated"},
                          .published = std::move(published)};
  for (std::size_t length = 0; length < shares.size(); ++length) {
    const OffloadCell& cell = cells[2 * length].cell;
    std::vector<Json> row{cell.prompt, cell.generated};
    add_interval_cells(row, scaled(shares[length], 100));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string shape_text(std::span<const MeasuredCell> cells) {
  const auto range = [cells](int OffloadCell::*member) {
    const auto [least, most] =
        std::ranges::minmax_element(cells, {}, [member](const MeasuredCell& one) { return one.cell.*member; });
    const int from = least->cell.*member, to = most->cell.*member;
    return from == to ? std::to_string(from) : std::to_string(from) + " - " + std::to_string(to);
  };
  return "prompt " + range(&OffloadCell::prompt) + ", " + range(&OffloadCell::generated) + " generated, batch " +
         range(&OffloadCell::batch);
}

void add_claim_of(std::span<const MeasuredCell> cells, FigureResult& result, const std::string& claim,
                  const std::vector<MeasuredSpan>& all) {
  if (cells.empty() || all.empty()) return;
  add_claim(result, claim, all, true);
  result.measured.back().at = shape_text(cells);
}

std::string compared(const std::vector<MeasuredSpan>& gains, const std::string& with) {
  return "the split decodes " + range_of(gains) + " more tokens per second than " + with;
}

std::string predictions(const std::vector<double>& off) {
  return "the scheduler's prediction of the split has a median error of " + percent(percentile(off, 0.5));
}

}  // namespace kvantage::inline kvpr_figures
