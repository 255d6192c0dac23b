#include "core/workload/families/split.h"

#include "core/base/digest.h"

namespace kvantage::inline text_families {

KeySplit split_of_pair(std::string_view first, std::string_view second) {
  constexpr std::uint64_t held_out_one_in = 10;
  const Digest128 digest = DigestBuilder().add(first).add(second).finish();
  return digest.low % held_out_one_in == 0 ? KeySplit::held_out : KeySplit::training;
}

}  // namespace kvantage::inline text_families
