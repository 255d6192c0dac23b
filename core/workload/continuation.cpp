#include "core/workload/continuation.h"

#include "core/workload/probes.h"
#include "core/workload/sentences.h"

namespace kvantage::inline workload {
namespace {

std::string_view stretch_of(std::string_view question) {
  for (const ProbeKind kind : {ProbeKind::continue_sentence, ProbeKind::repeat_next})
    if (const std::string instruction = worded({.kind = kind, .stretch = {}}, ProbeWording::instructed);
        question.starts_with(instruction))
      return question.substr(instruction.size());
  return question;
}

}  // namespace

std::string_view continuation_of(std::string_view text, std::string_view question) {
  const std::string_view stretch = stretch_of(question);
  const std::size_t at = stretch.empty() ? std::string_view::npos : text.find(stretch);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + stretch.size());
}

double continued_share(std::string_view answer, std::string_view continuation) {
  std::size_t letters = 0, same = 0, next = 0;
  bool differs = false;
  for (const char letter : answer) {
    if (is_space(letter)) continue;
    ++letters;
    while (next < continuation.size() && is_space(continuation[next])) ++next;
    differs = differs || next == continuation.size() || continuation[next] != letter;
    if (differs) continue;
    ++same;
    ++next;
  }
  return letters == 0 ? 0 : static_cast<double>(same) / static_cast<double>(letters);
}

}  // namespace kvantage::inline workload
