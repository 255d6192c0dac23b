// Segments tell what lies in them without an index: every entry begins with its store header on a page boundary, and
// the header of one that went is wiped. For rebuilding a lost index and for looking into a folder from outside.
#pragma once

#include <functional>

#include "tiers/store_header.h"

namespace kvantage {

/// Bytes [offset, offset + target.size()) of a segment file; offset and size in whole pages.
using ReadSegment = std::function<Status(std::uint64_t offset, std::span<std::byte> target)>;
/// Told of a header that holds, and where it begins. True: an entry lies there, go on behind it. False: it does not
/// (its bytes are others), go on with the next page.
using FoundHeader = std::function<Expected<bool>(StoreHeader header, std::uint64_t offset)>;

/// Walks over the pages [begin, end) of a segment. Errors are those of `read` and `found`.
Status scan_segment(std::uint64_t begin, std::uint64_t end, const ReadSegment& read, const FoundHeader& found);

}  // namespace kvantage
