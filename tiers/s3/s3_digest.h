// Digests that the protocol of S3 uses, of bytes in several places. Hexadecimal, lower case.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kvantage::inline s3 {

/// By which a server knows that a request's body arrived as it was signed. Empty if the library fails, which no server
/// accepts.
std::string sha256_hex(const std::vector<std::span<const std::byte>>& parts);

/// What an object's ETag is where the server does not encrypt it with keys of its own. No protection against anybody:
/// contents are verified when they are read. Empty where the system allows no MD5.
std::string md5_hex(const std::vector<std::span<const std::byte>>& parts);

}  // namespace kvantage::inline s3
