// Decode-offload as a setting, one text: the tier that holds the KV cache of a request while its answer is decoded, and
// how each step obtains it (KVPR). "ssd", "ssd(split=load_only)", "ssd(resident=inputs)" or "none".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/policy/partial_recompute.h"

namespace kvantage::inline ports {

/// What of a context's front stays in memory, so that nothing is read for it. inputs: the layer inputs of as many
/// tokens as a split would recompute (the paper's row schedule); if that is all of the context, those of later tokens,
/// too. keys_values: keys and values of the front in the same bytes, to compare with.
enum class ResidentFront : std::uint8_t { nothing, inputs, keys_values };
inline constexpr std::array resident_fronts{ResidentFront::nothing, ResidentFront::inputs, ResidentFront::keys_values};
/// "none", "inputs", "kv"
const char* to_string(ResidentFront front);

inline constexpr std::array weight_loadings{WeightLoading::resident, WeightLoading::keys_values_first,
                                            WeightLoading::whole};
/// "resident", "kv_first", "all_first"
const char* to_string(WeightLoading loading);

/// How requests that answer at the same time decode. separate: each continues when its bytes have arrived. column: they
/// go through each layer together, and its matrices are read once for all of them (the paper's column-by-column order).
enum class OffloadBatch : std::uint8_t { separate, column };
inline constexpr std::array offload_batches{OffloadBatch::separate, OffloadBatch::column};
/// "separate", "column"
const char* to_string(OffloadBatch batch);

struct DecodeOffloadSetting {
  std::string tier = {};
  /// solved: l for the least time. load_only: 0. recompute_only: every token whose layer inputs are kept.
  SplitMode split = SplitMode::solved;
  ResidentFront resident = ResidentFront::nothing;
  std::string codec = {};  // of keys and values on the tier, text form; empty: not encoded
  /// Whether each pass reads the model's matrices from the tier, too, layer by layer: W_K and W_V first, so that
  /// recomputation need not wait for the others, or all of them first.
  WeightLoading weights = WeightLoading::resident;
  OffloadBatch batch = OffloadBatch::separate;

  /// Whether it reads layer inputs from the tier (the column schedule): these must be shorter than keys and values.
  bool reads_inputs() const { return split != SplitMode::load_only && resident == ResidentFront::nothing; }

  /// Canonical text without what is at its default.
  std::string text() const;
  bool operator==(const DecodeOffloadSetting&) const = default;
};

/// Nothing for "none". usage error that names what is wrong; whether the tier exists is checked by validate(), whether
/// the codec does, when it is applied.
Expected<std::optional<DecodeOffloadSetting>> parse_decode_offload(std::string_view text);

}  // namespace kvantage::inline ports
