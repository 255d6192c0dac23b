// A plain decode as the reference of decodes from a slower tier, a profile under which they split, and what tests of
// such decodes share.
#pragma once

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "core/kvpr/offloaded_decode.h"
#include "tests/kvpr/kvpr_testing.h"
#include "tests/model/tiny_checkpoint.h"

namespace kvantage::test {

constexpr int chunk = 8;
constexpr int decoded = 30;

inline std::unique_ptr<Transformer> load_golden(const GoldenCase& golden, const QTemporaryDir& folder, bool bf16) {
  const std::filesystem::path path =
      std::filesystem::path(folder.path().toStdString()) / (golden.name + (bf16 ? "_bf16" : ""));
  std::filesystem::create_directories(path);
  golden.write(path, bf16);
  auto model = Transformer::load(path);
  if (!model) qFatal("%s", model.error().message.c_str());
  return std::move(*model);
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// Greedy tokens, and the logits before each of them and behind the last.
struct Decoded {
  std::vector<std::int32_t> tokens;
  std::vector<std::vector<float>> logits;
};

inline Decoded plainly(Transformer& model, const std::vector<std::int32_t>& prompt) {
  BlockPool pool(model.kv_shape(), 32, std::size_t{64} << 20);
  KvCache cache(pool);
  PrefillTask task(model, cache, prompt, 0, {.chunk_tokens = chunk});
  if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
  Decoded all;
  std::vector<float> logits(task.logits().begin(), task.logits().end());
  for (int i = 0; i < decoded; ++i) {
    all.logits.push_back(logits);
    all.tokens.push_back(greedy(logits));
    if (const auto status =
            model.decode(cache, all.tokens.back(), static_cast<std::int32_t>(prompt.size()) + i, logits);
        !status)
      qFatal("%s", status.error().message.c_str());
  }
  all.logits.push_back(logits);
  return all;
}

/// The cache of a plain prefill, and the layer inputs recorded meanwhile.
struct PrefilledWithInputs {
  PrefilledWithInputs(Transformer& model, const std::vector<std::int32_t>& prompt)
      : pool(model.kv_shape(), 32, std::size_t{64} << 20), cache(pool), inputs(model, static_cast<int>(prompt.size())) {
    PrefillTask task(model, cache, prompt, 0, {.chunk_tokens = chunk, .logits = PrefillLogits::none});
    const CaptureLayerInputs capture(model, inputs);
    if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
  }
  BlockPool pool;
  KvCache cache;
  LayerInputs inputs;
};

/// A link and a rate at which about half is recomputed.
inline RecomputeProfile half(const Transformer& model) {
  const RecomputeShape shape = recompute_shape(model);
  return {{0, shape.kv_bytes_per_token() / 1e-5, 0, 0}, {0, 1.5e-5}, 0};  // k = 10 us, c = 15 us per token
}

/// A decode over this prefill, written to the tier: its splits are half(), its pages have 4 tokens.
inline std::unique_ptr<OffloadedDecode> decode_over(Transformer& model, const PrefilledWithInputs& prefilled,
                                                    StorageTier& tier, BufferLender& lender, SplitMode mode,
                                                    std::shared_ptr<const ResidentRows> resident = nullptr) {
  auto written = OffloadedPrompt::write(model, prefilled.cache, prefilled.inputs, prefilled.inputs.tokens(), chunk,
                                        *RowCodec::make(model.kv_shape(), nullptr), tier, "context");
  if (!written) qFatal("%s", written.error().message.c_str());
  auto decode = OffloadedDecode::begin(model, lender, std::move(*written),
                                       {.page_tokens = 4,
                                        .mode = mode,
                                        .profile = half(model),
                                        .name = "answer",
                                        .frozen = true,
                                        .resident = std::move(resident)});
  if (!decode) qFatal("%s", decode.error().message.c_str());
  return std::move(*decode);
}

/// Bytes of a block on a tier.
inline std::uint64_t padded_block(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

/// Rows of data, for each model with and without `choice`: splits that are solved, and those that recompute all.
/// Columns: "name", `choice`, "mode".
inline void add_recomputing_rows(std::initializer_list<const char*> names, const char* choice, const char* with,
                                 const char* without) {
  QTest::addColumn<QString>("name");
  QTest::addColumn<bool>(choice);
  QTest::addColumn<int>("mode");
  for (const char* name : names)
    for (const bool chosen : {false, true})
      for (const SplitMode mode : {SplitMode::solved, SplitMode::recompute_only})
        QTest::addRow("%s, %s, %s", name, chosen ? with : without,
                      mode == SplitMode::solved ? "solved" : "recompute only")
            << QString(name) << chosen << static_cast<int>(mode);
}

}  // namespace kvantage::test
