// Whether a model answers better than by chance: the gate of every comparison of qualities.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/report.h"

namespace kvantage::inline report {

/// What the held-out answers of some runs say of the model, for reports and comparisons alike.
struct ChanceGate {
  enum class Finding : std::uint8_t {
    unscored,   // no answer has this metric
    above,      // uncompressed caches answer better than answers to other questions would: the 95 % interval of the
                // differences, drawn by context, is above 0
    not_above,  // they do not
    unknown,    // chance was not measured
    zero        // chance was not measured, and every answer of an uncompressed cache has 0
  };
  Finding finding = Finding::unscored;
  double uncompressed = 0, chance = 0;  // means of the same requests; chance: of above and not_above
  bool single_questions = false;        // without chance: no family has a second question, so there is no other answer

  /// Qualities cannot be compared.
  bool closed() const { return finding == Finding::not_above || finding == Finding::zero; }
};

ChanceGate chance_gate(const std::vector<const PolicyRun*>& runs, const std::string& metric);
/// "chance unknown: one question a family"; empty where it is known or nothing was scored.
std::string unknown_chance_text(const ChanceGate& gate);
/// What a reader has to know of the qualities of a report, whose rows are of these runs: what they rest on and, of
/// several rows, whether chance is unknown.
std::vector<std::string> quality_notes(const RunReport& report, const std::vector<const PolicyRun*>& runs,
                                       const std::string& metric);

}  // namespace kvantage::inline report
