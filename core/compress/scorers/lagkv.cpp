#include <ATen/ATen.h>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// How much a token stands out against the next partition of the context (Liang et al. 2025). After `sinks` tokens the
/// context is split into partitions of `lag`. Keys and values of a partition are scaled by each channel's minimum and
/// maximum in the next one. s = rank within the partition of the mean over keys and values of softmax(standard
/// deviation over channels), with `cross` that mean itself. Sinks, the last whole partition and what follows it stay.
class LagKv final : public Scorer {
 public:
  LagKv(int sinks, int lag, bool cross) : sinks_(sinks), lag_(lag), cross_(cross) {}
  ScorerNeeds needs() const override { return {.keys = true, .values = true}; }
  at::Tensor score(const LayerView& view) const override {
    at::Tensor scores = at::ones({view.kv_heads, view.tokens});
    const std::int64_t behind = view.tokens - sinks_;
    if (behind < 2 * lag_) {  // no partition to compare with: recency decides, as in kvpress
      if (behind > 0) scores.slice(1, sinks_).copy_(at::arange(behind, at::kFloat) / static_cast<double>(behind));
      return scores;
    }
    const std::int64_t parts = behind / lag_;
    const at::Tensor mean = (spread(view.keys, parts) + spread(view.values, parts)) / 2;
    const at::Tensor within = cross_
                                  ? mean
                                  : at::argsort(at::argsort(mean, std::int64_t{-1}), std::int64_t{-1}).to(at::kFloat) /
                                        static_cast<double>(lag_);
    scores.slice(1, sinks_, sinks_ + (parts - 1) * lag_).copy_(within.flatten(1));
    return scores;
  }

 private:
  at::Tensor spread(const at::Tensor& rows, std::int64_t parts) const {
    const at::Tensor all = rows.slice(1, sinks_, sinks_ + parts * lag_).view({rows.size(0), parts, lag_, rows.size(2)});
    const at::Tensor next = all.slice(1, 1), part = all.slice(1, 0, parts - 1);
    const at::Tensor least = next.amin(2, true), most = next.amax(2, true);
    return at::softmax(((part - least) / (most - least)).std(-1), -1);
  }

  int sinks_, lag_;
  bool cross_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_lagkv(const Parameters& parameters) {
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 4096));
  KV_ASSIGN(const auto lag, parameters.integer("lag", 2, 65536));
  const auto cross = parameters.word("cross", {"no", "yes"});
  if (!cross) return tl::unexpected(cross.error());
  return std::make_unique<LagKv>(sinks, lag, *cross == "yes");
}

}  // namespace kvantage::inline scorers
