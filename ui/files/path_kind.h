// What a path is that the user drops on the window or chooses from the recent ones, judged by what is there.
#pragma once

#include <QString>

namespace kvantage {

enum class PathKind {
  missing,   // nothing is there
  workload,  // a workload folder, a text, a folder of texts: whoever opens it says what is wrong with it
  data,      // a data set: JSON, JSON lines, CSV or TSV, Parquet
  model,     // a Hugging Face folder (config.json beside weights) or a GGUF file
  run,       // a recorded run, as exported
  layout,    // of docks, as exported
  method,    // a TorchScript file, of the size of a scorer, or Python that may save one
  serving,   // settings of LMCache or vLLM: YAML, or JSON with a kv_connector
};

/// Reads the first bytes of a file and the names in a folder, no more.
PathKind kind_of_path(const QString& path);
/// By its name: a program, and to who asks about it a text.
bool is_python_source(const QString& path);

}  // namespace kvantage
