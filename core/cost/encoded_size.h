// How large the entries of a method with a codec are, before one is built: what a policy asks room for.
//
// Sizes rise in a sawtooth: rows are plain until a group of them is full. From tooth to tooth they rise evenly, so a
// line is above them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/compress/method.h"
#include "core/policy/fits.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline cost {

/// Bytes of the entry of a context of so many tokens, none of them removed; nothing: they depend on the rows' values.
using BytesOfTokens = std::function<std::optional<std::uint64_t>(int tokens)>;

/// A line above these sizes, of a model with so many layers. period: of the sawtooth, in tokens.
std::optional<EncodedSize> line_above(const BytesOfTokens& entry, int layers, int period);

/// Of a method's entries on a model of this shape, whose heads keep at most so many rows in a layer, [layers]; 0: all
/// rows. Layers with a limit count as full, so that shorter texts get too high a size. Nothing: the method has no
/// codec, or one whose size is not known before it encodes or that leaves more than the 512 newest rows plain.
std::optional<EncodedSize> encoded_size(const KvShape& shape, std::span<const int> max_rows, const Method& method);

/// Of a method's entries on this model, rows that windows keep included.
std::optional<EncodedSize> encoded_size(const ModelRuntime& runtime, const Method& method);

}  // namespace kvantage::inline cost
