// Times that others measured, as (tokens, seconds) rows: a curve of computing a context, and a line of loading it from
// each tier, fitted by least squares.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/imported/imported_profile.h"
#include "core/imported/text_table.h"
#include "core/policy/fits.h"
#include "core/simulator/cost_model.h"

namespace kvantage::inline imported {

struct TimedTokens {
  double tokens = 0, seconds = 0;
};

/// base + a * tokens + b * tokens^2, a and b at least 0.
struct TtftFit {
  std::string tier;  // empty: computing
  PrefillModel curve;
  std::size_t rows = 0;
  double min_tokens = 0, max_tokens = 0;
  double residual_seconds = 0;  // root mean square
};

/// `quadratic`: may have a square, where at least four lengths differ. rejected_input for fewer than two lengths and
/// for times that do not rise.
Expected<TtftFit> fit_ttft(const std::vector<TimedTokens>& rows, bool quadratic, const std::string& name);

struct TtftTable {
  ImportedSource source;
  std::optional<TtftFit> compute;  // nothing: the table has loads alone
  std::vector<TtftFit> tiers;      // in the order in which the table names them
};

/// Columns: tokens, seconds (or milliseconds), and where it has loads, tier: empty or "prefill" for computing.
std::vector<WantedColumn> ttft_columns();
/// rejected_input names all that is missing.
Expected<TtftTable> read_ttft_table(const std::filesystem::path& path, const ColumnMap& columns,
                                    const std::string& date);

}  // namespace kvantage::inline imported
