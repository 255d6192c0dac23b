// A model that computes nothing: its rows, queries and next tokens are hashed from tokens, and every step takes what a
// cost table says. What it answers hangs on every row that it reads, so that one wrong byte in a cache shows in an
// answer. It computes in a Transformer's stead (core/model/model_device.h); of that only the shape counts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/model/model_device.h"
#include "core/model/random_opt.h"

namespace kvantage::test {

/// Seconds.
struct ModelCosts {
  double prefill_per_token_layer = 10e-6;
  double prefill_per_step = 50e-6;  // one layer of one chunk
  double decode_per_sequence = 1e-3;
  double decode_per_step = 2e-3;
};

class HashedModel final : public ModelDevice {
 public:
  /// pass: lets so many seconds pass for the thread that computes.
  HashedModel(const Transformer& model, std::function<void(double)> pass, ModelCosts costs)
      : config_(model.config()), shape_(model.kv_shape()), pass_(std::move(pass)), costs_(costs) {}

  std::string description() const override { return "hashed rows, simulated"; }
  int numerics_version() const override { return 1'000'000; }
  std::unique_ptr<ModelDevice::Prefill> prefill(KvCache& cache, std::vector<std::int32_t> tokens, std::int32_t first,
                                                const PrefillOptions& options) override {
    return std::make_unique<Pass>(*this, cache, std::move(tokens), first, options);
  }
  Expected<std::vector<float>> decode(std::span<const DecodeSequence> sequences) override {
    pass_(costs_.decode_per_step + costs_.decode_per_sequence * static_cast<double>(sequences.size()));
    std::vector<float> logits;
    for (const DecodeSequence& sequence : sequences)
      if (sequence.hooks != nullptr) KV_TRY(append(sequence));
    for (const DecodeSequence& sequence : sequences) {
      if (sequence.hooks != nullptr) KV_TRY(call_hooks(sequence));
      const std::vector<float> next =
          logits_of(mixed(static_cast<std::uint64_t>(sequence.token), static_cast<std::uint64_t>(sequence.position),
                          sequence.cache->kept_rows()));
      logits.insert(logits.end(), next.begin(), next.end());
      sequence.cache->set_sequence_length(sequence.position + 1);
    }
    return logits;
  }
  bool calls_hooks() const override { return true; }
  ModelDeviceGauges gauges() const override { return {"simulated", 0, 0, {}, {}}; }

