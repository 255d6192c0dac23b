#include "core/compress/method.h"

#include <numeric>

#include "core/compress/budgets/budget.h"
#include "core/compress/channels.h"
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
  if (needs.hidden_states) return "hidden states of all tokens";
  if (needs.output_norms) return "norms of projected values";
  return needs.window_queries == every_query
             ? "queries of all tokens"
             : "queries of the last " + std::to_string(needs.window_queries) + " tokens";
}

bool passes_windows(const LayerScores& scores) {
  for (std::size_t l = 0; l < scores.layers.size(); ++l)
    if (scores.passes_window(l)) return true;
  return false;
}

/// The budget is for the other layers, as in kvpress; those with a window that the text has passed keep its tokens.
/// Where nothing is removed, they keep what they hold, so that uncompressed rows stay at their places.
std::vector<KeptIndices> keep_beside_windows(const Method& method, const LayerScores& scores, double removed_fraction) {
  LayerScores others;
  others.rows = scores.rows;
  others.layers.reserve(scores.layers.size());
  for (std::size_t l = 0; l < scores.layers.size(); ++l)
    if (!scores.passes_window(l)) others.layers.push_back(scores.layers[l]);
  std::vector<KeptIndices> of_others, kept;
  if (!others.layers.empty()) of_others = method.keep_for(others, removed_fraction);
  kept.reserve(scores.layers.size());
  for (std::size_t l = 0, next = 0; l < scores.layers.size(); ++l) {
    if (!scores.passes_window(l)) {
      kept.push_back(std::move(of_others[next++]));
      continue;
    }
    const std::size_t tokens = scores.layers[l].front().scores.size();
    const std::size_t seen = removed_fraction > 0 ? static_cast<std::size_t>(scores.windows[l]) : tokens;
    std::vector<std::int32_t> newest(std::min(seen, tokens));
    std::iota(newest.begin(), newest.end(), static_cast<std::int32_t>(tokens - newest.size()));
    kept.emplace_back(scores.layers[l].size(), newest);
  }
  return kept;
}

/// Of a layer that is not scored. rejected_input: its heads hold different numbers of tokens.
Expected<std::vector<LayerScores::Head>> unscored_heads(const KvCache& cache, int layer) {
  const auto tokens = static_cast<std::size_t>(cache.kept(layer, 0));
  std::vector<LayerScores::Head> heads(static_cast<std::size_t>(cache.shape().kv_heads));
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (tokens == 0 || static_cast<std::size_t>(cache.kept(layer, static_cast<int>(h))) != tokens)
      return fail(ErrorCode::rejected_input,
                  "cache layer " + std::to_string(layer) +
                      ": its heads hold different numbers of tokens or none; score the original cache");
    heads[h].scores.assign(tokens, 0);
    heads[h].ranks.resize(tokens);
    std::iota(heads[h].ranks.begin(), heads[h].ranks.end(), 0);
  }
  return heads;
}

/// The rows of [kv_heads, tokens] as floats.
std::vector<float> row_of_head(const at::Tensor& rows, std::size_t head) {
  const at::Tensor row = rows[static_cast<std::int64_t>(head)].to(at::kFloat).contiguous();
  return {row.const_data_ptr<float>(), row.const_data_ptr<float>() + row.numel()};
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
  if (!observed.forms.windows.empty() && info_.rerotates)
    return fail(ErrorCode::rejected_input,
                "method '" + text() +
                    "': it moves kept keys together, which layers with a sliding window do not allow; "
                    "choose another method");
  if (!observed.forms.windows.empty() && scorer_->scores_again())
    return fail(ErrorCode::rejected_input,
                "method '" + text() +
                    "': it scores layers again for each fraction, which models with a sliding window "
                    "do not support; choose another method");
  result.windows = observed.forms.windows;
  result.length = cache.sequence_length();
  const std::int32_t seen = result.windows.empty() ? 0 : result.windows[static_cast<std::size_t>(l)];
  if (seen > 0 && result.length > seen) return add_unscored_layer(cache, observed, result);
  KV_ASSIGN(const auto view, view_layer(cache, l, observed, scorer_->needs()));
  KV_ASSIGN(const at::Tensor scored, scorer_->try_score(view));
  const at::Tensor scores = scored.to(at::kFloat).contiguous();
  result.buffer_bytes = std::max(result.buffer_bytes, scorer_->score_buffer_bytes(view));
  auto& heads = result.layers.emplace_back(static_cast<std::size_t>(view.kv_heads));
  const float* at = scores.const_data_ptr<float>();
  for (LayerScores::Head& head : heads) {
    head.scores.assign(at, at + view.tokens);
    at += view.tokens;
    rank(head);
    ++result.sorts;
  }
  if (const at::Tensor weights = scorer_->weights(view); weights.defined())
    for (std::size_t h = 0; h < heads.size(); ++h) heads[h].weights = row_of_head(weights, h);
  if (scorer_->scores_again() && result.rows == nullptr)
    result.rows = std::make_shared<const ScoredRows>(ScoredRows{cache.share(), observed.frequencies});
  const int window = codec_ == nullptr ? 0 : codec_->channel_window();
  if (window > 0) {
    KV_ASSIGN(const auto last, view_layer(cache, l, observed, {.window_queries = window}));
    const at::Tensor squares = last.queries.square().mean(at::IntArrayRef{1, 2});  // [kv_heads, head_dim]
    for (std::size_t h = 0; h < heads.size(); ++h) heads[h].query_squares = row_of_head(squares, h);
  }
  return {};
}

