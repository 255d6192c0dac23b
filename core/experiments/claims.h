// Every number that the papers report as a result (resources/claims.json): where it stands, its span, and the figure
// that measures it here, or why none does.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline experiments {

struct PaperClaim {
  std::string id = {};     // "evicpress/ttft-up-to": the paper first
  std::string where = {};  // "abstract", "table 3, row OPT-13B"
  std::string says = {};   // in one sentence, with its numbers
  std::optional<double> low = {},
                        high = {};  // of its span; a single number has both; "up to": no low; "at least": no high
  std::string unit = {};            // "ratio", "share", "ms", ...
  std::string figure = {};          // PaperFigure::name; empty: out of scope
  std::string out_of_scope = {};    // the reason
  std::string note = {};            // what else the paper says about it, such as another number; may be empty
};

/// In the order of the papers. Errors: not_found, io, and rejected_input for a file with another structure, an unknown
/// figure, or a claim with neither a figure nor a reason.
Expected<std::vector<PaperClaim>> read_claims(const std::filesystem::path& file);

/// "1.43 - 3.77", "at most 2.19", "at least 5"; empty for a claim without a number.
std::string span_text(const PaperClaim& claim);

}  // namespace kvantage::inline experiments
