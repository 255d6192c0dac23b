// Every number that the papers report as a result (resources/claims.json): where it stands, its span, and the figure
// that measures it here, or why none does. A figure names the claims that it measured; their verdicts are made here.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/experiments/paper_figures.h"
#include "core/experiments/verdict.h"

namespace kvantage::inline experiments {

struct PaperClaim {
  std::string id = {};     // "evicpress/ttft-up-to": the paper first
  std::string where = {};  // "abstract", "table 3, row OPT-13B"
  std::string says = {};   // in one sentence, with its numbers
  PaperSpan span = {};
  bool up_to = false;             // the span is of the largest of several numbers: "up to 46.2 %"
  std::string unit = {};          // "ratio", "share", "ms", ...
  std::string figure = {};        // PaperFigure::name; empty: out of scope
  std::string out_of_scope = {};  // the reason
  std::string note = {};          // what else the paper says about it, such as another number; may be empty
};

/// In the order of the papers. Errors: not_found, io, and rejected_input for a file with another structure, a figure
/// that is not in `figures`, or a claim with neither a figure nor a reason.
Expected<std::vector<PaperClaim>> read_claims(const std::filesystem::path& file,
                                              const std::vector<PaperFigure>& figures);

/// "1.43 - 3.77", "up to 2.19", "at least 5"; empty for a claim without a number.
std::string span_text(const PaperClaim& claim);

/// FigureResult::off_regime where quality was not measured by the paper's metric; a finding says why.
inline constexpr const char* off_metric = "quality is not measured by the paper's metric";

/// Title of the table that settle_claims() adds: columns "claim", "paper", "unit", "here", "interval", "verdict".
/// The interval is of 95 %, but for the rates of evicpress/fig8 (rate_figure.cpp) and for evicpress/examples, whose
/// intervals are what the rounding of printed numbers allows.
inline constexpr const char* claims_title = "Claims of the paper";
/// Adds a table of the claims about the result's figure with their verdicts, and a finding that counts those; nothing
/// where there is no claim. disturbed: claims about time get no verdict. Outside of the paper's regime
/// (FigureResult::off_regime) none gets one, and neither does one with a reason of its own (MeasuredClaim::withheld).
/// MeasuredClaim::at follows the number. FigureResult::limit follows each verdict: "agrees: LIMIT", "contradicts:
/// larger; LIMIT". Where the interval leaves the verdict open, need_text() follows it: "cannot tell at this n: n 54,
/// about 210 needed".
void settle_claims(FigureResult& result, const std::vector<PaperClaim>& claims, bool disturbed);

}  // namespace kvantage::inline experiments

// In the library of core/experiments/figures, which has the list of figures.
namespace kvantage::inline figures {

/// With all figures.
Expected<std::vector<PaperClaim>> read_claims(const std::filesystem::path& file);

}  // namespace kvantage::inline figures
