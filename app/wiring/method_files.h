// Methods of files: starts their workers and adds them to the methods of this process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/ports/session.h"

namespace kvantage::inline wiring {

struct OpenedMethodFile {
  std::filesystem::path file;  // absolute
  std::string name, alias;     // as in ScorerFileFacts
  std::string digest, summary;
  bool confined = true;
};

/// Candidate paths of kvantage-method-worker, first match wins: only KVANTAGE_METHOD_WORKER if set, else beside the
/// program and in the library folders of an installation.
std::vector<std::filesystem::path> method_worker_places();

/// Reads the file and loads it in a worker; from then on methods may name it. A file that was opened before and has not
/// changed since is not loaded again, unless `again`, which also lets one run that is not run again otherwise.
/// `layer_seconds`: what a layer may take; 5 if not given, as for sessions. usage or rejected_input, naming the file;
/// io: the worker cannot be started. Any thread.
Expected<OpenedMethodFile> open_method_file(const std::filesystem::path& file, bool again = false,
                                            std::optional<double> layer_seconds = {});

/// Takes "method_files" out of a session.json and opens what it lists: names of files in `folder`, the workload's. A
/// stranger's file is only run where it can be confined. rejected_input, naming `session_file`.
Status open_method_files_of(Json& session, const std::filesystem::path& folder,
                            const std::filesystem::path& session_file);

/// The names that it lists, as far as they are names; none of a file that cannot be read.
std::vector<std::string> method_files_named_in(const std::filesystem::path& session_file);

/// Copies the files that it lists beside it into `folder`, and replaces those there. rejected_input.
Status copy_method_files(const std::filesystem::path& session_file, const std::filesystem::path& folder);

/// Files of the methods that the settings name, for records: "my_method_0123456789 (digest ...)", with commas; empty:
/// none.
std::string method_files_text(const SessionSettings& settings);

/// Without methods, decode options and decode-time eviction whose files are not loaded in this process.
SessionSettings without_unloaded_files(SessionSettings settings);
/// What that leaves out, one sentence; empty: nothing.
std::string unloaded_files_text(const SessionSettings& settings);

}  // namespace kvantage::inline wiring
