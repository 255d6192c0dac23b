// --json of every command: one document on stdout and nothing else there. What each prints is listed once, for --help,
// docs/cli.md and the manual pages; tests hold the commands to it. Keys are never renamed or removed within a version.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace kvantage::cli {

struct JsonOutput {
  std::string_view command;  // "runs list"
  std::string_view form;     // "object", "list of objects", "one object per line"
  std::string_view keys;     // of the object, comma-separated; those that may be missing end with '?'
  std::string_view more;     // a sentence on what is inside; may be empty
};

/// Null: the command is hidden and has no --json.
const JsonOutput* json_output(std::string_view command);

/// "With `--json` it prints an object with `run_id` and `file`. ..."; `quote` goes around names.
std::string json_text(const JsonOutput& output, std::string_view quote);

/// "workload make" of the command below the program.
std::string command_path(const CLI::App& command);

/// Declares --json, described by json_output(). The command has its place below the program already.
void add_json_option(CLI::App& command, bool& json);

/// Prints one document and a newline. Names of files may hold bytes that are no UTF-8: they are replaced.
template <class JsonType>
void print_json(const JsonType& json, int indent = -1) {
  std::printf("%s\n", dump_json(json, indent).c_str());
}

}  // namespace kvantage::cli