Status Method::add_unscored_layer(const KvCache& cache, const Observation& observed, LayerScores& result) const {
  if (codec_ != nullptr && codec_->layer_input_share() > 0)
    return fail(ErrorCode::rejected_input,
                "method '" + text() +
                    "': it stores layers with all their tokens, and a text longer than a layer's sliding window leaves "
                    "only those that later ones see; choose another method");
  const auto layer = static_cast<int>(result.layers.size());
  KV_ASSIGN(auto heads, unscored_heads(cache, layer));
  if (const int window = codec_ == nullptr ? 0 : codec_->channel_window(); window > 0) {
    KV_ASSIGN(const at::Tensor last, newest_queries(cache, layer, observed.queries, window));
    const at::Tensor squares = last.square().mean(at::IntArrayRef{1, 2});  // [kv_heads, head_dim]
    for (std::size_t h = 0; h < heads.size(); ++h) heads[h].query_squares = row_of_head(squares, h);
  }
  result.layers.push_back(std::move(heads));
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
  if (!info_.removes_tokens) removed_fraction = 0;
  if (passes_windows(scores)) return keep_beside_windows(*this, scores, removed_fraction);
  if (removed_fraction <= 0 || !scorer_->depends_on_fraction()) return budget_->keep(scores, removed_fraction);
  LayerScores at_fraction = scores;
  scorer_->score_at(removed_fraction, at_fraction);
  for (auto& heads : at_fraction.layers)
    for (LayerScores::Head& head : heads) rank(head);
  return budget_->keep(at_fraction, removed_fraction);
}

Status Method::cut_layer(KvCache& cache, int layer, const LayerScores& scores, const KeptIndices& kept) const {
  KV_TRY(cache.keep(layer, kept));
  const int pruned = codec_ == nullptr ? 0 : codec_->pruned_channels(cache.shape().head_dim);
  if (pruned == 0) return {};
  return prune_key_channels(cache, layer, scores.layers[static_cast<std::size_t>(layer)], pruned);
}

Status compress(KvCache& cache, const Observation& observed, const Method& method, double removed_fraction) {
  KV_TRY(check(method, removed_fraction));
  const bool prunes = method.codec() != nullptr && method.codec()->pruned_channels(cache.shape().head_dim) > 0;
  if (removed_fraction == 0 && !prunes) return {};
  KV_ASSIGN(auto scores, method.scores(cache, observed));
  const std::vector<KeptIndices> kept = method.keep_for(scores, removed_fraction);
  scores.rows.reset();  // the cache is no longer shared
  for (std::size_t l = 0; l < kept.size(); ++l) KV_TRY(method.cut_layer(cache, static_cast<int>(l), scores, kept[l]));
  return {};
}

Expected<KvCache> compressed_copy(const KvCache& original, const LayerScores& scores, const Method& method,
                                  double removed_fraction) {
  KV_TRY(check(method, removed_fraction));
  KvCache copy = original.share();
  const std::vector<KeptIndices> kept = method.keep_for(scores, removed_fraction);
  for (std::size_t l = 0; l < kept.size(); ++l) KV_TRY(method.cut_layer(copy, static_cast<int>(l), scores, kept[l]));
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
  const auto parsed = parse_stored_method(method);
  return parsed && (*parsed)->info().lossless && !(*parsed)->info().rerotates;
}

}  // namespace kvantage::inline compression
