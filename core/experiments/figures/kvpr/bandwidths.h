// Bandwidths that KVPR's tier is throttled to, as --bandwidth gives them, and one figure's results at several of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/report/figure.h"

namespace kvantage::inline kvpr_figures {

/// One item of --bandwidth.
struct LinkBandwidth {
  double value = 1;      // MB/s, or a multiple of the break-even bandwidth
  bool relative = true;  // the latter

  bool operator==(const LinkBandwidth&) const = default;
  /// Where loading a token takes as long as recomputing it.
  bool is_break_even() const { return relative && value == 1; }
  /// As on the command line, exactly: "100", "0.25x".
  std::string text() const;
  /// "given", "0.25 times the break-even one", or what break-even means.
  std::string origin() const;
};

/// Items of "100,0.25x,1x": MB/s from 1 to 1e6, or multiples of the break-even bandwidth from 0.01 to 100. "0" and an
/// empty text are that bandwidth itself. usage error for others, and for an item that is there twice.
Expected<std::vector<LinkBandwidth>> parse_bandwidths(const std::string& text);
/// The one that claims are measured at: break-even where it is among them, else the first.
std::size_t claims_place(const std::vector<LinkBandwidth>& bandwidths);
/// For claims that a multiple of the break-even bandwidth cannot settle: the first in MB/s, else claims_place().
std::size_t given_place(const std::vector<LinkBandwidth>& bandwidths);

/// Results at several bandwidths, at least one, as one result: tables of the same title with a column "bandwidth MB/s",
/// by which their plots tell groups apart; timelines and the paper's tables stay as they are. Findings name their
/// bandwidth. What is measured of claims is that of results[claims_at]; a finding says so, and so does each claim
/// (MeasuredClaim::at). Each result has the settings "bandwidth" and "bandwidth MB/s". A single one only gets these.
FigureResult swept(std::vector<FigureResult> results, std::size_t claims_at);

}  // namespace kvantage::inline kvpr_figures
