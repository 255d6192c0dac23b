// links: tiers_kinds
// The text of --tier, with urls, budgets and faults; a password in it is never repeated.
#include "core/ports/fault_plan.h"
#include "tests/fuzz/fuzzing.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/kinds/tier_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const std::string text = test::text_of(data, size);
  const auto tiers = parse_tiers(text);
  if (!tiers) {
    test::check_refusal(tiers.error());
    return 0;
  }
  for (const TierConfig& tier : *tiers) {
    if (const Status sound = check_place(tier); !sound) {
      test::check_refusal(sound.error());
      continue;
    }
    (void)parse_faults(tier.faults);
    const TierConfig recorded = recorded_form(tier);
    const auto url = recorded.options.find("url");
    if (url != recorded.options.end())
      test::must_hold(password_home(recorded).empty(), "what is recorded has no password");
  }
  return 0;
}
