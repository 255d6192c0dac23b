// LongBench (Bai et al. 2024) in the two forms in which it is passed around: the jsonl of the data set itself, a line
// with {context, input, answers, dataset, ...}; and files of filled-in prompts with their gold answers, an object of
// numbered entries {origin_prompt, gold, ...} as evaluation tools write them. A prompt holds context and question in
// one string: it is cut where the published prompt of its task says that the context ends, so that both forms give the
// same two parts.
#pragma once

#include <optional>

#include "core/workload/import_workload.h"

namespace kvantage {

bool is_longbench(const Json& first_document);
/// Fields that are not needed (prediction, time, length, all_classes, ...) are passed over. rejected_input names the
/// entry.
Status read_longbench(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                      const ImportOptions& options, Imported& imported);

struct LongbenchParts {
  std::string context;
  std::string question;
  bool known_task = false;  // else the last paragraph was taken for the question
};
/// The parts of a filled-in prompt; none for a prompt of a single paragraph whose task is not known.
std::optional<LongbenchParts> split_longbench_prompt(std::string_view prompt);
/// The same parts from the fields of the data set; none when there is neither input nor a known task.
std::optional<LongbenchParts> longbench_parts(std::string_view dataset, std::string_view context,
                                              std::string_view input);

}  // namespace kvantage
