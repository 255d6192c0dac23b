// Formats of published data sets that have fields or prompts of their own. Each is a file import_NAME.cpp and a row of
// the table in import_formats.cpp. All give a field of the wrong type or a missing one with its place; fields that are
// not needed are ignored.
#pragma once

#include "core/workload/datasets/import_workload.h"

namespace kvantage::inline datasets {

using ImportDocuments = std::span<const ImportDocument>;
using ImportPath = std::filesystem::path;

bool is_leval(const Json& first_document);
Status read_leval(ImportDocuments documents, const ImportPath& file, const ImportOptions& options, Imported& imported);
bool is_bamboo(const Json& first_document);
Status read_bamboo(ImportDocuments documents, const ImportPath& file, const ImportOptions& options, Imported& imported);
bool is_longbench_v2(const Json& first_document);
Status read_longbench_v2(ImportDocuments documents, const ImportPath& file, const ImportOptions& options,
                         Imported& imported);
bool is_lost_in_the_middle(const Json& first_document);
Status read_lost_in_the_middle(ImportDocuments documents, const ImportPath& file, const ImportOptions& options,
                               Imported& imported);
bool is_ruler(const Json& first_document);
Status read_ruler(ImportDocuments documents, const ImportPath& file, const ImportOptions& options, Imported& imported);
bool is_infinitebench(const Json& first_document);
Status read_infinitebench(ImportDocuments documents, const ImportPath& file, const ImportOptions& options,
                          Imported& imported);
bool is_scbench(const Json& first_document);
Status read_scbench(ImportDocuments documents, const ImportPath& file, const ImportOptions& options,
                    Imported& imported);

/// A task of a benchmark, by the name of its file.
struct BenchmarkTask {
  std::string_view name, metric;
  int answer_tokens;  // as its authors generate
};
struct ScoredQuestion {
  ImportedQuestion question;
  std::string_view metric;
};
/// Of an entry with "answer" and, where it is to be chosen, "options". `task`: null, one that is not known. An answer
/// that is the letter of an option is scored by "choice", whatever the task is.
Expected<ScoredQuestion> question_of_task(const Json& entry, std::string asked, const BenchmarkTask* task,
                                          const std::string& where);

/// A context with its questions is taken over: each is counted, and dropped where it or the text is blank.
void take_context(ImportedContext context, std::string_view metric, Imported& imported);
/// "ruler" of "/data/ruler.jsonl"; `otherwise` where the file has no name.
std::string stem_of(const ImportPath& file, const char* otherwise);

}  // namespace kvantage::inline datasets
