#include "tiers/ssd/segment_scan.h"

#include <algorithm>

#include "tiers/mapped_memory.h"
#include "tiers/ssd/segment_entry.h"

namespace kvantage::inline ssd {
namespace {

constexpr std::size_t window_bytes = std::size_t{1} << 20;

}  // namespace

Status scan_segment(std::uint64_t first, std::uint64_t length, const ReadSegment& read, const NextData& next_data,
                    const FoundHeader& found) {
  KV_ASSIGN(auto window, MappedMemory::map(window_bytes, false));
  MappedMemory long_header;
  length = round_down_to_page(length);
  std::uint64_t begin = first, end = first;  // the window's range
  for (std::uint64_t at = first; at < length;) {
    if (at >= end || at < begin) {
      if (const std::uint64_t data = round_down_to_page(next_data(at)); data > at) {
        at = data;
        continue;
      }
      begin = at;
      // An entry is usually followed by another: read one page first, and more only past non-entries.
      const std::uint64_t ahead = at == end && at != first ? window_bytes : page_bytes;
      end = at + std::min(ahead, length - at);
      KV_TRY(read(begin, window.bytes().first(end - begin)));
    }
    const auto page = window.bytes().subspan(at - begin, page_bytes);
    const auto header_bytes = peek_store_header(page);
    std::uint64_t step = page_bytes;
    if (header_bytes && at + *header_bytes <= length) {
      std::span<std::byte> bytes = page;
      if (*header_bytes > page_bytes) {  // a label longer than a page
        KV_ASSIGN(auto memory, MappedMemory::map(*header_bytes, false));
        long_header = std::move(memory);
        bytes = long_header.bytes().first(*header_bytes);
        KV_TRY(read(at, bytes));
      }
      auto header = decode_store_header(bytes);
      if (!header && header.error().code == ErrorCode::rejected_input) return tl::unexpected(std::move(header).error());
      if (header && at + SegmentEntry::bytes_on_disk(*header) <= length) {
        const std::uint64_t whole = SegmentEntry::bytes_on_disk(*header);
        KV_ASSIGN(const auto there, found(std::move(*header), at));
        if (there) step = whole;
      }
    }
    at += step;
  }
  return {};
}

}  // namespace kvantage::inline ssd
