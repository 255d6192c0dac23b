// Cells of figures about throughput under decode-time eviction, on a model of random weights: PagedEviction's setting,
// and long generations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/experiments/model/throughput_study.h"
#include "core/experiments/studies/experiment.h"
#include "core/model/transformer.h"

namespace kvantage::inline studies {

/// The full cache or one eviction setting.
struct ThroughputCell {
  std::optional<DecodeEvictionSetting> eviction;  // nothing: the full cache
  std::vector<ThroughputRun> runs = {};           // one per block

  /// Lengths and counts are the same in every block.
  const ThroughputRun& run() const { return runs.front(); }
  std::vector<double> tokens_per_second() const;
  std::vector<double> token_seconds() const;
  std::vector<double> compaction_share() const;
  /// Of the full cache's memory to its own.
  double memory_ratio(const ThroughputCell& full) const;
  /// Whether what it evicts comes back: whole pages, or compaction.
  bool frees_blocks() const;
  std::string method() const { return eviction ? eviction->name() : "full cache"; }
};

/// Every method at every budget, in tokens. Methods that evict single tokens: without compaction, as vLLM's block table
/// allows (a block is freed when all of its tokens are evicted), and with it. usage error for methods or budgets that
/// cannot be measured.
Expected<std::vector<DecodeEvictionSetting>> throughput_evictions(const FigureArguments& arguments);

class KeptThroughput;

/// The model and the requests.
class ThroughputBench {
 public:
  /// `arguments` must outlive this.
  explicit ThroughputBench(const FigureArguments& arguments) : arguments_(arguments) {}
  Status open();

  /// The full cache and every setting, for so many requests, in blocks; cells that an interrupted command measured are
  /// taken over where the host keeps some. pool_tokens: 0: room for all of them. before:
  /// the same cells with all requests side by side, which tell how many blocks a request holds; empty: none.
  Expected<std::vector<ThroughputCell>> measure(const std::vector<DecodeEvictionSetting>& settings, int requests,
                                                int pool_tokens = 0, const std::vector<ThroughputCell>& before = {});

  const ThroughputSetting& setting() const { return setting_; }
  /// A result of the figure with the settings that all of them share.
  FigureResult begin(const PaperFigure& figure) const;

 private:
  Expected<ExperimentRunner::Keep> serve(ThroughputCell& cell, int block, const ThroughputRun* before,
                                         const KeptThroughput& kept);

  const FigureArguments& arguments_;
  ThroughputSetting setting_;
  std::unique_ptr<Transformer> model_;
};

/// Of cells with the full cache first; without a plot.
FigureTable throughput_table(const std::string& title, const std::vector<ThroughputCell>& cells);
/// The cell of a method without compaction at the budget; null: none.
const ThroughputCell* cell_of(const std::vector<ThroughputCell>& cells, std::string_view method, int budget);
/// In tokens, each once, in the order of the cells.
std::vector<int> budgets_of(const std::vector<ThroughputCell>& cells);

/// A figure of throughput on random weights.
class ThroughputExperiment final : public Experiment {
 public:
  using Make = Expected<FigureResult> (*)(const PaperFigure& figure, const FigureArguments& arguments);
  ThroughputExperiment(PaperFigure figure, Make make) : Experiment(std::move(figure)), make_(make) {}

  /// Methods, budgets, lengths, pages and width.
  Status check(const FigureArguments& arguments) const override;
  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const override;

 private:
  const Make make_;
};

}  // namespace kvantage::inline studies
