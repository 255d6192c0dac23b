#include "core/ports/speculation.h"

#include <array>
#include <utility>
#include <vector>

#include "core/base/did_you_mean.h"
#include "core/base/form_parameters.h"
#include "core/base/json.h"

namespace kvantage::inline ports {
namespace {

constexpr std::array<std::string_view, 3> speculation_modes{"off", "lookup", "auto"};

std::vector<ParameterInfo> speculation_parameters() {
  constexpr SpeculationSetting defaults;
  return {whole_number("n", static_cast<std::uint64_t>(defaults.match_tokens), "tokens of the longest n-gram"),
          whole_number("k", static_cast<std::uint64_t>(defaults.draft_tokens), "draft tokens of a request and a pass")};
}

tl::unexpected<Error> refuse_speculation(std::string_view text, const std::string& reason) {
  return fail(ErrorCode::usage, "speculation '" + printable(text) + "': " + reason);
}

Expected<int> speculation_count(std::string_view text, std::string_view key, std::uint64_t value, int most) {
  if (value >= 1 && value <= static_cast<std::uint64_t>(most)) return static_cast<int>(value);
  return refuse_speculation(text, std::string(key) + " is " + std::to_string(value) + ", not from 1 to " +
                                      std::to_string(most) + "; write one such as lookup(n=3,k=8)");
}

}  // namespace

std::string SpeculationSetting::text() const {
  std::string text(speculation_modes[static_cast<std::size_t>(mode)]), parameters;
  if (!is_on()) return text;
  constexpr SpeculationSetting defaults;
  if (match_tokens != defaults.match_tokens) parameters = "n=" + std::to_string(match_tokens);
  if (draft_tokens != defaults.draft_tokens)
    parameters += (parameters.empty() ? "k=" : ",k=") + std::to_string(draft_tokens);
  return parameters.empty() ? text : text + "(" + parameters + ")";
}

Expected<SpeculationSetting> parse_speculation(std::string_view text) {
  KV_ASSIGN(const auto form, FormText::read(trimmed(text), "speculation"));
  SpeculationSetting read;
  if (form.name() == "lookup")
    read.mode = SpeculationMode::lookup;
  else if (form.name() == "auto")
    read.mode = SpeculationMode::automatic;
  else if (form.name() != "off")
    return refuse_speculation(form.text(), "unknown; " + did_you_mean(form.name(), speculation_modes));
  const bool parameters = read.is_on();
  KV_ASSIGN(const auto arguments,
            FormArguments::resolve(form, parameters ? speculation_parameters() : std::vector<ParameterInfo>{},
                                   "speculation", parameters ? "lookup(n=3,k=8)" : "off"));
  if (!parameters) return read;
  KV_ASSIGN(read.match_tokens,
            speculation_count(form.text(), "n", arguments.whole("n"), SpeculationSetting::longest_match));
  KV_ASSIGN(read.draft_tokens,
            speculation_count(form.text(), "k", arguments.whole("k"), SpeculationSetting::most_drafts));
  return read;
}

}  // namespace kvantage::inline ports
