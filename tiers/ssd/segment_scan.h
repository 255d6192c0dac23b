// Segments can be read without an index: every entry starts with its store header on a page boundary, and headers of
// removed entries are wiped. For rebuilding a lost index and for inspecting a folder externally.
#pragma once

#include <functional>

#include "tiers/store_header.h"

namespace kvantage::inline ssd {

/// Bytes [offset, offset + target.size()) of a segment file; offset and size in whole pages.
using ReadSegment = std::function<Status(std::uint64_t offset, std::span<std::byte> target)>;
/// Called with a valid header and its offset. True: there is an entry, continue after it. False: there is none (its
/// bytes differ), continue with the next page.
using FoundHeader = std::function<Expected<bool>(StoreHeader header, std::uint64_t offset)>;

/// DeviceFile::next_data() of the file.
using NextData = std::function<std::uint64_t(std::uint64_t offset)>;

/// Walks the pages [begin, end) of a segment, but for its holes: anybody can make a sparse file of a terabyte, and no
/// header is all zeros. Errors are those of `read` and `found`.
Status scan_segment(std::uint64_t begin, std::uint64_t end, const ReadSegment& read, const NextData& next_data,
                    const FoundHeader& found);

}  // namespace kvantage::inline ssd
