#include "core/engine/viewer_ports.h"

#include "core/compress/method.h"

namespace kvantage::inline engine {

/// Why nobody can compute a request any more; empty: the engine can.
std::string ViewerPorts::end_of_engine() const {
  const RunState now = wakes_.state();
  if (now != RunState::failed && now != RunState::closed) return {};
  const std::string why = wakes_.failure().message;
  return "the engine has ended" + (why.empty() ? why : " (" + why + ")") + "; open the workload again";
}

std::uint64_t ViewerPorts::request_keep_map(const KeepMapRequest& request) {
  if (const std::string end = end_of_engine(); !end.empty())
    return mailboxes_.keep_maps.refuse(request, "keep map: " + end);
  const std::uint64_t ticket = mailboxes_.keep_maps.ask(request);
  wakes_.post({.inspect = true});
  return ticket;
}

void ViewerPorts::drop_keep_map() {
  mailboxes_.keep_maps.drop();
  wakes_.post({.inspect = true});
}

std::vector<std::string> ViewerPorts::methods() const {
  std::vector<std::string> texts;
  for (const MethodInfo& info : known_methods())
    if (info.removes_tokens) texts.push_back(info.text);
  return texts;
}

std::uint64_t ViewerPorts::ask(const AskRequest& request) {
  if (const std::string end = end_of_engine(); !end.empty()) return mailboxes_.asks.refuse(request, "ask: " + end);
  const std::uint64_t ticket = mailboxes_.asks.ask(request);
  wakes_.post({.inspect = true});
  return ticket;
}

void ViewerPorts::stop_asking() {
  mailboxes_.asks.drop();
  wakes_.post({.inspect = true});
}

}  // namespace kvantage::inline engine
