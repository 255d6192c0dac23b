// links: tiers_ssd tiers
// A segment file with store headers whose checksums fit: the scan stays inside, and finds what an entry can have.
#include "tests/fuzz/fuzzing.h"
#include "tiers/mapped_memory.h"
#include "tiers/ssd/segment_entry.h"
#include "tiers/ssd/segment_scan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  auto bytes = test::bytes_of(data, size);
  bytes.resize(round_up_to_page(bytes.size()));
  for (std::size_t at = 0; at < bytes.size(); at += page_bytes) {
    const auto page = std::span(bytes).subspan(at);
    const auto length = peek_store_header(std::span<const std::byte>(page).first(page_bytes));
    if (length && *length <= page.size()) test::mend_checksum(page, *length - sizeof(std::uint64_t));
  }
  const auto read = [&bytes](std::uint64_t offset, std::span<std::byte> target) -> Status {
    test::must_hold(offset % page_bytes == 0 && offset + target.size() <= bytes.size(), "a scan stays in the segment");
    std::memcpy(target.data(), bytes.data() + offset, target.size());
    return {};
  };
  const auto found = [&bytes](const StoreHeader& header, std::uint64_t offset) -> Expected<bool> {
    test::must_hold(offset + SegmentEntry::bytes_on_disk(header) <= bytes.size(), "an entry is in the segment");
    test::must_hold(plausible(header), "an entry has the lengths of one");
    return header.sequence % 2 == 0;
  };
  const auto no_holes = [](std::uint64_t offset) { return offset; };
  if (const Status scanned = scan_segment(0, bytes.size(), read, no_holes, found); !scanned)
    test::check_refusal(scanned.error());
  return 0;
}
