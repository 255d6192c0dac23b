// Models of golden cases, tokens for them, and their logits.
#pragma once

#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/model/transformer.h"
#include "core/model/unseen_rows.h"
#include "tests/model/tiny_checkpoint.h"

namespace kvantage::test {

/// Written into `folder` as bf16 or fp32, and loaded. Ends the test where that fails.
inline std::unique_ptr<Transformer> load_golden(const GoldenCase& golden, const QTemporaryDir& folder, bool bf16,
                                                const LoadOptions& options) {
  golden.write(folder.path().toStdString(), bf16);
  LoadOptions with_length = options;
  with_length.max_model_len = golden.json.value("max_model_len", 0);
  auto model = Transformer::load(folder.path().toStdString(), with_length);
  if (!model) qFatal("%s: %s", golden.name.c_str(), model.error().message.c_str());
  return *std::move(model);
}

/// Runs a prefill in chunks of so many tokens; after each step, rows that no later token sees are evicted from its
/// layer, as a request does from whose cache nothing is made. Returns how many.
inline Expected<std::size_t> run_evicting(const Transformer& model, KvCache& cache, PrefillTask& task,
                                          int chunk_tokens) {
  std::size_t rows = 0;
  while (!task.done()) {
    const int layer = task.next_layer(), chunks = task.next_chunk() + 1;
    KV_TRY(task.step());
    const std::int32_t next = std::min(task.first_position() + chunks * chunk_tokens, task.end_position());
    KV_ASSIGN(const std::size_t evicted, evict_unseen_rows(model, cache, layer, next));
    rows += evicted;
  }
  return rows;
}

/// Of the cases or of those of the architectures.
inline GoldenCase golden_of(const std::string& name) {
  return std::filesystem::exists(GoldenCase::folder() / name) ? GoldenCase(name)
                                                              : GoldenCase(name, GoldenCase::architectures());
}

/// Of all tokens, in one prefill: [tokens, vocab]. Ends the test where that fails.
inline std::vector<float> logits_of(Transformer& model, const std::vector<std::int32_t>& tokens) {
  BlockPool pool(model.kv_shape(), 32, std::size_t{64} << 20);
  KvCache cache(pool);
  PrefillTask task(model, cache, tokens, 0, {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::all});
  if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
  return {task.logits().begin(), task.logits().end()};
}

/// Infinite where the sizes differ or a number is none.
inline double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= largest)) largest = std::isnan(difference) ? INFINITY : difference;
  }
  return largest;
}

inline std::vector<std::int32_t> random_tokens(Random& random, std::size_t count, int vocabulary) {
  std::vector<std::int32_t> tokens(count);
  for (std::int32_t& token : tokens)
    token = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocabulary)));
  return tokens;
}

}  // namespace kvantage::test
