// Reads and writes whole small files. Bulk KV bytes use core/ports/file_device.h instead. Files that are written are
// private (mode 0600): they hold texts of private documents and numbers about them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace kvantage {

/// Of a file that is read as a whole, so that it fits in memory with what is made of it.
constexpr std::uint64_t max_text_file_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t max_json_file_bytes = max_text_file_bytes;

/// Opens a regular file for reading; never waits for the other end of a pipe. rejected_input for a folder, pipe, device
/// or socket, and with the system's reason when it cannot be opened.
Expected<UniqueFd> open_regular_file(const std::filesystem::path& path);
/// rejected_input with the system's reason when it cannot be read, and for more than max_bytes.
Expected<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t max_bytes = max_text_file_bytes);
/// The refusal of a file that open_regular_file() has opened and read() refuses with `reason`. Some files of the system
/// say that they are regular and wait for more bytes, as /proc/kmsg: those are no files to read.
tl::unexpected<Error> cannot_read_file(const std::filesystem::path& path, int reason);
/// The refusal of a file of more than max_bytes.
tl::unexpected<Error> file_too_large(const std::filesystem::path& path, std::uint64_t max_bytes);
/// Writes a temporary file of mode 0600, then renames it, so that a reader never sees half a file; a character
/// device is written to itself. rejected_input for a path that cannot be written to or is a pipe, socket or disk;
/// no_space or io otherwise.
Status write_text_file(const std::filesystem::path& path, std::string_view text);
/// Creates a file of mode 0600 that was not there, named `beginning` and a random ending, and sets `path`. Nothing with
/// errno when that fails. It follows no link that somebody has put there.
UniqueFd create_unique_file(const std::filesystem::path& beginning, std::filesystem::path& path);

/// $HOME where that is a path from the root, else empty: with a relative one, the folder that the program is started in
/// would decide which passwords and stores are read.
std::string home_directory();
/// $KVANTAGE_CACHE, $XDG_CACHE_HOME/kvantage, ~/.cache/kvantage, or without a home $XDG_RUNTIME_DIR/kvantage if that
/// belongs to the user alone. A relative $XDG_CACHE_HOME counts as none. Otherwise a path that cannot exist and that
/// check_cache_path() explains.
std::filesystem::path cache_directory();
/// rejected_input where `path` is in a cache_directory() that there is none of.
Status check_cache_path(const std::filesystem::path& path);

}  // namespace kvantage
