// A context of the default model, stored uncompressed or compressed, for tests and benches of compute-or-load.
#pragma once

#include <QtTest>

#include <algorithm>
#include <memory>

#include "core/compress/method.h"
#include "core/kv/serial.h"
#include "core/load/load_or_compute.h"
#include "core/model/generate.h"
#include "core/runtime/model_runtime.h"
#include "core/runtime/observing.h"
#include "tests/kvpr/kvpr_testing.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"

namespace kvantage::test {

struct StoredForm {
  std::shared_ptr<const EntryHeader> header;
  std::shared_ptr<const std::vector<std::byte>> entry;
  std::unique_ptr<KvCache> cache;  // what was stored
};

class StoredContexts {
 public:
  std::unique_ptr<ModelRuntime> runtime;
  std::vector<std::int32_t> tokens;
  std::vector<std::vector<std::int32_t>> questions;
  std::unique_ptr<KvCache> original;

  /// sentences: of facts; the model's own prompt goes around them.
  StoredContexts(int sentences, int chunk_tokens, int max_tokens = 1 << 20) {
    runtime =
        ModelRuntime::load(model_directory(), {.prefill_chunk_tokens = chunk_tokens, .name = {}, .load = {}}).value();
    const Workload workload = small_workload(1, sentences, 21, /*ask_every=*/std::max(1, sentences / 4));
    tokens = runtime->prompt->encode_context(workload.contexts[0].text);
    if (tokens.size() > static_cast<std::size_t>(max_tokens)) tokens.resize(static_cast<std::size_t>(max_tokens));
    for (const WorkloadQuestion& question : workload.questions)
      questions.push_back(runtime->prompt->encode_question(question.question));
    original = std::make_unique<KvCache>(*runtime->pool);
    PrefillTask task(*runtime->model, *original, tokens, 0,
                     {.chunk_tokens = chunk_tokens, .window_queries = 64, .logits = PrefillLogits::none});
    if (!task.run()) qFatal("prefill");
    observed_ = observation_of(*runtime, task.take_window_queries());
  }

  StoredForm store(const std::string& method_text, double removed_fraction) const {
    const auto method = parse_method(method_text).value();
    StoredForm form;
    form.cache = std::make_unique<KvCache>(original->share());
    if (removed_fraction > 0) {
      const auto scores = method->scores(*original, observed_).value();
      *form.cache = compressed_copy(*original, scores, *method, removed_fraction).value();
    }
    EntryHeader header;
    header.identity = runtime->identity;
    header.token_ids = tokens;
    header.compression.method = method->text();
    header.compression.removed_fraction = removed_fraction;
    if (method->codec() != nullptr) header.compression.codec = method->codec()->text();
    form.entry = std::make_shared<const std::vector<std::byte>>(serialize(*form.cache, header, nullptr).value());
    form.header = std::make_shared<const EntryHeader>(std::move(header));
    return form;
  }

  /// The first answers to the questions, each over a cache of its own.
  std::vector<std::vector<std::int32_t>> answers(const KvCache& cache) const {
    std::vector<std::vector<std::int32_t>> all;
    for (const auto& question : questions) {
      KvCache asked = cache.share();
      all.push_back(
          generate(*runtime->model, asked, question,
                   {.max_tokens = 4, .stop_tokens = {}, .sampling = {}, .chunk_tokens = runtime->chunk_tokens()})
              .value()
              .tokens);
    }
    return all;
  }

 private:
  Observation observed_;
};

inline void write_or_fail(StorageTier& tier, const StoredForm& form,
                          std::shared_ptr<const std::vector<std::byte>> entry = nullptr) {
  if (entry == nullptr) entry = form.entry;
  CompletionQueue done(tier.clock());
  tier.submit_write({.key = form.header->key(),
                     .bytes = entry->size(),
                     .header_bytes = form.header->header_bytes,
                     .label = "context"},
                    entry, done);
  for (;;)
    for (const Completion& completion : done.wait(1)) {
      if (!completion.status) qFatal("%s", completion.status.error().message.c_str());
      return;
    }
}

/// The first row that differs, or nothing.
inline QString difference(const KvCache& a, const KvCache& b) {
  if (a.sequence_length() != b.sequence_length())
    return QString("lengths %1 and %2").arg(a.sequence_length()).arg(b.sequence_length());
  const KvShape& shape = a.shape();
  const std::size_t row = shape.bytes_per_head_token() / 2;
  for (int layer = 0; layer < shape.layers; ++layer)
    for (int h = 0; h < shape.kv_heads; ++h) {
      const auto rows = static_cast<std::size_t>(a.kept(layer, h));
      if (a.kept(layer, h) != b.kept(layer, h))
        return QString("layer %1, head %2: %3 and %4 rows")
            .arg(layer)
            .arg(h)
            .arg(a.kept(layer, h))
            .arg(b.kept(layer, h));
      std::vector<std::byte> keys[2], values[2];
      std::vector<std::int32_t> positions[2];
      const KvCache* caches[] = {&a, &b};
      for (int which = 0; which < 2; ++which) {
        keys[which].resize(rows * row);
        values[which].resize(rows * row);
        positions[which].resize(rows);
        caches[which]->gather_head(layer, h, keys[which].data(), values[which].data(), positions[which].data());
      }
      if (positions[0] != positions[1]) return QString("layer %1, head %2: positions").arg(layer).arg(h);
      for (std::size_t i = 0; i < rows; ++i)
        if (!std::equal(&keys[0][i * row], &keys[0][i * row] + row, &keys[1][i * row]) ||
            !std::equal(&values[0][i * row], &values[0][i * row] + row, &values[1][i * row]))
          return QString("layer %1, head %2: row of token %3").arg(layer).arg(h).arg(positions[0][i]);
    }
  return {};
}

}  // namespace kvantage::test
