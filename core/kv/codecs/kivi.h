// KIVI (arXiv 2402.02750): keys quantised per channel over groups of consecutive kept tokens, values per token over
// groups of channels, the newest tokens as held.
#pragma once

#include <memory>

#include "core/kv/codecs/codec.h"
#include "core/model/kernels/isa.h"

namespace kvantage {

struct KiviSettings {
  int bits = 4;        // 8, 4 or 2
  int residual = 128;  // R: keys keep their count mod R newest as held, values the R newest; 0: all are quantised
  int group = 32;      // tokens (keys) or channels (values) that share a scale and a minimum
};

/// The codec on a given instruction set; every one makes the same bytes.
std::shared_ptr<const Codec> make_kivi(const KiviSettings& settings, Isa isa);

}  // namespace kvantage
