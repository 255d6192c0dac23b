#include "tiers/entry_writing.h"

#include <algorithm>
#include <cstring>

#include "tiers/mapped_memory.h"

namespace kvantage::inline tiers {

std::optional<Transfer> EntryWriting::next() {
  if (complete() || cancelled_ || !scratch_.has_free()) return std::nullopt;
  const std::span<std::byte> slot = scratch_.take();
  std::size_t filled = 0;
  for (std::span<const std::byte>* source : {&header_, &entry_}) {
    const std::size_t step = std::min(source->size(), slot.size() - filled);
    if (step > 0) std::memcpy(slot.data() + filled, source->data(), step);
    *source = source->subspan(step);
    filled += step;
  }
  const std::size_t padded = round_up_to_page(filled);
  std::memset(slot.data() + filled, 0, padded - filled);
  const Transfer transfer{offset_, slot.first(padded)};
  offset_ += padded;
  return transfer;
}

Status EntryWriting::done(std::size_t /*index*/) {
  scratch_.give_back();
  return {};
}

}  // namespace kvantage::inline tiers
