// Error handling: one error type for the whole program, carried in Expected<T>. Exceptions stay at the boundaries to
// third-party code. A message names the thing, the reason and the fix in one line.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace kvantage {

enum class ErrorCode {
  usage,           // wrong command line or setting: exit code 2
  rejected_input,  // a file, model or workload that cannot be used: exit code 3
  not_found,
  corrupt,       // stored bytes do not match their checksum or header
  io,            // the operating system refused
  no_space,      // a budget, arena or device is full
  cancelled,     // at the user's request
  busy,          // held by another process
  unauthorized,  // a server refuses keys, or what they ask for: exit code 3
  internal,      // a bug in this program
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;  // "thing: reason; how to fix"
};

template <class T>
using Expected = tl::expected<T, Error>;
using Status = Expected<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

/// Exit code of the program for an error: 2 usage, 3 rejected or damaged input or refused keys, 1 otherwise.
inline int exit_code(const Error& error) {
  switch (error.code) {
    case ErrorCode::usage:
      return 2;
    case ErrorCode::rejected_input:
    case ErrorCode::corrupt:
    case ErrorCode::unauthorized:
      return 3;
    default:
      return 1;
  }
}

/// Name of a code in metrics and in the event log, e.g. "corrupt".
const char* to_string(ErrorCode code);

}  // namespace kvantage

// KV_TRY(expression): leaves the enclosing function with the error of `expression` (a Status, or an Expected whose
// value is not needed), if it has one.
#define KV_TRY(...)                                                     \
  do {                                                                  \
    if (auto kv_try_status = (__VA_ARGS__); !kv_try_status.has_value()) \
      return tl::unexpected(std::move(kv_try_status).error());          \
  } while (false)

// KV_ASSIGN(auto x, expression): declares x with the value of `expression` (an Expected<T>, evaluated once), or leaves
// the enclosing function with its error.
#define KV_ASSIGN(declaration, ...) KV_ASSIGN_FROM(KV_ASSIGN_NAME(__LINE__), declaration, __VA_ARGS__)
#define KV_ASSIGN_FROM(result, declaration, ...)                             \
  auto result = (__VA_ARGS__);                                               \
  if (!result.has_value()) return tl::unexpected(std::move(result).error()); \
  declaration = *std::move(result)
#define KV_ASSIGN_NAME(line) KV_ASSIGN_JOIN(kv_assign_, line)
#define KV_ASSIGN_JOIN(name, line) name##line
