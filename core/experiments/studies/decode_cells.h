// Cells of figures about answers under decode-time eviction: what is measured of each, and the tables and claims that
// come of it.
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/experiments/model/decode_study.h"
#include "core/experiments/studies/figure_arguments.h"
#include "core/report/figure.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline studies {

/// What a figure measures of its cells.
struct DecodeMeasures {
  bool scores, times;        // answers of natural length; steps of a fixed number
  bool compactions = false;  // every eviction method with each kind of compaction
  bool by_pages = false;     // plotted over page sizes instead of budgets
  bool f1 = false;           // token F1 is plotted beside ROUGE-L: the paper has data sets of both
};

/// A context with a question about it, and its reference answer.
struct AskedLedger {
  std::string context, question, reference;
};

/// One eviction method at one budget, over all ledgers.
struct DecodeCell {
  std::string eviction_method = {};  // empty: the full cache
  double budget_fraction = 1;        // of the prompt
  int page_tokens = 16;
  CompactionKind compaction = CompactionKind::repack;

  std::vector<double> rouge = {}, f1 = {}, exact = {};  // per ledger
  double natural_answer_tokens = 0;                     // of answers of natural length
  double timed_tokens = 0;                              // of timed steps, in each block
  std::vector<double> token_seconds = {};               // mean of the timed steps, per block
  double budget_tokens = 0, peak_bytes = 0, free_blocks = 0, fragmentation = 0, rows_read_fraction = 0;
  std::size_t page_summary_bytes = 0;
  EvictionCounts counts = {};  // of the answers, or of the steps of the first block where steps are timed

  std::string method() const { return eviction_method.empty() ? "full cache" : eviction_method; }
  const char* compaction_name() const;
  /// For progress.
  std::string text() const;
  std::vector<double> tokens_per_second() const;  // per block
};

std::vector<AskedLedger> ask_ledgers(const FigureArguments& arguments);

/// Answers of natural length to all ledgers: their scores, which do not depend on time.
Status answer_ledgers(ModelRuntime& runtime, const DecodeMeasures& measures, const FigureArguments& arguments,
                      const std::vector<AskedLedger>& asked, DecodeCell& cell);
/// A fixed number of steps after each ledger, whatever the answers: the time of one block.
Status time_steps(ModelRuntime& runtime, const FigureArguments& arguments, const std::vector<AskedLedger>& asked,
                  DecodeCell& cell);

/// The full cache with the cell's page size.
const DecodeCell& full_cache_of(const std::vector<DecodeCell>& cells, const DecodeCell& cell);

/// Title of the table of the throughput of each cell over the full cache's.
inline constexpr const char* relative_throughput_title = "Throughput over the full cache's";
/// Scores, times and blocks of the pool: those that the figure measures, the one that it is about first. Times have two
/// more tables, for the plots of the time per output token and of the throughput over the full cache's.
std::vector<FigureTable> decode_tables(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells);
/// Every quantity of every cell by name, in base units.
OrderedJson decode_rows(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells);
void add_decode_findings(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells, FigureResult& result);

}  // namespace kvantage::inline studies
