// Outcomes of policies made by hand, whose ratios are known, and what a figure says of them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/experiments/evicpress_rules.h"
#include "core/experiments/policy_figures.h"

namespace kvantage::test::policies {

inline PolicyOutcome outcome(std::string policy, double alpha, double seconds, double quality,
                             const std::string& source = "dram") {
  PolicyOutcome made{std::move(policy), alpha, 0.1, 1, {}};
  for (const char* context : {"a", "b"})
    made.samples.push_back({context, context, source, seconds, 0.01, quality, quality + 0.02, seconds + 0.5, 0.02});
  return made;
}

inline std::vector<PolicyOutcome> outcomes() {
  return {outcome("full_prefill", 0, 1.0, 1.0, "prefill"),   outcome("lru", 0, 0.6, 1.0, "ssd"),
          outcome("fixed(keydiff,0.5)", 0, 0.3, 0.8, "ssd"), outcome("fixed(keydiff,0.9)", 0, 0.1, 0.5),
          outcome("evicpress(quality=raw)", 1, 0.2, 0.98),   outcome("evicpress(quality=raw)", 0.1, 0.1, 0.8),
          outcome("evicpress(quality=raw)", 0.01, 0.15, 0.7)};  // dominated by the one before
}

inline std::vector<const PolicyOutcome*> of(const std::vector<PolicyOutcome>& all, const char* prefix) {
  std::vector<const PolicyOutcome*> found;
  for (const auto& one : all)
    if (one.policy.starts_with(prefix)) found.push_back(&one);
  return found;
}

inline PolicyOutcome with_parts(PolicyOutcome made, TtftParts parts) {
  for (PolicySample& sample : made.samples) {
    sample.arrival_to_token_seconds = sample.ttft_seconds;
    sample.parts = parts;
  }
  return made;
}

/// Two points of an extension, which load from DRAM and SSD and compute the context of the slower one.
inline std::vector<PolicyOutcome> with_an_extension() {
  std::vector<PolicyOutcome> all{with_parts(outcome("fixed(keydiff,0.5)", 0, 0.3, 0.8, "ssd"), {.load = 0.25}),
                                 with_parts(outcome("fixed(keydiff,0.9)", 0, 0.1, 0.5), {.load = 0.05}),
                                 outcome("impress(kept=0.5)", 0, 1.2, 0.79, "ssd"),
                                 with_parts(outcome("evicpress(quality=raw)", 1, 0.2, 0.8), {.load = 0.15})};
  for (const auto& [alpha, seconds, quality, context_prefill] :
       {std::tuple{1.0, 0.2, 0.79, 0.1}, {0.1, 0.1, 0.5, 0.0}}) {
    all.push_back(with_parts(outcome("evicpress(drop=best,quality=raw)", alpha, seconds, quality),
                             {.queue = 0.01, .load = 0.02, .context_prefill = context_prefill, .unpack = 0.02}));
    all.back().extension = codecs_extension;
    all.back().samples.back().source = "ssd";
    all.back().samples.back().parts->load = 0.06;
  }
  return all;
}

inline const PaperFigure& named(const char* name) { return *find_paper_figure(name); }

/// A request for context "a" from the first source, one for "b" from the second; all of one quality.
inline PolicyOutcome served_by(std::string policy, double budget, const std::string& a, const std::string& b) {
  PolicyOutcome made = outcome(std::move(policy), 1, 0.1, 1, a);
  made.samples[1].source = b;
  made.budget_fraction = budget;
  return made;
}

/// Of both requests, a context in chunks.
inline PolicyOutcome read_by_need(PolicyOutcome made, ChunkReads first, ChunkReads second) {
  made.samples[0].chunks = first;
  made.samples[1].chunks = second;
  return made;
}

inline std::optional<MeasuredSpan> measured(const FigureResult& figure, const std::string& claim) {
  const auto found = std::ranges::find(figure.measured, "evicpress/" + claim, &MeasuredClaim::claim);
  return found == figure.measured.end() ? std::nullopt : std::optional(found->measured);
}

inline bool says(const FigureResult& figure, const std::string& text) {
  return std::ranges::find(figure.findings, text) != figure.findings.end();
}

}  // namespace kvantage::test::policies
