// Qt ends a test function after five minutes. One that was asked to be long has as long as it takes; ctest has a limit
// of its own.
#pragma once

#include <QtGlobal>

namespace kvantage::test {

/// `./run test --long`: a hundred times as many tries, or more.
inline bool is_long_run() { return qEnvironmentVariableIsSet("KVANTAGE_LONG"); }

/// Before Qt looks. A limit that somebody gave stays.
inline void lift_time_limit() {
  constexpr const char* variable = "QTEST_FUNCTION_TIMEOUT";  // ms
  if (!qEnvironmentVariableIsSet(variable)) qputenv(variable, "2000000000");
}

/// `asked`: the variable by which one asks for another number of tries.
inline void lift_time_limit_of_long_runs(const char* asked = "KVANTAGE_FUZZ_EXECUTIONS") {
  if (is_long_run() || qEnvironmentVariableIsSet(asked)) lift_time_limit();
}

}  // namespace kvantage::test
