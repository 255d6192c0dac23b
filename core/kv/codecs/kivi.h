// KIVI (arXiv 2402.02750): keys quantized per channel over groups of consecutive kept tokens, values per token over
// groups of channels, the newest tokens unquantized.
#pragma once

#include <memory>

#include "core/kv/codecs/codec.h"
#include "core/model/kernels/isa.h"

namespace kvantage::inline codecs {

struct KiviSettings {
  int bits = 4;        // 8, 4 or 2
  int residual = 128;  // R: keys leave their newest (count mod R) rows unquantized, values the newest R; 0: all are
                       // quantized
  int group = 32;      // tokens (keys) or channels (values) that share a scale and a minimum
};

/// The codec for a given instruction set; all of them produce the same bytes.
std::shared_ptr<const Codec> make_kivi(const KiviSettings& settings, Isa isa);

}  // namespace kvantage::inline codecs
