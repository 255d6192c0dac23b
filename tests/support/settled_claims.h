// What a figure's result says about a claim of the papers, by the claims that the program ships.
#pragma once

#include <string>

#include "core/experiments/claims.h"
#include "tests/support/test_model.h"

namespace kvantage::test {

/// "agrees", "contradicts: smaller", ...; "none" where the result has no verdict on it.
inline std::string verdict_of(FigureResult result, const std::string& claim, bool disturbed = false) {
  static const auto claims = read_claims(source_directory() / "resources" / "claims.json");
  if (!claims) return claims.error().message;
  settle_claims(result, *claims, disturbed);
  for (const FigureTable& table : result.tables)
    for (const auto& row : table.rows)
      if (table.title == claims_title && row.front() == claim) return row.back().get<std::string>();
  return "none";
}

}  // namespace kvantage::test