 private:
  /// Numbers from 1/2 to 2 of either sign, by token, position, layer and side: [tokens, kv_heads, head_dim].
  std::vector<std::byte> rows(int layer, std::span<const std::int32_t> tokens, std::int32_t first,
                              std::uint64_t side) const {
    const auto width = static_cast<std::size_t>(shape_.kv_heads * shape_.head_dim);
    std::vector<std::uint16_t> numbers;
    numbers.reserve(tokens.size() * width);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      Random random(mixed(static_cast<std::uint64_t>(tokens[t]), static_cast<std::uint64_t>(first) + t,
                          static_cast<std::uint64_t>(layer) * 2 + side));
      for (std::size_t i = 0; i < width; i += 4) {
        const std::uint64_t bits = random.next();
        for (std::size_t j = 0; j < 4; ++j)
          numbers.push_back(static_cast<std::uint16_t>(0x3F00U | (bits >> (16 * j) & 0x80FFU)));
      }
    }
    const auto bytes = std::as_bytes(std::span(numbers));
    return {bytes.begin(), bytes.end()};
  }
  Status append(KvCache& cache, int layer, std::span<const std::int32_t> tokens, std::int32_t first) const {
    std::vector<std::int32_t> positions;
    for (std::size_t t = 0; t < tokens.size(); ++t) positions.push_back(first + static_cast<std::int32_t>(t));
    return cache.append(layer, rows(layer, tokens, first, 0), rows(layer, tokens, first, 1), positions);
  }
  /// A decoded token's rows, of all layers or, where the pool is full, of none: the step is then asked for again.
  Status append(const DecodeSequence& sequence) const {
    for (int layer = 0; layer < shape_.layers; ++layer) {
      if (sequence.cache->sequence_length() > sequence.position) return {};  // by the step that failed for another one
      const Status appended = append(*sequence.cache, layer, {&sequence.token, 1}, sequence.position);
      if (appended) continue;
      sequence.cache->truncate(sequence.position);
      return appended;
    }
    sequence.cache->set_sequence_length(sequence.position + 1);
    return {};
  }
  Status call_hooks(const DecodeSequence& sequence) const {
    std::vector<float> queries(static_cast<std::size_t>(config_.heads * config_.head_dim));
    for (int layer = 0; layer < shape_.layers; ++layer) {
      Random random(mixed(static_cast<std::uint64_t>(sequence.token), static_cast<std::uint64_t>(sequence.position),
                          static_cast<std::uint64_t>(layer)));
      for (float& number : queries) number = static_cast<float>(random.uniform() - 0.5);
      KV_TRY(sequence.hooks->after_layer(*sequence.cache, layer, queries));
    }
    return {};
  }

  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return derive_seed(derive_seed(a, b), c);
  }

  /// One answer in ten ends here.
  std::vector<float> logits_of(std::uint64_t hash) const {
    std::vector<float> logits(static_cast<std::size_t>(config_.vocab_size), 0.0F);
    const auto words = static_cast<std::uint64_t>(std::min(config_.vocab_size, word_limit));
    const bool ends = hash % 10 == 0 && !config_.eos_ids.empty();
    logits[ends ? static_cast<std::size_t>(config_.eos_ids.front()) : 16 + (hash >> 8) % (words - 16)] = 1.0F;
    return logits;
  }

  std::uint64_t digest_of(const KvCache& cache) const {
    std::uint64_t digest = 0;
    std::vector<std::byte> rows;
    for (int layer = 0; layer < shape_.layers; ++layer)
      for (int head = 0; head < shape_.kv_heads; ++head) {
        const auto kept = static_cast<std::size_t>(cache.kept(layer, head));
        const std::size_t half = kept * static_cast<std::size_t>(shape_.head_dim) * bytes_of(shape_.type);
        std::vector<std::int32_t> positions(kept);
        rows.resize(2 * half);
        cache.gather_head(layer, head, rows.data(), rows.data() + half, positions.data());
        digest = mixed(digest, checksum_of(rows), checksum_of(std::as_bytes(std::span(positions))));
      }
    return digest;
  }

  class Pass final : public ModelDevice::Prefill {
   public:
    Pass(HashedModel& model, KvCache& cache, std::vector<std::int32_t> tokens, std::int32_t first,
         const PrefillOptions& options)
        : model_(model), cache_(cache), tokens_(std::move(tokens)), first_(first), options_(options) {}

    Status step(int layer, int chunk) override {
      const auto total = static_cast<int>(tokens_.size());
      const int begin = chunk * options_.chunk_tokens, end = std::min(total, begin + options_.chunk_tokens);
      model_.pass_(model_.costs_.prefill_per_step + model_.costs_.prefill_per_token_layer * (end - begin));
      if (!options_.rows_may_stay) KV_TRY(append(layer, begin, end));
      if (layer + 1 < model_.config_.layers) return {};
      cache_.set_sequence_length(first_ + end);
      if (end < total && options_.logits != PrefillLogits::all) return {};
      if (options_.logits == PrefillLogits::none) return {};
      const std::uint64_t rows = options_.rows_may_stay ? model_.digest_of(cache_) : cache_.kept_rows();
      for (int t = options_.logits == PrefillLogits::all ? begin : end - 1; t < end; ++t) {
        const auto position = static_cast<std::uint64_t>(first_ + t);
        const auto next =
            model_.logits_of(mixed(static_cast<std::uint64_t>(tokens_[static_cast<std::size_t>(t)]), position, rows));
        logits_.insert(logits_.end(), next.begin(), next.end());
      }
      return {};
    }
    std::vector<float> take_logits() override { return std::move(logits_); }
    WindowQueries take_window_queries() override {
      WindowQueries queries;
      if (options_.window_queries <= 0) return queries;
      queries.heads = model_.config_.heads;
      queries.window = std::min(options_.window_queries, static_cast<int>(tokens_.size()));
      for (int layer = 0; layer < model_.config_.layers; ++layer) {
        std::vector<float>& of = queries.layers.emplace_back();
        Random random(mixed(static_cast<std::uint64_t>(tokens_.back()), static_cast<std::uint64_t>(layer), 3));
        for (int i = 0; i < queries.heads * queries.window * model_.config_.head_dim; ++i)
          of.push_back(static_cast<float>(random.uniform() - 0.5));
      }
      return queries;
    }

   private:
    Status append(int layer, int begin, int end) {
      const auto part =
          std::span(tokens_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
      return model_.append(cache_, layer, part, first_ + begin);
    }

    HashedModel& model_;
    KvCache& cache_;
    std::vector<std::int32_t> tokens_;
    std::int32_t first_;
    PrefillOptions options_;
    std::vector<float> logits_;
  };

  static constexpr int word_limit = 2048;  // what it answers in: every one is in the tokenizer

  const ModelConfig& config_;
  KvShape shape_;
  std::function<void(double)> pass_;
  ModelCosts costs_;
};

/// A checkpoint of two narrow layers that knows the words of the tokenizer in `tokenizer_folder`.
inline Status write_hashed_model(const std::filesystem::path& folder, const std::filesystem::path& tokenizer_folder,
                                 int vocab) {
  KV_TRY(write_random_opt(folder, {.hidden = 64, .heads = 2, .layers = 2, .ffn = 64, .vocab = vocab, .positions = 2048},
                          1));
  for (const char* file : {"tokenizer.json", "tokenizer_config.json"})
    std::filesystem::copy_file(tokenizer_folder / file, folder / file,
                               std::filesystem::copy_options::overwrite_existing);
  return {};
}

}  // namespace kvantage::test
