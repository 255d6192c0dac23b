// What the archive of a TorchScript file says that it unpacks to, read before the worker gets the file: libtorch takes
// memory for as much as its directory says.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline method_worker {

inline constexpr std::uint64_t max_archive_records = 10'000;

/// rejected_input, naming what is wrong but not the file: more than max_archive_records, records of a kind that torch
/// does not write (torch stores tensors and deflates code), of more than `max_bytes` unpacked, all together, or a
/// directory that contradicts itself. Bytes without a directory pass: libtorch unpacks none of them, and says what they
/// are.
/// Source: APPNOTE.TXT 6.3.10 of PKWARE, 4.3.12 to 4.3.16.
Status check_torch_archive(std::string_view file, std::uint64_t max_bytes);

}  // namespace kvantage::inline method_worker
