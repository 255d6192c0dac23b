// What servers of buckets answer as XML: pages of a listing (ListObjectsV2), and errors. Read by expat. A document
// type, and with it every entity of its own, is refused; depth, lengths and counts are bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline s3 {

struct ListedObject {
  std::string name;
  std::uint64_t bytes = 0;
  std::string etag;      // bare
  std::string modified;  // as sent
  bool operator==(const ListedObject&) const = default;
};

struct ListPage {
  std::vector<ListedObject> objects;
  std::string next;  // what the next page is asked with; empty: this is the last one
};

inline constexpr std::size_t max_listed_objects = 1000;  // of a page, as the protocol has it

/// A page that was asked for with encoding-type=url. rejected_input: not one.
Expected<ListPage> parse_list_page(std::string_view xml);

struct S3Fault {
  std::string code;     // "NoSuchKey"; empty: it is not an error as S3 writes it
  std::string message;  // of the server
  std::string region;   // where the bucket is, if the server says so
};

/// Never fails: anything else has no code.
S3Fault parse_fault(std::string_view xml);

}  // namespace kvantage::inline s3
