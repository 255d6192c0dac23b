// One recorded run as a text file for exchange: a first line with the run, its notes and tags, one line per event as in
// the journal, and a last line with their number and the digest of everything before. Truncated or modified files are
// rejected.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/ports/run_library.h"

namespace kvantage::inline profiles {

struct RunFile {
  RunSummary summary;
  std::vector<Event> events;  // all of the run, in order
  RunNotes notes = {};        // user notes
};

/// The same bytes for the same run. Ends with a newline. A run without notes is written as version 1, which older
/// programs read, one with notes as version 2.
std::string run_to_text(const RunFile& file);
/// The same, with progress in events; cancelled when aborted.
Expected<std::string> run_to_text(const RunFile& file, const ShouldContinue& should_continue);
/// Strict; `name` comes first in the message, with the line. rejected_input: another format or version, an invalid
/// event line, gaps in the numbering, a digest mismatch. `should_continue` reports bytes.
Expected<RunFile> run_from_text(const std::string& text, const std::string& name,
                                const ShouldContinue& should_continue = {});

/// Writes run `run_id` of the store. not_found for an unknown run; rejected_input when the run has not ended. `read`
/// supplies its events if there is a better way than the store's. If aborted, no new file remains.
using ReadEvents = std::function<Expected<std::vector<Event>>()>;
Status export_run(RunStore& store, const std::string& run_id, const std::filesystem::path& path,
                  const ShouldContinue& should_continue = {}, const ReadEvents& read = {});

}  // namespace kvantage::inline profiles
