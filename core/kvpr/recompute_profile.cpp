#include "core/kvpr/recompute_profile.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/fits/fits.h"
#include "core/kvpr/layer_rows.h"

namespace kvantage::inline kvpr {
namespace {

constexpr int rounds = 3;

double profile_median(std::vector<double> numbers) { return percentile(std::move(numbers), 0.5); }

/// Erases its entry on destruction.
struct TimingEntry {
  StorageTier& tier;
  Digest128 key;
  ~TimingEntry() { (void)tier.erase(key); }
};

/// Device time of one read of the first `bytes`.
Expected<double> read_once(StorageTier& tier, BufferLender& lender, const Digest128& key, const ReadExtent& extent) {
  KV_ASSIGN(auto buffer, lender.lease(extent.bytes));
  std::vector<std::unique_ptr<LeasedBuffer>> buffers;
  buffers.push_back(std::move(buffer));
  CompletionQueue done(tier.clock());
  tier.submit_read(key, {extent}, std::move(buffers), done);
  for (;;)
    for (const Completion& completion : done.wait(1)) {
      KV_TRY(completion.status);
      return completion.device_seconds;
    }
}

/// For one layer, and one more token.
std::size_t layer_pool_bytes(const KvShape& shape, int tokens) {
  return static_cast<std::size_t>(tokens + 192) * static_cast<std::size_t>(shape.kv_heads) *
             (shape.bytes_per_head_token() + 64) +
         (std::size_t{16} << 20);
}

/// `rows`: of a chunk, keys or values.
Status take_rows_in(KvCache& cache, int layer, const std::vector<std::byte>& rows, int tokens, int chunk_tokens) {
  for (int first = 0; first < tokens; first += chunk_tokens) {
    const int count = std::min(chunk_tokens, tokens - first);
    const auto part = std::span(rows).first(static_cast<std::size_t>(count) * layer_row_bytes(cache.shape()) / 2);
    KV_TRY(append_rows(cache, layer, part, part, first, count));
  }
  return {};
}

}  // namespace

Expected<TierModel> profile_link(StorageTier& tier, BufferLender& lender, std::uint64_t max_bytes) {
  max_bytes = std::max<std::uint64_t>(max_bytes / 4096, 4) * 4096;
  auto bytes = std::make_shared<std::vector<std::byte>>(max_bytes);
  for (std::size_t i = 0; i < bytes->size(); ++i) (*bytes)[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  PackedLayer packed;
  packed.layer.key = digest_of("timing of a link");
  packed.bytes = bytes;
  KV_TRY(write_and_wait(tier, packed));
  const TimingEntry entry{tier, packed.layer.key};
  std::vector<double> sizes, seconds;
  for (const std::uint64_t part : {4, 2, 1})
    for (int round = 0; round < rounds; ++round) {
      ReadExtent extent{.offset = 0, .bytes = max_bytes / part / 4096 * 4096, .pieces = {}};
      extent.pieces = {{0, extent.bytes, checksum_of(std::span(*bytes).first(extent.bytes))}};
      KV_ASSIGN(const auto took, read_once(tier, lender, packed.layer.key, extent));
      sizes.push_back(static_cast<double>(extent.bytes));
      seconds.push_back(took);
    }
  const Line line = robust_line(sizes, seconds, {0, profile_median(seconds) / profile_median(sizes)});
  return TierModel{.latency_seconds = line.intercept,
                   .bytes_per_second = line.slope > 0 ? 1 / line.slope : TierFit::fastest,
                   .decode_seconds_per_token = 0,
                   .residual_seconds = 0};
}

Expected<RecomputeRate> profile_recompute(Transformer& model, int chunk_tokens, const Clock& clock) {
  KvRecompute recompute(model, chunk_tokens);
  std::vector<std::byte> inputs(static_cast<std::size_t>(chunk_tokens) *
                                layer_input_bytes(model));  // zeros: as fast as any other values
  std::vector<double> tokens, seconds;
  for (const int chunks : {1, 2, 4, 8}) {
    std::vector<double> took;
    for (int round = 0; round < 5; ++round) {
      const double start = clock.seconds();
      for (int chunk = 0; chunk < chunks; ++chunk)
        KV_TRY(recompute.run((round + chunk) % model.config().layers, inputs, chunk * chunk_tokens, chunk_tokens));
      took.push_back(clock.seconds() - start);
    }
    tokens.push_back(chunks * chunk_tokens);
    seconds.push_back(profile_median(took));
  }
  const Line line = robust_line(tokens, seconds, {0, seconds.back() / tokens.back()});
  return RecomputeRate{line.intercept, line.slope};
}

Expected<double> profile_rest(Transformer& model, int tokens, int chunk_tokens, const Clock& clock) {
  const KvShape shape = model.kv_shape();
  BlockPool pool(shape, 64, layer_pool_bytes(shape, tokens));
  KvCache cache(pool);
  const std::vector<std::byte> rows(static_cast<std::size_t>(chunk_tokens) * layer_row_bytes(shape) / 2);
  std::vector<double> took;
  for (int round = 0; round < rounds; ++round) {
    DecodeTask task(model, cache, 0, tokens);
    const double start = clock.seconds();
    for (int layer = 0; layer < shape.layers; ++layer) {
      KV_TRY(take_rows_in(cache, layer, rows, tokens, chunk_tokens));
      KV_TRY(task.step());
      clear_layer(cache, layer);
    }
    took.push_back((clock.seconds() - start) / shape.layers);
  }
  return profile_median(took);
}

Expected<double> profile_taking_in(const Transformer& model, int tokens, int chunk_tokens, const Clock& clock) {
  const KvShape shape = model.kv_shape();
  BlockPool pool(shape, 64, layer_pool_bytes(shape, tokens));
  KvCache cache(pool);
  const std::vector<std::byte> rows(static_cast<std::size_t>(chunk_tokens) * layer_row_bytes(shape) / 2);
  std::vector<double> took;
  for (int round = 0; round <= rounds; ++round) {
    const double start = clock.seconds();
    for (int layer = 0; layer < shape.layers; ++layer) {
      KV_TRY(take_rows_in(cache, layer, rows, tokens, chunk_tokens));
      clear_layer(cache, layer);
    }
    if (round > 0)
      took.push_back((clock.seconds() - start) / shape.layers);  // the first one touches memory for the first time
  }
  return profile_median(took);
}

Expected<RecomputeProfile> profile_recomputation(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                 int tokens, int chunk_tokens) {
  KV_ASSIGN(const auto link,
            profile_link(tier, lender, static_cast<std::uint64_t>(tokens) * layer_row_bytes(model.kv_shape())));
  KV_ASSIGN(const auto rate, profile_recompute(model, chunk_tokens, tier.clock()));
  KV_ASSIGN(const auto rest, profile_rest(model, tokens, chunk_tokens, tier.clock()));
  return RecomputeProfile{link, rate, rest};
}

}  // namespace kvantage::inline kvpr
