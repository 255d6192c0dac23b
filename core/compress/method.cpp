#include "core/compress/method.h"

#include "core/compress/budgets/budget.h"
#include "core/compress/rerotate.h"
#include "core/compress/scorers/scorer.h"
#include "core/kv/recode.h"

namespace kvantage::inline compression {
namespace {

Status check(const Method& method, double removed_fraction) {
  if (!(removed_fraction >= 0 && removed_fraction < 1))
    return fail(ErrorCode::usage, "removed fraction " + std::to_string(removed_fraction) +
                                      ": not in [0, 1); give the share of tokens to remove");
  if (removed_fraction > 0 && !method.info().removes_tokens)
    return fail(ErrorCode::usage,
                "method '" + method.text() + "': removes no tokens; give a removed fraction of 0 or another method");
  return {};
}

std::string missing(const ObservationNeeds& needs) {
  if (needs.repeat_pass) return "queries of a repeat pass";
  if (needs.calibration) return "means over a calibration text";
  return needs.window_queries == every_query
             ? "queries of all tokens"
             : "queries of the last " + std::to_string(needs.window_queries) + " tokens";
}

Status keep_all_layers(KvCache& cache, const std::vector<KeptIndices>& kept) {
  for (std::size_t l = 0; l < kept.size(); ++l) KV_TRY(cache.keep(static_cast<int>(l), kept[l]));
  return {};
}

}  // namespace

Method::Method(MethodInfo info, std::unique_ptr<const Scorer> scorer, std::unique_ptr<const Budget> budget,
               std::shared_ptr<const Codec> codec)
    : info_(std::move(info)), scorer_(std::move(scorer)), budget_(std::move(budget)), codec_(std::move(codec)) {}

Method::~Method() = default;

Expected<LayerScores> Method::scores(const KvCache& cache, const Observation& observed) const {
  LayerScores result;
  for (int l = 0; l < cache.shape().layers; ++l) KV_TRY(score_layer(cache, observed, result));
  return result;
}

Status Method::score_layer(const KvCache& cache, const Observation& observed, LayerScores& result) const {
  const auto l = static_cast<int>(result.layers.size());
  if (!observed.meets(info_.needs, cache.sequence_length()))
    return fail(ErrorCode::rejected_input, "method '" + text() + "': " + missing(info_.needs) +
                                               " were not observed with this cache; observe the context again");
  KV_ASSIGN(const auto view, view_layer(cache, l, observed, scorer_->needs()));
  const at::Tensor scores = scorer_->score(view).to(at::kFloat).contiguous();
  result.buffer_bytes = std::max(result.buffer_bytes, scorer_->score_buffer_bytes(view));
  auto& heads = result.layers.emplace_back(static_cast<std::size_t>(view.kv_heads));
  const float* at = scores.const_data_ptr<float>();
  for (LayerScores::Head& head : heads) {
    head.scores.assign(at, at + view.tokens);
    at += view.tokens;
    rank(head);
    ++result.sorts;
  }
  return {};
}

std::vector<double> Method::fractions_of(std::span<const double> removed_fractions) const {
  if (!info_.removes_tokens) return {0.0};
  std::vector<double> fractions;
  for (const double fraction : removed_fractions)
    if (fraction > 0) fractions.push_back(fraction);
  return fractions;
}

std::vector<KeptIndices> Method::keep_for(const LayerScores& scores, double removed_fraction) const {
  return budget_->keep(scores, info_.removes_tokens ? removed_fraction : 0.0);
}

Status compress(KvCache& cache, const Observation& observed, const Method& method, double removed_fraction) {
  KV_TRY(check(method, removed_fraction));
  if (removed_fraction == 0) return {};
  KV_ASSIGN(const auto scores, method.scores(cache, observed));
  return keep_all_layers(cache, method.keep_for(scores, removed_fraction));
}

Expected<KvCache> compressed_copy(const KvCache& original, const LayerScores& scores, const Method& method,
                                  double removed_fraction) {
  KV_TRY(check(method, removed_fraction));
  KvCache copy = original.share();
  KV_TRY(keep_all_layers(copy, method.keep_for(scores, removed_fraction)));
  return copy;
}

Expected<KvCache> as_read(KvCache stored, const Method& method, std::span<const float> frequencies,
                          std::vector<std::uint64_t>* encoded_layers) {
  if (method.codec() != nullptr) KV_TRY(recode(stored, *method.codec(), encoded_layers));
  if (!method.info().rerotates) return stored;
  return rerotated(stored, frequencies);
}

bool holds_original(std::string_view method, double removed_fraction) {
  if (removed_fraction != 0) return false;
  const auto parsed = parse_method(method);
  return parsed && (*parsed)->info().lossless && !(*parsed)->info().rerotates;
}

}  // namespace kvantage::inline compression
