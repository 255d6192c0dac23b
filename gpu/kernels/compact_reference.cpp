#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gpu/kernels/compact.h"

namespace kvantage::gpu {

void compact_reference(const SlotMoves& moves) {
  const auto dim = static_cast<std::size_t>(moves.before.head_dim);
  for (int head = 0; head < moves.before.heads; ++head) {
    const int first = moves.first_copy[head], end = moves.first_copy[head + 1];
    const bool staged = moves.first_staged != nullptr && moves.first_staged[head] >= 0;
    std::vector<std::uint16_t> keys, values;
    std::vector<std::int32_t> positions;
    const auto read = [&](int copy) {
      const int slot = moves.from[copy];
      keys.insert(keys.end(), moves.before.key(head, slot), moves.before.key(head, slot) + dim);
      values.insert(values.end(), moves.before.value(head, slot), moves.before.value(head, slot) + dim);
      positions.push_back(*moves.before.position(head, slot));
    };
    if (staged)
      for (int copy = first; copy < end; ++copy) read(copy);
    for (int copy = first; copy < end; ++copy) {
      if (!staged) read(copy);
      const auto row = static_cast<std::size_t>(copy - first);
      const int slot = moves.to[copy];
      std::copy_n(keys.data() + row * dim, dim, moves.after.key(head, slot));
      std::copy_n(values.data() + row * dim, dim, moves.after.value(head, slot));
      *moves.after.position(head, slot) = positions[row];
    }
  }
}

Status check_moves(const SlotMoves& moves) {
  for (int head = 0; head < moves.before.heads; ++head) {
    const bool staged = moves.first_staged != nullptr && moves.first_staged[head] >= 0;
    std::set<const void*> written;
    for (int copy = moves.first_copy[head]; copy < moves.first_copy[head + 1]; ++copy) {
      const std::string which =
          "compact: copy " + std::to_string(copy - moves.first_copy[head]) + " of head " + std::to_string(head);
      if (!staged && written.contains(moves.before.position(head, moves.from[copy])))
        return fail(ErrorCode::internal, which + " reads what an earlier one has written");
      if (!written.insert(moves.after.position(head, moves.to[copy])).second)
        return fail(ErrorCode::internal, which + " writes where an earlier one has");
    }
  }
  return {};
}

}  // namespace kvantage::gpu
