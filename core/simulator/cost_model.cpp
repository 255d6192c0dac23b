#include "core/simulator/cost_model.h"

namespace kvantage::inline simulator {

LoadLine load_line(const TierModel& model, double bytes_per_token) {
  return {model.latency_seconds, bytes_per_token / model.bytes_per_second + model.decode_seconds_per_token,
          model.decode_seconds_per_token};
}

}  // namespace kvantage::inline simulator
