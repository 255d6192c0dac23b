// Tests of kernels are plain programs: the same source runs against the emulation everywhere and against a GPU where
// there is one.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gpu/kernels/device.h"

namespace kvantage::test {

/// ctest takes this exit code for a skipped test.
inline constexpr int skipped = 77;
inline int failures = 0;

inline void check(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("FAIL: %s\n", what.c_str());
  if (++failures >= 20) std::exit(1);
}
template <class T>
T value_of(Expected<T> expected) {
  if (!expected) {
    std::printf("FAIL: %s\n", expected.error().message.c_str());
    std::exit(1);
  }
  return std::move(*expected);
}
inline void must(const Status& status) {
  if (status) return;
  std::printf("FAIL: %s\n", status.error().message.c_str());
  std::exit(1);
}
/// Leaves the program where kernels cannot run.
inline void need_device() {
  const std::string why = gpu::why_no_device();
  if (why.empty()) return;
  std::printf("skipped: no GPU (%s)\n", why.c_str());
  std::exit(skipped);
}
inline int end() {
  std::printf(failures == 0 ? "passed\n" : "%d failed\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace kvantage::test
