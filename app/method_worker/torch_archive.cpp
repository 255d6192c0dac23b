#include "app/method_worker/torch_archive.h"

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/counted.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"

namespace kvantage::inline method_worker {
namespace {

constexpr std::string_view end_mark = "PK\5\6", locator_mark = "PK\6\7", wide_end_mark = "PK\6\6",
                           record_mark = "PK\1\2";
constexpr std::size_t end_bytes = 22, locator_bytes = 20, wide_end_bytes = 56, record_bytes = 46;
constexpr std::uint64_t stored = 0, deflated = 8;
constexpr std::size_t max_shown_name_bytes = 60;

/// Where the directory is, and how many records it says that it has.
struct ArchiveDirectory {
  std::uint64_t offset = 0, bytes = 0, records = 0;
};

/// Little-endian, of `bytes` bytes; `at + bytes` is within the text.
std::uint64_t number_at(std::string_view text, std::size_t at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(text[at + i]);
  return number;
}

tl::unexpected<Error> damaged_archive(const char* what) {
  return fail(ErrorCode::rejected_input, std::string("the directory of its archive ") + what +
                                             "; write it again with torch.jit.script(score).save(FILE)");
}

tl::unexpected<Error> too_many_records(std::uint64_t records) {
  return fail(ErrorCode::rejected_input, "its archive has " + counted(records, "record") + ", and at most " +
                                             std::to_string(max_archive_records) + " are read; give a smaller scorer");
}

/// Some writers fill numbers of the narrow end with ones, whether or not they fit.
bool agree(std::uint64_t narrow, std::uint64_t wide, std::size_t bytes) {
  return narrow == wide || narrow == (std::uint64_t{1} << (8 * bytes)) - 1;
}

/// The directory as the end at `at` describes it; torch also writes the wide end of large archives before it.
Expected<ArchiveDirectory> directory_at_end(std::string_view file, std::size_t at) {
  const ArchiveDirectory narrow{number_at(file, at + 16, 4), number_at(file, at + 12, 4), number_at(file, at + 10, 2)};
  if (at < locator_bytes || !file.substr(at - locator_bytes).starts_with(locator_mark)) return narrow;
  const std::uint64_t wide_at = number_at(file, at - locator_bytes + 8, 8);
  if (wide_at > file.size() - end_bytes || file.size() - end_bytes - wide_at < wide_end_bytes ||
      !file.substr(wide_at).starts_with(wide_end_mark))
    return damaged_archive("is not where it says");
  const ArchiveDirectory wide{number_at(file, wide_at + 48, 8), number_at(file, wide_at + 40, 8),
                              number_at(file, wide_at + 32, 8)};
  if (wide.records > max_archive_records) return too_many_records(wide.records);
  // Readers differ in which of the two they believe.
  if (!agree(narrow.offset, wide.offset, 4) || !agree(narrow.bytes, wide.bytes, 4) ||
      !agree(narrow.records, wide.records, 2))
    return damaged_archive("is described twice, and not alike");
  return wide;
}

/// Nothing: there is no directory. As libtorch's reader, the last end that fits.
Expected<std::optional<ArchiveDirectory>> directory_of(std::string_view file) {
  if (file.size() < end_bytes) return std::optional<ArchiveDirectory>();
  const std::size_t at = file.rfind(end_mark, file.size() - end_bytes);
  if (at == std::string_view::npos) return std::optional<ArchiveDirectory>();
  KV_ASSIGN(const auto directory, directory_at_end(file, at));
  if (directory.records > max_archive_records) return too_many_records(directory.records);
  if (directory.offset > at || directory.bytes > at - directory.offset)
    return damaged_archive("is larger than the file");
  return std::optional(directory);
}

}  // namespace

Status check_torch_archive(std::string_view file, std::uint64_t max_bytes) {
  KV_ASSIGN(const auto directory, directory_of(file));
  if (!directory) return {};
  std::string_view left = file.substr(directory->offset, directory->bytes);
  std::uint64_t unpacked = 0;
  for (std::uint64_t i = 0; i < directory->records; ++i) {
    if (left.size() < record_bytes || !left.starts_with(record_mark)) return damaged_archive("is cut or overwritten");
    const std::uint64_t method = number_at(left, 10, 2), name_bytes = number_at(left, 28, 2);
    const std::uint64_t whole = record_bytes + name_bytes + number_at(left, 30, 2) + number_at(left, 32, 2);
    if (whole > left.size()) return damaged_archive("is cut or overwritten");
    if (method != stored && method != deflated)
      return fail(ErrorCode::rejected_input,
                  "its record '" + shown_line(shortened(left.substr(record_bytes, name_bytes), max_shown_name_bytes)) +
                      "' is compressed by method " + std::to_string(method) +
                      " of zip, which torch does not write; write it with torch.jit.script(score).save(FILE)");
    unpacked += number_at(left, 24, 4);
    left.remove_prefix(whole);
  }
  if (unpacked <= max_bytes) return {};
  return fail(ErrorCode::rejected_input, "its archive unpacks to " + format_bytes(unpacked) + ", and at most " +
                                             format_bytes(max_bytes) + " are read; give a smaller scorer");
}

}  // namespace kvantage::inline method_worker
