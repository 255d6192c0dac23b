// Published data sets as workloads, for users with a model that can answer them. One format = one file
// import_<name>.cpp with a reader that turns documents into contexts with questions, and a row of the table in
// import_formats.cpp; what is in no format of its own is read by the names of its fields (import_generic.cpp). The
// later steps (repeats, lengths, limits, the split into profile and held-out questions) are shared and happen here.
// Nothing is lost silently: entries read = questions created + entries dropped, by reason; and the same for contexts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/datasets/data_file.h"
#include "core/workload/datasets/long_contexts.h"
#include "core/workload/field_map.h"
#include "core/workload/workload.h"

namespace kvantage::inline datasets {

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
  ImportCounts contexts;            // texts as in the files, and the parts that they are split into
  std::size_t unknown_prompts = 0;  // entries of an unknown task, split by rule (import_longbench.h)
  LongContextCounts lengths;
  std::string format;  // "leval", or of several files "leval,squad"
  std::string metric;  // quality metric that the data set is scored with; empty: its files do not agree on one
  FieldMap map;        // that a file was read with; empty where its format has fields of its own
  std::map<std::string, std::size_t> first_options;  // of files whose answers number options, by name: from 0 or from 1
};

struct SquadOptions {
  bool whole_articles = false;  // an article is a context, otherwise each paragraph
};
/// What files are read with.
struct ImportSource {
  FieldMap map;        // of entry_keys; a file with one is read by it, whatever its format
  ReadRows read_rows;  // of Parquet; null: it is refused
};
struct ImportOptions {
  std::string name = "imported";
  std::string license;  // empty: "see source"
  std::uint64_t seed = 1;
  double profile_share = 0.5;  // of a context's questions, when it has two or more; [0, 1)
  std::size_t limit = 0;       // contexts; 0: all
  LongContexts long_contexts;
  SquadOptions squad;
  ArrivalProcess arrivals;
  ImportSource source;
};

/// Output of a format's reader: contexts in file order, entries counted.
struct Imported {
  std::vector<ImportedContext> contexts;
  ImportCounts entries;
  std::size_t unknown_prompts = 0;
  std::map<std::string, std::size_t> metrics;        // questions by the quality metric that they are scored with
  FieldMap map;                                      // as in ImportReport
  bool texts_only = false;                           // contexts without questions are kept: there were to be none
  std::map<std::string, std::size_t> first_options;  // as in ImportReport
};

/// A supported format: detection and reading of its documents. Errors name file, entry and field.
struct ImportFormat {
  std::string_view name;
  std::string_view idea;  // for help texts
  bool (*recognizes)(const Json& first_document);
  Status (*read)(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                 const ImportOptions& options, Imported& imported);
};
/// The first that recognizes a file reads it; the last one is the generic one.
std::span<const ImportFormat> import_formats();

/// Imports files of a format ("auto": detected per file) as a workload. The split into profile and held-out questions
/// depends on the seed and is the same on every machine. rejected_input names file, entry and field.
Expected<Workload> import_workload(const std::vector<std::filesystem::path>& files, const std::string& format,
                                   const ImportOptions& options, ImportReport* report = nullptr);

/// The format of a file by its first document, or by the name that is wanted. rejected_input: none; usage: an unknown
/// name.
Expected<const ImportFormat*> import_format_of(const std::string& wanted, const ImportDocument& first,
                                               const FieldMap& map);

}  // namespace kvantage::inline datasets
