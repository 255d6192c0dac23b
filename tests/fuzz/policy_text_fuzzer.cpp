// links: core_policy core_ports
// The text form of policies and of decode-time eviction.
#include "core/policy/policy.h"
#include "core/ports/decode_eviction.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const std::string text = test::text_of(data, size);
  if (const auto policy = make_policy(text); !policy) test::check_refusal(policy.error());
  if (const auto eviction = parse_decode_eviction(text); !eviction) test::check_refusal(eviction.error());
  return 0;
}
