// KVPR, appendix A.5 and table 5: decode throughput on a slower machine.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "core/experiments/figures/kvpr/bandwidths.h"
#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/length_cells.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/experiments/measured_spans.h"
#include "core/model/transformer.h"

namespace kvantage::inline kvpr_figures {
namespace {

/// Sets the number of compute threads during its lifetime.
struct Threads {
  explicit Threads(int threads) : before(compute_threads()) { set_compute_threads(threads); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { set_compute_threads(before); }
  int before;
};

/// What the bandwidth is half of; the arguments were checked.
std::string half_text(const FigureArguments& arguments) {
  const LinkBandwidth whole = parse_bandwidths(arguments.bandwidth.list)->front();
  const std::string half = "half of ";
  if (whole.is_break_even()) return half + "the break-even one";
  return half + (whole.relative ? whole.origin() : "the given one");
}

/// The paper's table, at the places of our lengths: a quarter, half and all of the prompt.
std::vector<PublishedMark> published_gains(const std::vector<MeasuredCell>& cells) {
  constexpr std::array<double, 6> flexgen{50.057, 46.779, 29.614, 28.650, 15.778, 16.194},
      kvpr{53.976, 49.860, 33.666, 32.277, 18.285, 18.108};
  std::vector<PublishedMark> marks;
  marks.reserve(flexgen.size());
  for (std::size_t r = 0; r < flexgen.size(); ++r) {
    const double gain = 100 * (kvpr[r] / flexgen[r] - 1);
    marks.push_back(
        {r % 2 == 0 ? "paper: 32 generated" : "paper: 128 generated", cells[2 * r].cell.prompt, gain, gain});
  }
  return marks;
}

Expected<FigureResult> slower_machine_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  double bandwidth = 0;
  {
    KV_ASSIGN(const auto whole, open_bench(arguments));
    bandwidth = whole->bandwidth / 2;
  }
  const Threads fewer(std::max(1, compute_threads() / 2));
  const int batch = batch_of(arguments);
  KV_ASSIGN(auto bench, open_bench(arguments, {.batch = batch, .bandwidth = bandwidth}));
  FigureResult result = begin_offload(figure, arguments, *bench, batch);
  result.settings["threads"] = compute_threads();
  result.settings["bandwidth"] = half_text(arguments);
  const auto cells = both_ways(lengths_of(arguments, batch), column_by_column());
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells));
  LengthThroughput all = throughput_of("Decode throughput, half the threads and half the link bandwidth, " +
                                           std::to_string(batch) + " sequences column by column, weights streamed",
                                       *bench, measured);
  constexpr std::array rows{"256-32", "256-128", "512-32", "512-128", "1024-32", "1024-128"};
  for (std::size_t r = 0; r < rows.size(); ++r)
    add_claim_of(std::span(measured).subspan(2 * r, 2), result, std::string("kvpr/table-5-") + rows[r], {all.gains[r]});
  add_claim_of(measured, result, "kvpr/low-end-up-to", {largest_of(all.gains)});
  result.time_findings = {compared(all.gains, "loading alone"), predictions(all.off)};
  result.findings = {"both variants gave the same tokens"};
  all.table.plot = plot_over_lengths();
  result.tables = {
      std::move(all.table),
      shares_table("Throughput gain of the split", "throughput gain %", measured, all.gains, published_gains(measured)),
      {"Paper: OPT-6.7B on a Quadro RTX 5000, PCIe 4.0 x8, tokens/s",
       {"prompt tokens", "generated", "FlexGen", "KVPR"},
       {{256, 32, 50.057, 53.976},
        {256, 128, 46.779, 49.860},
        {512, 32, 29.614, 33.666},
        {512, 128, 28.650, 32.277},
        {1024, 32, 15.778, 18.285},
        {1024, 128, 16.194, 18.108}}}};
  return result;
}

}  // namespace

const Experiment& kvpr_table5() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/table5",
          .paper = "kvpr",
          .title = "decode throughput on a slower machine",
          .does =
              std::string("Half the threads and half the link bandwidth of the other figures; prompts of a quarter, "
                          "half and all of the length, a quarter and all of the generated tokens, a batch decoded "
                          "column by column, weights streamed: loading alone (FlexGen) versus the solved split.") +
              on_random_opt,
          .expected = "The split decodes more tokens per second at every length.",
          .published =
              "OPT-6.7B on a Quadro RTX 5000 over PCIe 4.0 x8: 6.6 - 15.9 % more tokens/s than FlexGen (table 5)",
          .settings = batch_settings("1024", "128", "4", "512"),
          .quick = {{"--width", "128"},
                    {"--context-tokens", "192"},
                    {"--answer-tokens", "8"},
                    {"--blocks", "2"},
                    {"--max-batch", "2"}}},
      slower_machine_figure);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
