// The method files of tests/goldens/method_files, or of the folder KVANTAGE_METHOD_FILES, whose files another version
// of torch has made; and the worker of this build.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "app/method_worker/method_worker.h"

namespace kvantage::test {

inline std::filesystem::path golden_method_file(const std::string& name) {
  const char* const other = std::getenv("KVANTAGE_METHOD_FILES");
  const std::filesystem::path folder = other != nullptr && *other != '\0'
                                           ? std::filesystem::path(other)
                                           : std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/method_files";
  return folder / (name + ".pt");
}

inline std::filesystem::path method_worker_program() {
  return std::filesystem::path(KVANTAGE_BINARY_DIR) / "app" / "kvantage-method-worker";
}

/// Short times and little memory: hostile files take all of both.
inline MethodWorkerSettings small_worker() {
  MethodWorkerSettings settings;
  settings.program = method_worker_program();
  settings.load_seconds = 20;
  settings.score_seconds = 5;
  settings.memory_bytes = std::uint64_t{1} << 30;
  return settings;
}

/// A layer of 2 KV heads, 40 tokens and keys of 8 numbers: key t of head h begins with t + 100 h, all else is 0.5.
inline ScorerCall small_call() {
  ScorerCall call;
  call.layer = 1;
  call.sequence_length = call.tokens = 40;
  call.kv_heads = 2;
  call.inputs = {{ScorerInput::keys, {2, 40, 8}}};
  call.write = [](std::size_t, std::span<std::byte> memory) {
    auto* numbers = reinterpret_cast<float*>(memory.data());
    for (int row = 0; row < 80; ++row)
      for (int d = 0; d < 8; ++d) *numbers++ = d == 0 ? static_cast<float>(row % 40 + row / 40 * 100) : 0.5F;
  };
  return call;
}

}  // namespace kvantage::test
