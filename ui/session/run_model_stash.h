// What is stashed while another session is shown.
#pragma once

#include "ui/session/run_model.h"

namespace kvantage {

struct RunModel::Stash {
  RunReading reading;
  RequestsModel requests;
  ContextsModel contexts;
  TierSeriesModel tiers;
  SessionPoolModel pool;
  HitRateModel hit_rates;
  FrontierModel frontier;
  EventsModel log;
};

}  // namespace kvantage
