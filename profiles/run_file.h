// One recorded run as a text file for exchange: a first line with the run, its notes and tags, one line per event as in
// the journal, and a last line with their number and the digest of everything before. Truncated or modified files are
// rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
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

/// Reads a run line by line, as run_from_text() does: the events need not be held.
class RunLines {
 public:
  explicit RunLines(std::string name) : name_(std::move(name)) {}
  /// Takes the next line, without its line feed, and returns the event that it holds, if it holds one.
  Expected<std::optional<Event>> take(std::string_view line);
  /// Was the last line of the run taken?
  bool is_complete() const { return is_complete_; }
  /// Run and notes, from the first line on.
  const RunFile& head() const { return head_; }
  RunFile take_head() { return std::move(head_); }
  std::size_t events() const { return events_; }
  // What is wrong with lines that take() does not see.
  tl::unexpected<Error> has_no_end() const;
  tl::unexpected<Error> more_follows() const;
  tl::unexpected<Error> ends_early() const;

 private:
  std::string line_name() const;

  std::string name_;
  RunFile head_;
  DigestBuilder before_;    // of all lines so far, with their line feeds
  std::size_t number_ = 0;  // of lines taken
  std::size_t events_ = 0;
  std::uint64_t last_sequence_ = 0;
  bool is_complete_ = false;
};

/// A run's file: at most so many bytes. Calls `take` for each event, with what is known of the run by then, until one
/// fails; cancelled when aborted. Returns the run without its events.
constexpr std::uint64_t max_run_file_bytes = std::uint64_t{4} << 30;
using TakeEvent = std::function<Status(const RunFile& head, Event event)>;
Expected<RunFile> read_run_file(const std::filesystem::path& path, const TakeEvent& take,
                                const ShouldContinue& should_continue = {});
/// rejected_input where the first line is not that of a run.
Status check_run_file(const std::filesystem::path& path);

/// Writes run `run_id` of the store. not_found for an unknown run; rejected_input when the run has not ended. `read`
/// supplies its events if there is a better way than the store's. If aborted, no new file remains.
using ReadEvents = std::function<Expected<std::vector<Event>>()>;
Status export_run(RunStore& store, const std::string& run_id, const std::filesystem::path& path,
                  const ShouldContinue& should_continue = {}, const ReadEvents& read = {});

}  // namespace kvantage::inline profiles
