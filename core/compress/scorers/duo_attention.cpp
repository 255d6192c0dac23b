#include <ATen/ATen.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// A number in [0, 1] per KV head, [layers][kv_heads], and the digest of the file they are from.
struct HeadPattern {
  std::vector<std::vector<float>> heads;
  std::string digest;
};

/// full_attention_heads.tsv of DuoAttention: a line per layer, tabs between KV heads.
Expected<HeadPattern> read_pattern(const std::string& path) {
  constexpr std::uint64_t max_pattern_bytes = 16 << 20;
  KV_ASSIGN(const auto text, read_text_file(path, max_pattern_bytes));
  HeadPattern pattern{{}, digest_of(text).hex()};
  for (const char *at = text.data(), *const end = at + text.size(); at < end;) {
    const char* const line_end = std::find(at, end, '\n');
    std::vector<float> row;
    while (at < line_end) {
      double number = 0;
      const auto [next, error] = std::from_chars(at, line_end, number);
      if (error != std::errc{} || !std::isfinite(number))
        return fail(ErrorCode::rejected_input,
                    path + ": line " + std::to_string(pattern.heads.size() + 1) +
                        " is not a row of numbers; give the full_attention_heads.tsv of DuoAttention");
      row.push_back(static_cast<float>(std::clamp(number, 0.0, 1.0)));
      for (at = next; at < line_end && (*at == '\t' || *at == ' ' || *at == '\r');) ++at;
    }
    at = line_end + (line_end < end ? 1 : 0);
    if (row.empty()) continue;
    if (!pattern.heads.empty() && row.size() != pattern.heads.front().size())
      return fail(ErrorCode::rejected_input, path + ": line " + std::to_string(pattern.heads.size() + 1) + " has " +
                                                 std::to_string(row.size()) + " heads and the first one " +
                                                 std::to_string(pattern.heads.front().size()));
    pattern.heads.push_back(std::move(row));
  }
  if (pattern.heads.empty()) return fail(ErrorCode::rejected_input, path + ": holds no rows");
  return pattern;
}

/// Retrieval and streaming heads (Xiao et al. 2024): the removed fraction is the share of KV heads that stream, those
/// with the lowest numbers in the pattern. They keep the first `sinks` and the last `recent` tokens, the others
/// everything. Scores: 2 for those tokens, else the head's number.
class DuoAttention final : public Scorer {
 public:
  enum class Pattern { file, context, random };
  DuoAttention(Pattern kind, HeadPattern pattern, int sinks, int recent, int seed)
      : kind_(kind), pattern_(std::move(pattern)), sinks_(sinks), recent_(recent), seed_(seed) {}
  ScorerNeeds needs() const override {
    if (kind_ != Pattern::context) return {};
    return {.keys = true, .positions = true, .window_queries = every_query};
  }
  bool chooses() const override { return true; }
  bool depends_on_fraction() const override { return true; }
  std::string file_digest() const override { return pattern_.digest; }

  at::Tensor score(const LayerView& view) const override { return try_score(view).value(); }
  Expected<at::Tensor> try_score(const LayerView& view) const override {
    const auto layer = static_cast<std::size_t>(view.layer), heads = static_cast<std::size_t>(view.kv_heads);
    std::vector<float> numbers;
    if (kind_ == Pattern::file) {
      if (pattern_.heads.size() <= layer || pattern_.heads[layer].size() != heads)
        return fail(ErrorCode::rejected_input,
                    "method 'duo_attention': the pattern has " + std::to_string(pattern_.heads.size()) + " layers of " +
                        std::to_string(pattern_.heads.front().size()) + " heads, and layer " + std::to_string(layer) +
                        " of this model has " + std::to_string(heads) + "; give the pattern made for this model");
      numbers = pattern_.heads[layer];
    } else if (kind_ == Pattern::random) {
      Random random(derive_seed(static_cast<std::uint64_t>(seed_), layer));
      for (std::size_t h = 0; h < heads; ++h) numbers.push_back(static_cast<float>(random.uniform()));
    } else {
      numbers = areas(view);
    }
    at::Tensor scores = at::full({view.kv_heads, view.tokens}, 2.0F);
    if (const auto [first, last] = between(view.tokens); first < last)
      for (std::size_t h = 0; h < heads; ++h)
        scores[static_cast<std::int64_t>(h)].slice(0, first, last).fill_(numbers[h]);
    return scores;
  }

