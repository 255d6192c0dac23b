#include "core/trace/trace_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

namespace kvantage::inline trace {
namespace {

// A histogram of lengths: exact percentiles without a list of all requests.
class TokenCounts {
 public:
  void add(std::uint64_t tokens) {
    ++times_[tokens];
    ++count_;
    total_ += tokens;
  }
  TokenSummary summary() const {
    TokenSummary summary;
    if (count_ == 0) return summary;
    summary.total = total_;
    summary.min = times_.begin()->first;
    summary.max = times_.rbegin()->first;
    summary.mean = static_cast<double>(total_) / static_cast<double>(count_);
    summary.p50 = percentile(0.50);
    summary.p90 = percentile(0.90);
    summary.p99 = percentile(0.99);
    return summary;
  }

 private:
  // Type 7 of Hyndman and Fan, like percentile() in statistics.h.
  double percentile(double fraction) const {
    const double h = static_cast<double>(count_ - 1) * fraction;
    const auto below = static_cast<std::uint64_t>(std::floor(h));
    const double low = at(below), high = at(std::min(below + 1, count_ - 1));
    return low + (h - std::floor(h)) * (high - low);
  }
  double at(std::uint64_t order) const {
    for (const auto& [tokens, times] : times_) {
      if (order < times) return static_cast<double>(tokens);
      order -= times;
    }
    return 0;
  }

  std::map<std::uint64_t, std::uint64_t> times_;
  std::uint64_t count_ = 0, total_ = 0;
};

double share_seen_before(std::uint64_t all, std::uint64_t distinct) {
  return all == 0 ? 0 : static_cast<double>(all - distinct) / static_cast<double>(all);
}

}  // namespace

Expected<TraceSummary> summarize_trace(TraceReader& trace, std::span<const std::uint64_t> capacities) {
  TraceSummary summary;
  summary.facts = trace.facts();
  std::vector<PrefixLru> prefixes(capacities.begin(), capacities.end());
  std::vector<ContextLru> contexts(capacities.begin(), capacities.end());
  std::unordered_set<std::uint64_t> seen_blocks, seen_contexts;
  TokenCounts input, output;
  for (;;) {
    KV_ASSIGN(auto next, trace.next());
    if (!next) break;
    const TraceRequest& request = *next;
    summary.span_seconds = request.arrival_seconds;
    input.add(request.input_tokens);
    output.add(request.output_tokens);
    summary.blocks += request.blocks.size();
    seen_blocks.insert(request.blocks.begin(), request.blocks.end());
    if (summary.facts.names_blocks)
      for (PrefixLru& lru : prefixes) lru.touch(request.blocks);
    if (!summary.facts.names_contexts) continue;
    seen_contexts.insert(request.context);
    const std::uint64_t blocks = (request.input_tokens + trace_block_tokens - 1) / trace_block_tokens;
    for (ContextLru& lru : contexts) lru.touch(request.context, blocks);
  }
  summary.counts = trace.counts();
  if (!summary.counts.balanced())
    return fail(ErrorCode::internal, "trace: rows read and rows used do not add up; report this with the file");
  if (summary.span_seconds > 0)
    summary.requests_per_second = static_cast<double>(summary.counts.emitted - 1) / summary.span_seconds;
  summary.input = input.summary();
  summary.output = output.summary();
  summary.distinct_blocks = seen_blocks.size();
  summary.distinct_contexts = summary.facts.names_contexts ? seen_contexts.size() : summary.counts.emitted;
  summary.block_reuse_share = share_seen_before(summary.blocks, summary.distinct_blocks);
  summary.context_reuse_share = share_seen_before(summary.counts.emitted, summary.distinct_contexts);
  for (std::size_t i = 0; i < capacities.size(); ++i)
    summary.lru.push_back({capacities[i], prefixes[i].counts(), contexts[i].counts()});
  return summary;
}

}  // namespace kvantage::inline trace
