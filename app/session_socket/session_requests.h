// What programs ask of a running session, one JSON object per line, and the answers (docs/python.md#the-socket). Knows
// no socket.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/session_socket/decision_log.h"
#include "core/ports/asker.h"
#include "core/ports/session.h"

namespace kvantage::inline session_socket {

/// All must outlive whoever serves it.
struct ServedSession {
  Session& session;
  Asker* asker = nullptr;  // null: no questions
  const DecisionLog& decisions;
  std::function<void()> stop;         // ends the work, as Ctrl-C or the button do
  std::string program;                // version and commit
  std::string settings_refusal = {};  // why settings cannot be changed; empty: they can
};

/// One thread.
class SessionRequests {
 public:
  static constexpr std::size_t max_answer_bytes = std::size_t{64} << 20;

  explicit SessionRequests(ServedSession served) : served_(std::move(served)) {}

  /// The first line of a connection.
  std::string greeting() const;
  /// The answer to a line of a client, itself a line without its end; nothing where finished_question() will have it.
  std::optional<std::string> answer(std::string_view line, int client);

  struct LateAnswer {
    int client = 0;
    std::string line;
  };
  /// The answer to the question in flight, once it is complete or replaced.
  std::optional<LateAnswer> finished_question();
  bool asks() const { return asked_.has_value(); }
  /// The client is gone, and with it its question.
  void forget(int client);

 private:
  Expected<Json> result_of(const std::string& what, const Json& request);
  Expected<Json> state_of(const Json& request) const;
  Expected<Json> snapshot_of_session(const Json& request) const;
  Expected<Json> settings_of(const Json& request);
  Expected<Json> decisions_of(const Json& request) const;
  Expected<Json> stop_of(const Json& request);
  Status begin_question(const Json& request, int client);

  struct Asked {
    int client = 0;
    Json id;
    std::uint64_t ticket = 0;
  };

  ServedSession served_;
  std::optional<Asked> asked_;
};

}  // namespace kvantage::inline session_socket