  void score_at(double removed_fraction, LayerScores& scores) const override {
    const auto [first, last] = between(static_cast<std::int64_t>(scores.tokens()));
    std::vector<LayerScores::Head*> heads;
    for (auto& layer : scores.layers)
      for (LayerScores::Head& head : layer) heads.push_back(&head);
    const auto number = [at = static_cast<std::size_t>(first)](const LayerScores::Head* head) {
      return at < head->scores.size() ? head->scores[at] : 0.0F;
    };
    std::ranges::stable_sort(heads, {}, number);
    // Rounded to even, as Python rounds.
    const double streaming = std::nearbyint(static_cast<double>(heads.size()) * removed_fraction);
    for (std::size_t i = 0; i < heads.size(); ++i)
      for (std::size_t t = 0; t < heads[i]->scores.size(); ++t) {
        const auto token = static_cast<std::int64_t>(t);
        const bool goes = static_cast<double>(i) < streaming && token >= first && token < last;
        heads[i]->scores[t] = goes ? 0.0F : 1.0F;
      }
  }

 private:
  /// Tokens [first, last) are those that streaming heads drop.
  std::pair<std::int64_t, std::int64_t> between(std::int64_t tokens) const {
    return {std::min<std::int64_t>(sinks_, tokens), tokens - recent_};
  }

  /// kvpress' estimate for models without a published pattern, here from the context itself: mean query and key before
  /// RoPE stand at 500 positions; the area under the last query's cumulated attention, mean over the group. Low: it
  /// looks at near tokens alone.
  static std::vector<float> areas(const LayerView& view) {
    constexpr std::int64_t positions = 500;
    const std::int64_t dim = view.keys.size(2), half = dim / 2;
    const at::Tensor queries = before_rope(view.queries, view.positions[0], view.frequencies).mean(2);
    const at::Tensor keys = before_rope(view.keys, view.positions, view.frequencies).mean(1).unsqueeze(1);
    // The last query sees a key at a distance of 499, 498, ..., 0 positions.
    const at::Tensor distances = at::arange(positions - 1, -1, -1, at::kFloat).unsqueeze(1) * view.frequencies;
    const at::Tensor q_re = queries.slice(2, 0, half), q_im = queries.slice(2, half), k_re = keys.slice(2, 0, half),
                     k_im = keys.slice(2, half);
    const at::Tensor along = q_re * k_re + q_im * k_im, across = q_re * k_im - q_im * k_re;  // [kv_heads, group, half]
    const at::Tensor logits =
        at::matmul(along, distances.cos().t()) + at::matmul(across, distances.sin().t());  // [kv_heads, group, 500]
    const at::Tensor attention = at::softmax(logits / std::sqrt(static_cast<double>(dim)), -1);
    const at::Tensor area = attention.cumsum(-1).mean(-1).mean(1).to(at::kFloat).contiguous();
    return {area.const_data_ptr<float>(), area.const_data_ptr<float>() + area.numel()};
  }

  Pattern kind_;
  HeadPattern pattern_;
  int sinks_, recent_, seed_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_duo_attention(const Parameters& parameters) {
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 65536));
  KV_ASSIGN(const auto recent, parameters.integer("recent", 1, 65536));
  KV_ASSIGN(const auto seed, parameters.integer("seed", 0, 1'000'000'000));
  const std::string pattern = parameters.text("pattern"), digest = parameters.text("digest");
  auto kind = DuoAttention::Pattern::context;
  HeadPattern read;
  if (pattern == "random") {
    kind = DuoAttention::Pattern::random;
  } else if (pattern != "context") {
    kind = DuoAttention::Pattern::file;
    KV_ASSIGN(read, read_pattern(pattern));
    if (digest != "any" && digest != read.digest)
      return fail(ErrorCode::usage, pattern + ": its digest is " + read.digest + " and not " + digest +
                                        ": the file has changed since; give it without a digest to use it as it is");
  }
  return std::make_unique<DuoAttention>(kind, std::move(read), sinks, recent, seed);
}

}  // namespace kvantage::inline scorers
