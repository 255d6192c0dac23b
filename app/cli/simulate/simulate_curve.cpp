#include "app/cli/simulate/simulate_curve.h"

#include "app/cli/trace_counts.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/simulator/miss_ratio_curve.h"

namespace kvantage::cli {

Expected<FigureResult> miss_ratio_figure(const CurveRequest& asked) {
  KV_ASSIGN(auto trace, open_trace(asked.trace, asked.options));
  const TraceFacts& facts = trace->facts();
  const bool blocks = asked.mode == "blocks" || (asked.mode == "auto" && facts.names_blocks);
  if (blocks && !facts.names_blocks)
    return fail(ErrorCode::usage,
                "--mode blocks: a trace in " + std::string(facts.format) + " has no prefix blocks; choose contexts");
  MissRatioCurve curve(asked.samples);
  for (;;) {
    KV_ASSIGN(const auto request, trace->next());
    if (!request) break;
    if (blocks)
      for (const std::uint64_t block : request->blocks) curve.touch(block);
    else
      curve.touch(request->context, (request->input_tokens + facts.block_tokens - 1) / facts.block_tokens);
  }
  KV_TRY(check_any_request(asked.trace.string(), trace->counts()));
  FigureTable table{"LRU miss ratio by capacity", {"capacity (blocks)", "miss ratio"}, {}};
  for (const MissRatio& point : curve.curve()) table.rows.push_back({point.capacity, point.miss_ratio});
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines, .x = "capacity (blocks)", .y = {"miss ratio"}};
  FigureResult result;
  result.figure = "simulate/mrc";
  result.title = "Miss ratio curve of an LRU cache";
  result.paper = "SHARDS (Waldspurger et al. 2015)";
  result.settings = {{"trace", valid_utf8(asked.trace.filename().string())},
                     {"format", facts.format},
                     {"mode", blocks ? "prefix blocks" : "whole contexts"},
                     {"tokens of a block", facts.block_tokens},
                     {"requests", trace->counts().emitted},
                     {"touches", curve.touches()},
                     {"sampling rate", curve.rate()}};
  result.provenance = Provenance::simulated;
  result.tables = {std::move(table)};
  if (blocks)
    result.findings.emplace_back(
        "a block counts as a hit where it is cached, also behind a missing one, so hit rates of prefixes are lower");
  return result;
}

}  // namespace kvantage::cli
