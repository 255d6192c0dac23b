#include "core/policy/compute_or_load.h"

#include <algorithm>
#include <numeric>

namespace kvantage::inline policy {
namespace {

constexpr double read_ahead_seconds = 0.01;
constexpr double max_core_share = 0.9;   // of a core
constexpr double min_front_gain = 0.25;  // of the first piece's compute time

double sum(const std::vector<double>& seconds, int first, int last) {
  return std::accumulate(seconds.begin() + first, seconds.begin() + last, 0.0);
}

bool is_worth_beginning(double gain, double first_piece_seconds) {
  return gain >= min_front_gain * first_piece_seconds;
}

}  // namespace

const char* to_string(ComputeOrLoad way) {
  switch (way) {
    case ComputeOrLoad::load_only:
      return "load only";
    case ComputeOrLoad::compute_only:
      return "compute only";
    case ComputeOrLoad::both:
      return "both";
  }
  return "";
}

double ComputeOrLoadCosts::seconds(int computed) const {
  const double computing = sum(compute, 0, computed);
  const double loading = computed < pieces() ? latency + sum(load, computed, pieces()) : 0.0;
  return std::max(computing, loading) + sum(unpack, computed, pieces()) + after;
}

ComputeOrLoadCosts compute_or_load_costs(const TierModel& tier, const PrefillModel& prefill,
                                         std::span<const ContextPiece> pieces, double after_seconds,
                                         double intake_seconds_per_byte) {
  const double beside = 1 / (1 - std::clamp(intake_seconds_per_byte * tier.bytes_per_second, 0.0, max_core_share));
  ComputeOrLoadCosts costs;
  costs.latency = tier.latency_seconds;
  costs.after = after_seconds;
  double tokens = 0;
  for (const ContextPiece& piece : pieces) {
    const double before = tokens > 0 ? prefill.seconds(tokens) : 0.0;
    tokens += piece.tokens;
    costs.compute.push_back((prefill.seconds(tokens) - before) * beside);
    costs.load.push_back(piece.bytes / tier.bytes_per_second);
    costs.unpack.push_back(tier.decode_seconds_per_token * piece.kept_tokens);
  }
  return costs;
}

std::optional<ServingWays> serving_ways(std::string_view text) {
  for (const bool hybrid : {true, false})
    for (const bool prefill : {true, false})
      if (const ServingWays ways{hybrid, prefill}; text == to_string(ways)) return ways;
  return {};
}

const char* to_string(const ServingWays& ways) {
  if (ways.hybrid) return ways.prefill ? "auto" : "hybrid";
  return ways.prefill ? "prefill" : "off";
}

ComputeOrLoadPlan plan_compute_or_load(const ComputeOrLoadCosts& costs, std::span<const ContextPiece> pieces,
                                       const ServingWays& ways) {
  if (!ways.hybrid && ways.prefill) return plan_all_or_nothing(costs, pieces);
  ComputeOrLoadPlan plan;
  const int n = costs.pieces();
  plan.load_only_seconds = costs.seconds(0);
  plan.compute_only_seconds = costs.seconds(n);
  plan.seconds = plan.load_only_seconds;
  // All of them in one pass: with pieces of different sizes t(k) need not be convex.
  double computing = 0, loading = sum(costs.load, 0, n), unpacking = sum(costs.unpack, 0, n);
  for (int k = 1; k <= n; ++k) {
    const auto piece = static_cast<std::size_t>(k - 1);
    computing += costs.compute[piece];
    loading -= costs.load[piece];
    unpacking -= costs.unpack[piece];
    const double seconds =
        k < n ? std::max(computing, costs.latency + loading) + unpacking + costs.after : plan.compute_only_seconds;
    if (seconds >= plan.seconds || !(k < n ? ways.hybrid : ways.prefill)) continue;
    plan.seconds = seconds;
    plan.computed_pieces = k;
  }
  if (plan.computed_pieces > 0 && plan.computed_pieces < n &&
      !is_worth_beginning(plan.load_only_seconds - plan.seconds, costs.compute.front())) {
    plan.seconds = plan.load_only_seconds;
    plan.computed_pieces = 0;
  }
  for (const ContextPiece& piece : pieces.first(static_cast<std::size_t>(plan.computed_pieces)))
    plan.computed_tokens += piece.tokens;
  plan.way = plan.computed_pieces == 0   ? ComputeOrLoad::load_only
             : plan.computed_pieces == n ? ComputeOrLoad::compute_only
                                         : ComputeOrLoad::both;
  return plan;
}

ComputeOrLoadPlan plan_all_or_nothing(const ComputeOrLoadCosts& costs, std::span<const ContextPiece> pieces) {
  ComputeOrLoadPlan plan;
  plan.load_only_seconds = plan.seconds = costs.seconds(0);
  plan.compute_only_seconds = costs.seconds(costs.pieces());
  if (plan.compute_only_seconds >= plan.load_only_seconds) return plan;
  plan.way = ComputeOrLoad::compute_only;
  plan.seconds = plan.compute_only_seconds;
  plan.computed_pieces = costs.pieces();
  for (const ContextPiece& piece : pieces) plan.computed_tokens += piece.tokens;
  return plan;
}

double load_alone_seconds(const ComputeOrLoadCosts& costs, int layers) {
  const double load = sum(costs.load, 0, costs.pieces()), after = costs.after + sum(costs.unpack, 0, costs.pieces());
  return costs.latency + pipelined_seconds(load, after, layers);
}

bool beats_loading(const ComputeOrLoadPlan& plan, double load_alone_seconds) {
  return plan.way != ComputeOrLoad::load_only && plan.seconds <= (1 - min_gain) * load_alone_seconds;
}

std::optional<double> hybrid_prefill_seconds(const TierModel& tier, const PrefillModel& prefill,
                                             const HybridServing& serving, int tokens, double bytes, double kept,
                                             double after_seconds) {
  if (tokens <= serving.piece_tokens || serving.piece_tokens <= 0 || serving.layers <= 0) return {};
  // Most tiers load all of it before the first piece is computed: no need to look further.
  if (prefill.seconds(serving.piece_tokens) >= tier.seconds(bytes, kept)) return {};
  std::vector<ContextPiece> pieces;
  pieces.reserve(static_cast<std::size_t>(tokens / serving.piece_tokens + 1));
  for (int at = 0; at < tokens; at += serving.piece_tokens) {
    const int count = std::min(serving.piece_tokens, tokens - at);
    const double share = static_cast<double>(count) / tokens;
    pieces.push_back({count, bytes * share, kept * share});
  }
  const ComputeOrLoadCosts costs =
      compute_or_load_costs(tier, prefill, pieces, after_seconds, serving.intake_seconds_per_byte);
  const ComputeOrLoadPlan plan = plan_compute_or_load(costs, pieces, {.hybrid = true, .prefill = serving.computes_all});
  if (plan.way != ComputeOrLoad::both || !beats_loading(plan, load_alone_seconds(costs, serving.layers))) return {};
  return plan.seconds;
}

SplitController::SplitController(ComputeOrLoadCosts costs, std::optional<int> fixed)
    : costs_(std::move(costs)), fixed_(fixed), back_(costs_.pieces()) {}

double SplitController::compute_free_at(double now) const {
  return computing_since_ ? std::max(now, *computing_since_ + compute_seconds(front_ - 1)) : now;
}

double SplitController::link_free_at(double now) const {
  if (reads_.empty()) return now;
  double free = reads_.front().began + reads_.front().latency + load_seconds(reads_.front().piece);
  free = std::max(free, now);
  for (std::size_t read = 1; read < reads_.size(); ++read) free += load_seconds(reads_[read].piece);
  return free;
}

bool SplitController::front_is_worth_beginning(double now) const {
  const double free = link_free_at(now), begin = free + (reads_.empty() ? costs_.latency : 0.0);
  double computing = now, loading = 0, unpacking = sum(costs_.unpack, 0, back_);
  for (int piece = 0; piece < back_; ++piece) loading += load_seconds(piece);
  const double alone = begin + loading + unpacking;
  double soonest = alone;
  bool computes_all = false;
  for (int piece = 0; piece < back_; ++piece) {
    computing += compute_seconds(piece);
    loading -= load_seconds(piece);
    unpacking -= costs_.unpack[static_cast<std::size_t>(piece)];
    const bool last = piece + 1 == back_;
    const double seconds = std::max(computing, last ? free : begin + loading) + unpacking;
    if (seconds >= soonest) continue;
    soonest = seconds;
    computes_all = last && back_ == costs_.pieces();
  }
  return computes_all || is_worth_beginning(alone - soonest, compute_seconds(0));
}

std::optional<int> SplitController::claim_front(double now) {
  if (all_claimed()) return {};
  if (fixed_ && !loader_over_) {
    if (front_ >= *fixed_) return {};
  } else if (!loader_over_) {
    // When the loader would finish all pieces down to the one after this; this one is added below.
    double others = link_free_at(now) + (reads_.empty() ? costs_.latency : 0.0);
    for (int piece = front_ + 1; piece < back_; ++piece) others += load_seconds(piece);
    if (now + compute_seconds(front_) >=
        others + load_seconds(front_) + costs_.unpack[static_cast<std::size_t>(front_)])
      return {};
    if (front_ == 0 && !front_is_worth_beginning(now)) return {};
  }
  computing_since_ = now;
  return front_++;
}

std::optional<int> SplitController::claim_back(double now) {
  if (all_claimed() || loader_over_ || (reads_.size() >= 2 && link_free_at(now) - now > read_ahead_seconds)) return {};
  const int piece = back_ - 1;
  const double latency = reads_.empty() ? costs_.latency : 0.0;
  if (fixed_) {
    if (piece < *fixed_) return {};
  } else {
    double before = compute_free_at(now);
    for (int other = front_; other < piece; ++other) before += compute_seconds(other);
    const double computing = compute_seconds(piece), free = link_free_at(now);
    // Cap unpacking at the compute time: otherwise both sides might decline a piece.
    const double unpacking = std::min(costs_.unpack[static_cast<std::size_t>(piece)], computing);
    const double taken = std::max(before, free + latency + load_seconds(piece)) + unpacking;
    const double left = std::max(before + computing, reads_.empty() ? 0.0 : free);
    if (taken > left && (front_ > 0 || front_is_worth_beginning(now)))
      return {};  // if computing does not start, only the loader can take it
  }
  reads_.push_back({piece, now, latency});
  back_ = piece;
  return piece;
}

void SplitController::computed(double now) {
  if (!computing_since_) return;
  computed_took_ += now - *computing_since_;
  computed_expected_ += costs_.compute[static_cast<std::size_t>(front_ - 1)];
  computing_since_.reset();
}

void SplitController::loaded(double now) {
  if (reads_.empty()) return;
  const Read read = reads_.front();
  reads_.pop_front();
  loaded_took_ += std::max(0.0, now - read.began - read.latency);
  loaded_expected_ += costs_.load[static_cast<std::size_t>(read.piece)];
  if (!reads_.empty()) reads_.front().began = std::max(now, reads_.front().began);
}

void SplitController::give_back(int piece) {
  back_ = std::max(back_, piece);
  reads_.clear();
  loader_over_ = true;
}

}  // namespace kvantage::inline policy
