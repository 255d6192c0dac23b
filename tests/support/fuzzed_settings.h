// Settings of a session that use most of what a file may hold, for tests that damage them.
#pragma once

#include "core/ports/session.h"

namespace kvantage::test {

inline SessionSettings settings_to_damage() {
  SessionSettings settings;
  settings.policy = "evicpress(start=quality)";
  settings.alpha = 0.3;
  settings.tiers = {{.name = "dram", .budget = 12582912},
                    {.name = "ssd",
                     .budget = 29360128,
                     .throttle = {.bytes_per_second = 1.8e8, .latency_seconds = 0.001},
                     .faults = "flip_on_read:0.1"}};
  settings.methods = {"knorm", "adakv(snapkv)+kivi4"};
  settings.removed_fractions = {0.2, 0.8};
  settings.requests_per_second = 2.5;
  settings.request_limit = 100;
  settings.max_batch = 4;
  settings.prefill_batch_tokens = 256;
  settings.decode_eviction = "r_kv(window=16,budget=25%,cadence=64)";
  settings.speculation = "lookup(n=2,k=4)";
  settings.decode_options = {"paged_eviction(budget=25%)", "quest(budget=512)"};
  return settings;
}

}  // namespace kvantage::test
