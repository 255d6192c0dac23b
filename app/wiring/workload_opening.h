// What a user names as a workload becomes one that can be served: a workload folder is read as it is, a text file or a
// folder of texts becomes contexts, and contexts without questions get probes (core/workload/probes.h). The same path,
// model and options give the same workload, so profiles that were measured are found again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/workload/own_text.h"
#include "core/workload/probes.h"

namespace kvantage {

/// rejected_input where --model names neither a folder nor a file.
Status check_model_is_there(const std::filesystem::path& model);

/// What the choice of texts and questions needs to know of a model: read from its folder without its weights.
struct ModelReading {
  CountTokens count_tokens;
  ProbeWording wording = ProbeWording::bare;  // instructed for models with a chat form
  std::size_t context_tokens = 0;   // half of the model's positions: methods that read a context twice need them;
                                    // of the model that ships what it was trained on
  std::size_t bytes_per_token = 0;  // of an uncompressed KV cache
};
/// rejected_input when there is no model that can be read.
Expected<ModelReading> read_model_reading(const std::filesystem::path& model);

struct OpenWorkloadOptions {
  std::filesystem::path model;
  std::size_t context_tokens = 0;  // of own texts; 0: the model's (ModelReading)
  std::size_t probes = 8;          // of each split, for contexts that lack questions; 0: none are made
};

struct OpenedWorkload {
  Workload workload;
  bool own_text = false;
  std::vector<std::string> notes;            // what was made or passed over, a sentence each
  std::vector<std::string> suggested_tiers;  // of own texts: "dram=12288KiB", sized so that not everything fits
};

/// rejected_input names the file and the mend. The model's tokenizer is only read when it is needed.
Expected<OpenedWorkload> open_workload(const std::filesystem::path& path, const OpenWorkloadOptions& options);

/// The workload that a path or a sample's name stands for, as a session with the model that ships would serve it.
Expected<Workload> read_any_workload(const std::filesystem::path& path);

}  // namespace kvantage
