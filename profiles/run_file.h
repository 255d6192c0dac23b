// One recorded run as a text file, to be handed on: a first line about the run with its notes and tags, its events as
// the journal has them, one a line, and a last line with their number and the digest of all before. What was cut or
// changed on the way is refused.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/ports/run_library.h"

namespace kvantage {

struct RunFile {
  RunSummary summary;
  std::vector<Event> events;  // all of the run, in order
  RunNotes notes = {};        // what people wrote beside it
};

/// The same bytes for the same run. Ends with a newline. A run without notes is written as version 1, which older
/// programs read, one with notes as version 2.
std::string run_to_text(const RunFile& file);
/// The same, told of its events; cancelled when given up.
Expected<std::string> run_to_text(const RunFile& file, const GoOn& go_on);
/// Strict; `name` stands first in the message, with the line. rejected_input: another format or version, a line that is
/// no event, numbers that leave a gap, a digest that does not match. `go_on` is told of bytes.
Expected<RunFile> run_from_text(const std::string& text, const std::string& name, const GoOn& go_on = {});

/// Writes run `run_id` of the store. not_found when there is none; rejected_input when the run has not ended.
/// `read` gives its events where there is a better way than the store's; given up, no file is there that was not
/// before.
using ReadEvents = std::function<Expected<std::vector<Event>>()>;
Status export_run(RunStore& store, const std::string& run_id, const std::filesystem::path& path, const GoOn& go_on = {},
                  const ReadEvents& read = {});

}  // namespace kvantage
