// Keys of ragged heads move to other positions: rotary embedding turned on by the difference, as
// core/compress/rerotate.cpp does it.
#pragma once

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

struct Rerotation {
  const float* frequencies = nullptr;  // [pairs]: radians a position
  int pairs = 0;  // channels f and f + pairs turn together, f < pairs; those behind 2 * pairs stay. Whole eights
  const std::int32_t* positions =
      nullptr;  // to which rows move, of all heads, one behind the other; null: the i-th kept of a head to position i
  const std::int32_t* first_row = nullptr;  // [heads]: where a head's begin among the positions, where there are any
  int most_rows = 0;                        // no head keeps more
};

/// In place: k' = rotation by (new - old) of k, old the row's position in its block, and the new one is written there.
/// The angle is the fp32 product float(new - old) * frequency; cosine, sine and rotation are fp32, the result bf16 to
/// nearest; rows that stay where they are keep their bits. Against the twin: sine and cosine of the device and of the
/// processor may differ by 3 of their last bits, so elements of a pair (x, y) lie within 2^-22 (|x| + |y|) before they
/// are rounded: rarely another bf16, and then the next, but where x and y nearly cancel. Same bits in the emulation.
/// rejected_input: pairs that are no whole eights or more than half a row.
Status launch_rerotate(const PagedHeads& heads, const Rerotation& rerotation, Stream stream);

/// One head's keys [rows, head_dim] on host memory, from old to new positions.
void rerotate_twin(std::uint16_t* keys, int rows, int head_dim, const float* frequencies, int pairs,
                   const std::int32_t* from, const std::int32_t* to);

}  // namespace kvantage::gpu
