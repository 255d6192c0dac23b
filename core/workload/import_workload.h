// Published data sets as workloads, for users with a model that can answer them. One format = one file
// import_<name>.cpp with a reader that turns documents into contexts with questions. The later steps (repeats, limits,
// the split into profile and held-out questions) are shared and happen here. Nothing is lost silently: entries read =
// questions created + entries dropped, by reason; and the same for contexts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/workload/own_text.h"
#include "core/workload/workload.h"

namespace kvantage::inline workload {

/// A question with its context as read from the file.
struct ImportedQuestion {
  std::string question;
  std::vector<std::string> golds;  // accepted answers, the first is the gold; empty: none
  int max_answer_tokens = 0;       // as specified by the data set's authors; 0: unspecified
};
struct ImportedContext {
  std::string id;  // preferred; made unique later
  std::string family;
  std::string text;
  std::vector<ImportedQuestion> questions;
};

/// What was read, what was used, and why not.
struct ImportCounts {
  std::size_t read = 0, made = 0;
  std::map<std::string, std::size_t> dropped;  // by reason
  std::size_t all_dropped() const;
  bool balanced() const { return read == made + all_dropped(); }
};
struct ImportReport {
  std::size_t files = 0;
  ImportCounts entries;             // one question about one context each
  ImportCounts contexts;            // texts as in the files
  std::size_t unknown_prompts = 0;  // entries of an unknown task, split by rule (import_longbench.h)
};

/// One JSON value of a file: the whole of a .json, a line of a .jsonl.
struct ImportDocument {
  Json json;
  std::string where;  // "file" or "file:line", first in messages
};

struct SquadOptions {
  bool whole_articles = false;  // an article is a context, otherwise each paragraph
};
struct ImportOptions {
  std::string name = "imported";
  std::string license;  // empty: "see source"
  std::uint64_t seed = 1;
  double profile_share = 0.5;  // of a context's questions, when it has two or more; [0, 1)
  std::size_t limit = 0;       // contexts; 0: all
  std::size_t max_tokens = 0;  // per context; longer ones are dropped; 0: any length
  CountTokens count_tokens;    // required with max_tokens
  SquadOptions squad;
  ArrivalProcess arrivals;
};

/// Output of a format's reader: contexts in file order, entries counted.
struct Imported {
  std::vector<ImportedContext> contexts;
  ImportCounts entries;
  std::size_t unknown_prompts = 0;
};

/// A supported format: detection and reading of its documents. Errors name file, entry and field.
struct ImportFormat {
  std::string_view name;
  std::string_view idea;  // for help texts
  bool (*recognizes)(const Json& first_document);
  Status (*read)(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                 const ImportOptions& options, Imported& imported);
};
std::span<const ImportFormat> import_formats();

/// Imports files of a format ("auto": detected per file) as a workload. The split into profile and held-out questions
/// depends on the seed and is the same on every machine. rejected_input names file, entry and field.
Expected<Workload> import_workload(const std::vector<std::filesystem::path>& files, const std::string& format,
                                   const ImportOptions& options, ImportReport* report = nullptr);

/// The JSON values of a file; files of more than 256 MiB are rejected.
Expected<std::vector<ImportDocument>> read_documents(const std::filesystem::path& file);

}  // namespace kvantage::inline workload
