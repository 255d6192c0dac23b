#include "ui/models/hit_rate_model.h"

#include <algorithm>

#include "ui/models/words.h"

namespace kvantage {

HitRateModel::HitRateModel(QObject* parent) : QObject(parent) {
  clear();
}

void HitRateModel::clear() {
  totals_.assign(1, Weights{});
  for (auto& sums : sums_) sums.assign(1, Weights{});
  emit changed();
}

void HitRateModel::swap_content(HitRateModel& other) {
  std::swap(sources_, other.sources_);
  std::swap(sums_, other.sums_);
  std::swap(totals_, other.totals_);
  emit changed();
}

void HitRateModel::set_tiers(const std::vector<TierState>& tiers) {
  std::vector<QString> names;
  for (const TierState& tier : tiers) names.push_back(to_q(tier.name));
  names.push_back(QStringLiteral("prefill"));
  if (names == sources_) return;
  std::vector<std::vector<Weights>> sums;
  for (const QString& name : names) {
    const auto known = std::find(sources_.begin(), sources_.end(), name);
    if (known != sources_.end())
      sums.push_back(std::move(sums_[static_cast<std::size_t>(known - sources_.begin())]));
    else
      sums.emplace_back(totals_.size(), Weights{});
  }
  sources_ = std::move(names);
  sums_ = std::move(sums);
  emit changed();
}

void HitRateModel::request_finished(const RequestRecord& record, std::uint64_t full_bytes) {
  if (record.cancelled) return;
  const QString source = to_q(record.source);
  auto found = std::find(sources_.begin(), sources_.end(), source);
  if (found == sources_.end()) {
    const bool has_prefill = !sources_.empty() && sources_.back() == QStringLiteral("prefill");
    const auto at = sources_.size() - (has_prefill ? 1 : 0);
    sums_.insert(sums_.begin() + static_cast<std::ptrdiff_t>(at), std::vector<Weights>(totals_.size(), Weights{}));
    found = sources_.insert(sources_.begin() + static_cast<std::ptrdiff_t>(at), source);
  }
  const bool hit = record.source != "prefill";
  // A partial hit serves its prefix from the tier; the rest was prefilled.
  const double tokens = std::max(1, record.context_tokens);
  const double hit_tokens =
      hit ? (record.prefix_hit_tokens > 0 ? std::min<double>(record.prefix_hit_tokens, tokens) : tokens) : 0;
  const double hit_bytes = hit ? static_cast<double>(record.bytes_loaded) : 0;
  const double prefill_bytes = static_cast<double>(full_bytes) * (1 - hit_tokens / tokens);

  for (auto& sums : sums_) sums.push_back(sums.back());
  totals_.push_back(totals_.back());
  const auto add = [&](std::size_t index, double requests, double token_count, double byte_count) {
    for (Weights* weights : {&sums_[index].back(), &totals_.back()}) {
      (*weights)[by_requests] += requests;
      (*weights)[by_tokens] += token_count;
      (*weights)[by_bytes] += byte_count;
    }
  };
  add(static_cast<std::size_t>(found - sources_.begin()), 1, hit ? hit_tokens : tokens,
      hit ? hit_bytes : prefill_bytes);
  const auto prefill = std::find(sources_.begin(), sources_.end(), QStringLiteral("prefill"));
  if (hit && hit_tokens < tokens && prefill != sources_.end())
    add(static_cast<std::size_t>(prefill - sources_.begin()), 0, tokens - hit_tokens, prefill_bytes);
  emit changed();
}

double HitRateModel::rate(std::size_t source, Measure measure, std::size_t end, int window) const {
  const std::size_t begin =
      window > 0 && end > static_cast<std::size_t>(window) ? end - static_cast<std::size_t>(window) : 0;
  const double total = totals_[end][measure] - totals_[begin][measure];
  return total > 0 ? (sums_[source][end][measure] - sums_[source][begin][measure]) / total : 0;
}

std::vector<QPointF> HitRateModel::series(std::size_t source, Measure measure, int window) const {
  std::vector<QPointF> points;
  if (source >= sums_.size() || requests() == 0) return points;
  const std::size_t n = static_cast<std::size_t>(requests());
  const std::size_t stride = std::max<std::size_t>(1, (n + point_limit - 2) / (point_limit - 1));
  points.reserve(n / stride + 2);
  for (std::size_t end = 1; end <= n; end += stride)
    points.emplace_back(static_cast<double>(end), rate(source, measure, end, window));
  if (points.back().x() < static_cast<double>(n))
    points.emplace_back(static_cast<double>(n), rate(source, measure, n, window));
  return points;
}

double HitRateModel::latest(std::size_t source, Measure measure, int window) const {
  return source >= sums_.size() || requests() == 0
             ? -1
             : rate(source, measure, static_cast<std::size_t>(requests()), window);
}

}  // namespace kvantage
