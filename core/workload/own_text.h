// A user's own texts as a workload: a text file or a folder of .txt and .md files, in no special format. Each file
// becomes a context, or several where it exceeds the model's limit (file#1, file#2, ...), cut at paragraph ends. The
// texts are unchanged except for the byte order mark and line ends; questions are probes (probes.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/workload/workload.h"

namespace kvantage::inline workload {

/// Tokens of a text for the target model.
using CountTokens = std::function<std::size_t(std::string_view)>;

struct OwnTextOptions {
  CountTokens count_tokens;           // required
  std::size_t context_tokens = 4096;  // maximum tokens of a context, at least 64
  std::string license = {};           // empty: the first line of a file LICENSE or LICENSE in the folder, else unknown
};

struct OwnTextReport {
  std::size_t files = 0;           // read into contexts
  std::size_t cut_files = 0;       // of these, longer than a context
  std::size_t empty_files = 0;     // of a folder: skipped
  std::size_t repeated_texts = 0;  // contexts whose text already occurred: skipped
  std::size_t replaced_bytes = 0;  // malformed UTF-8, now U+FFFD
  std::size_t outside_links = 0;   // of a folder, to files outside it: skipped
};

inline constexpr std::uint64_t max_text_bytes = std::uint64_t{64} << 20;  // total over all files
inline constexpr std::size_t max_text_files = 10000;

/// Tokens are counted in texts of at most so many bytes: longer ones are longer than any context.
inline constexpr std::size_t max_counted_bytes = std::size_t{4} << 20;

/// A text file, or a folder that is not a workload folder: input for this module.
bool is_own_text(const std::filesystem::path& path);

/// The texts without questions; requests and name are set, the seed is 0. rejected_input (file, reason, fix) for files
/// that are not text: UTF-16, NUL bytes, more than one malformed byte in a hundred, only white space, too large.
Expected<Workload> read_own_text(const std::vector<std::filesystem::path>& paths, const OwnTextOptions& options,
                                 OwnTextReport* report = nullptr);

/// Text of one file: UTF-8, without byte order mark, \n line ends; `replaced` counts malformed bytes.
Expected<std::string> cleaned_text(std::string_view bytes, const std::string& name, std::size_t& replaced);

/// Parts of at most context_tokens tokens, of about equal length, cut at paragraph ends where possible, else at
/// sentence ends, else between words.
/// rejected_input, without the file's name, for a text of too many parts.
Expected<std::vector<std::string_view>> cut_text(std::string_view text, const OwnTextOptions& options);

}  // namespace kvantage::inline workload
