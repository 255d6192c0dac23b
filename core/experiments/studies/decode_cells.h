// Cells of figures about answers under decode-time eviction: what is measured of each, and the tables and claims that
// come of it.
#pragma once

#include <optional>
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
  bool scores, times;                           // answers of natural length; steps of a fixed number
  bool compactions = false;                     // every eviction method with each kind of compaction
  bool by_pages = false;                        // plotted over page sizes instead of budgets
  bool f1 = false;                              // token F1 is plotted beside ROUGE-L: the paper has data sets of both
  std::vector<const char*> kinds = {"ledger"};  // families of texts that questions are about
};

/// A context with a question about it, and its reference answer.
struct AskedText {
  std::string kind, context, question, reference;
};

/// One eviction method at one budget, over all texts.
struct DecodeCell {
  std::string eviction_method = {};  // empty: the full cache
  double budget_fraction = 1;        // of the prompt
  int page_tokens = 16;
  CompactionKind compaction = CompactionKind::repack;

  std::vector<double> rouge = {}, f1 = {}, exact = {};  // per text
  double natural_answer_tokens = 0;                     // of answers of natural length
  int side_by_side = 1;                                 // requests whose steps are timed together
  double timed_tokens = 0;                              // of each request's timed steps, in each block
  std::vector<double> token_seconds = {};               // mean of the timed steps, per block
  double budget_tokens = 0, peak_bytes = 0, rows_read_fraction = 0;
  std::optional<double> free_blocks = {}, fragmentation = {};  // nothing: requests side by side
  std::size_t page_summary_bytes = 0;
  EvictionCounts counts = {};  // of the answers, or of the steps of the first block where steps are timed

  std::string method() const { return eviction_method.empty() ? "full cache" : eviction_method; }
  const char* compaction_name() const;
  /// For progress.
  std::string text() const;
  std::vector<double> tokens_per_second() const;  // per block
};

/// As many of each kind as the arguments have contexts, kind by kind.
std::vector<AskedText> ask_texts(const FigureArguments& arguments, const std::vector<const char*>& kinds);

/// Answers of natural length to all texts: their scores, which do not depend on time.
Status answer_texts(ModelRuntime& runtime, const DecodeMeasures& measures, const FigureArguments& arguments,
                    const std::vector<AskedText>& asked, DecodeCell& cell);
/// A fixed number of steps after each text, whatever the answers: the time of one block.
Status time_steps(ModelRuntime& runtime, const FigureArguments& arguments, const std::vector<AskedText>& asked,
                  DecodeCell& cell);
/// The same for arguments.max_batch requests side by side, with prompts of random tokens: nothing of it depends on what
/// the answers say. usage: a method that such requests do not show (check_throughput_method()), or more positions than
/// the model has.
Status time_batch(ModelRuntime& runtime, const FigureArguments& arguments, DecodeCell& cell);

/// The full cache with the cell's page size.
const DecodeCell& full_cache_of(const std::vector<DecodeCell>& cells, const DecodeCell& cell);

/// Title of the table of the throughput of each cell over the full cache's.
inline constexpr const char* relative_throughput_title = "Throughput over the full cache's";
/// Scores, times and blocks of the pool: those that the figure measures, the one that it is about first. Times have two
/// more tables, for the plots of the time per output token and of the throughput over the full cache's; scores of texts
/// of several kinds have one by kind.
std::vector<FigureTable> decode_tables(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells,
                                       const std::vector<AskedText>& asked);
/// Every quantity of every cell by name, in base units.
OrderedJson decode_rows(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells);
void add_decode_findings(const DecodeMeasures& measures, const std::vector<DecodeCell>& cells, FigureResult& result);

}  // namespace kvantage::inline studies
