#include "core/trace/trace_summary.h"

#include <algorithm>
#include <cmath>

#include "core/eviction/key_index.h"

namespace kvantage::inline trace {
namespace {

// What is held for each different item is bounded, so that a trace of any length fits in memory.
constexpr std::size_t most_items = std::size_t{1} << 24;    // blocks; contexts
constexpr std::size_t most_lengths = std::size_t{1} << 22;  // of inputs; of outputs

// A histogram of lengths: exact percentiles without a list of all requests.
class TokenCounts {
 public:
  void add(std::uint64_t tokens) {
    const std::uint32_t number = lengths_.number(tokens);
    if (number == times_.size()) times_.push_back(0);
    ++times_[number];
    ++count_;
    total_ += tokens;
  }
  std::size_t distinct() const { return lengths_.size(); }
  TokenSummary summary() const {
    TokenSummary summary;
    if (count_ == 0) return summary;
    std::vector<Times> sorted(times_.size());
    for (std::uint32_t number = 0; number < sorted.size(); ++number)
      sorted[number] = {lengths_.key(number), times_[number]};
    std::ranges::sort(sorted, {}, &Times::tokens);
    summary.total = total_;
    summary.min = sorted.front().tokens;
    summary.max = sorted.back().tokens;
    summary.mean = static_cast<double>(total_) / static_cast<double>(count_);
    summary.p50 = percentile(sorted, 0.50);
    summary.p90 = percentile(sorted, 0.90);
    summary.p99 = percentile(sorted, 0.99);
    return summary;
  }

 private:
  struct Times {
    std::uint64_t tokens = 0, times = 0;
  };

  // Type 7 of Hyndman and Fan, like percentile() in statistics.h.
  double percentile(const std::vector<Times>& sorted, double fraction) const {
    const double h = static_cast<double>(count_ - 1) * fraction;
    const auto below = static_cast<std::uint64_t>(std::floor(h));
    const double low = at(sorted, below), high = at(sorted, std::min(below + 1, count_ - 1));
    return low + (h - std::floor(h)) * (high - low);
  }
  static double at(const std::vector<Times>& sorted, std::uint64_t order) {
    for (const auto& [tokens, times] : sorted) {
      if (order < times) return static_cast<double>(tokens);
      order -= times;
    }
    return 0;
  }

  KeyIndex lengths_;
  std::vector<std::uint64_t> times_;  // by number
  std::uint64_t count_ = 0, total_ = 0;
};

// Blocks and contexts of a trace, with their hits in a cache without a limit: it holds exactly what was seen.
class SeenItems {
 public:
  void add_blocks(std::span<const std::uint64_t> blocks) {
    bool unbroken = true;
    for (const std::uint64_t block : blocks) {
      const std::size_t before = blocks_.size();
      unbroken = blocks_.number(block) < before && unbroken;
      if (unbroken) ++block_hits_.hits;
    }
    block_hits_.all += blocks.size();
  }
  void add_context(std::uint64_t context, std::uint64_t blocks) {
    const std::uint32_t number = contexts_.number(context);
    if (number == weights_.size()) weights_.push_back(0);
    context_hits_.hits += std::min(weights_[number], blocks);
    context_hits_.all += blocks;
    weights_[number] = blocks;
  }
  std::size_t blocks() const { return blocks_.size(); }
  std::size_t contexts() const { return contexts_.size(); }
  const HitCounts& block_hits() const { return block_hits_; }
  const HitCounts& context_hits() const { return context_hits_; }

 private:
  KeyIndex blocks_, contexts_;
  std::vector<std::uint64_t> weights_;  // of contexts by number: blocks of the last request
  HitCounts block_hits_, context_hits_;
};

tl::unexpected<Error> too_many(std::size_t most, const char* what) {
  return fail(ErrorCode::rejected_input, "the trace has more than " + std::to_string(most) + " different " + what +
                                             "; read fewer requests with --limit");
}

double share_seen_before(std::uint64_t all, std::uint64_t distinct) {
  return all == 0 ? 0 : static_cast<double>(all - distinct) / static_cast<double>(all);
}

}  // namespace

Expected<TraceSummary> summarize_trace(TraceReader& trace, std::span<const std::uint64_t> capacities) {
  TraceSummary summary;
  summary.facts = trace.facts();
  std::vector<PrefixLru> prefixes(capacities.begin(), capacities.end());
  std::vector<ContextLru> contexts(capacities.begin(), capacities.end());
  const auto is_unlimited = [&](std::size_t i) { return capacities[i] == LruCache::unlimited; };
  SeenItems seen;
  TokenCounts input, output;
  for (;;) {
    KV_ASSIGN(auto next, trace.next());
    if (!next) break;
    const TraceRequest& request = *next;
    summary.span_seconds = request.arrival_seconds;
    input.add(request.input_tokens);
    output.add(request.output_tokens);
    if (std::max(input.distinct(), output.distinct()) > most_lengths) return too_many(most_lengths, "lengths");
    summary.blocks += request.blocks.size();
    seen.add_blocks(request.blocks);
    if (seen.blocks() > most_items) return too_many(most_items, "blocks");
    for (std::size_t i = 0; summary.facts.names_blocks && i < capacities.size(); ++i)
      if (!is_unlimited(i)) prefixes[i].touch(request.blocks);
    if (!summary.facts.names_contexts) continue;
    const std::uint64_t block_tokens = summary.facts.block_tokens;
    const std::uint64_t blocks = (request.input_tokens + block_tokens - 1) / block_tokens;
    seen.add_context(request.context, blocks);
    if (seen.contexts() > most_items) return too_many(most_items, "contexts");
    for (std::size_t i = 0; i < capacities.size(); ++i)
      if (!is_unlimited(i)) contexts[i].touch(request.context, blocks);
  }
  summary.counts = trace.counts();
  if (!summary.counts.balanced())
    return fail(ErrorCode::internal, "trace: rows read and rows used do not add up; report this with the file");
  if (summary.span_seconds > 0)
    summary.requests_per_second = static_cast<double>(summary.counts.emitted - 1) / summary.span_seconds;
  summary.input = input.summary();
  summary.output = output.summary();
  summary.distinct_blocks = seen.blocks();
  summary.distinct_contexts = summary.facts.names_contexts ? seen.contexts() : summary.counts.emitted;
  summary.block_reuse_share = share_seen_before(summary.blocks, summary.distinct_blocks);
  summary.context_reuse_share = share_seen_before(summary.counts.emitted, summary.distinct_contexts);
  for (std::size_t i = 0; i < capacities.size(); ++i)
    summary.lru.push_back({capacities[i], is_unlimited(i) ? seen.block_hits() : prefixes[i].counts(),
                           is_unlimited(i) ? seen.context_hits() : contexts[i].counts()});
  return summary;
}

}  // namespace kvantage::inline trace
