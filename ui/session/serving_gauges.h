// What the status bar shows of serving now: answer rate, requests in flight and waiting, provenance of the metrics, and
// memory of the program.
#pragma once

#include <QString>

#include "ui/session/run_model.h"

namespace kvantage {

struct ServingGauges {
  double tokens_per_second = 0;  // of answers, over the latest requests; 0: none is known
  int running = 0;               // requests that have begun and not ended
  double waiting = 0;            // arrived and not begun; an estimate where requests arrive at a rate of their own
  Provenance provenance =
      Provenance::measured;  // of the latest request; before the first, of the tiers as they are set
};

ServingGauges serving_gauges(const RunModel& run, const SessionSettings& committed);

/// Bytes of this program that are in memory now (its resident set); 0 where the system does not say.
std::uint64_t resident_bytes();

}  // namespace kvantage
