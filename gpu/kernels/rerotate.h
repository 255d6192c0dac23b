// Moves keys of ragged heads to other positions: rotates them by the position difference, as in
// core/compress/rerotate.cpp.
#pragma once

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

struct Rerotation {
  const float* frequencies = nullptr;  // [pairs]: radians per position
  int pairs = 0;  // channels f and f + pairs rotate together, f < pairs; those after 2 * pairs stay. A multiple of 8
  const std::int32_t* positions = nullptr;  // target positions of rows, of all heads, concatenated; null: the i-th kept
                                            // row of a head moves to position i
  const std::int32_t* first_row = nullptr;  // [heads]: start of a head's rows among the positions, if any
  int max_rows = 0;                         // maximum kept rows of a head
};

/// In place: k' = rotation by (new - old) of k, where old is the row's position in its block; the new one replaces it.
/// The angle is the fp32 product float(new - old) * frequency; cosine, sine and rotation are fp32, the result bf16 to
/// nearest; unmoved rows keep their bits. Compared with the reference: sine and cosine of device and CPU may differ by
/// 3 units in the last place, so elements of a pair (x, y) are within 2^-22 (|x| + |y|) before rounding. They rarely
/// differ in bf16, and then by one unit, except where x and y nearly cancel. Bit-identical in the emulation.
/// rejected_input: pairs that are not a multiple of 8 or exceed half a row.
Status launch_rerotate(const PagedHeads& heads, const Rerotation& rerotation, Stream stream);

/// One head's keys [rows, head_dim] on host memory, from old to new positions.
void rerotate_reference(std::uint16_t* keys, int rows, int head_dim, const float* frequencies, int pairs,
                        const std::int32_t* from, const std::int32_t* to);

}  // namespace kvantage::gpu
