// links: app_session_socket core_base core_policy core_ports
// What programs send to a session's socket: sections between record separators (0x1E), each lines of three clients in
// turn; between two sections a question in flight is answered, and its client may be gone. An answer is one line with a
// result or an error, and settings that a request left behind are possible ones.
#include <cmath>

#include "app/session_socket/session_requests.h"
#include "core/base/json.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/support/told_session.h"

namespace {

using namespace kvantage;
constexpr int clients = 3;

void check_answer(const std::string& line) {
  test::must_hold(line.size() <= SessionRequests::max_answer_bytes + 100 && line.find('\n') == std::string::npos,
                  "an answer is one line");
  const auto json = parse_json(line, "answer");
  test::must_hold(json && json->is_object() && json->contains("id"), "an answer is an object with an id");
  if (json->contains("result")) return;
  test::must_hold(json->contains("error") && !json->at("error").get<std::string>().empty(), "an error says something");
  const int code = json->at("exit_code").get<int>();
  test::must_hold(code == 1 || code == 2, "a request is no damaged file");
}

void check_settings(const SessionSettings& settings) {
  test::must_hold(std::isfinite(settings.alpha) && settings.alpha >= 0, "alpha is a number from 0");
  test::must_hold(settings.tiers.size() == 2, "tiers stay");
  for (const TierConfig& tier : settings.tiers)
    test::must_hold(!tier.budget.is_percent(), "percent are made bytes of what the session holds");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::ToldSession told;
  DecisionLog log;
  int stops = 0;
  SessionRequests requests({told, &told, log, [&stops] { ++stops; }, "fuzz"});
  check_answer(dump_json(Json{{"id", nullptr}, {"result", requests.greeting()}}));
  int client = 0;
  for (const std::string& section : test::sections_of(test::text_of(data, size))) {
    for (std::size_t begin = 0; begin <= section.size();) {
      const std::size_t end = std::min(section.find('\n', begin), section.size());
      const bool asked = requests.asks();
      const auto answer = requests.answer(std::string_view(section).substr(begin, end - begin), client);
      if (answer)
        check_answer(*answer);
      else
        test::must_hold(!asked && requests.asks(), "only a question waits, and only one");
      client = (client + 1) % clients;
      begin = end + 1;
    }
    check_settings(told.settings());
    if (!requests.asks()) continue;
    if (section.size() % 2 == 1) {
      for (int gone = 0; gone < clients; ++gone) requests.forget(gone);
      test::must_hold(!requests.asks() && told.stops() > 0, "nobody waits for a question of nobody");
      continue;
    }
    test::must_hold(!requests.finished_question(), "a question in flight has no answer");
    told.answer();
    const auto late = requests.finished_question();
    test::must_hold(late.has_value() && late->client < clients, "a question is answered");
    check_answer(late->line);
  }
  return 0;
}
