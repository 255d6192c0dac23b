// A scripted session whose tiers report their loads against a fit.
#pragma once

#include "tests/ui/window/scripted_session.h"

namespace kvantage {

class FittedSession : public ScriptedSession {
 public:
  std::shared_ptr<const std::vector<TierReport>> tier_reports() const override {
    static const auto reports = [] {
      auto made = std::make_shared<std::vector<TierReport>>();
      for (const char* name : {"dram", "ssd"}) {
        TierReport report;
        report.description = {name, "file system", true, ""};
        report.fit.model = {0.002, 1048576.0 * 100, 0, 0};
        report.fit.samples = 40;
        report.fit.loads = {{1048576, 0.011, 0.012, 0, true},
                            {4 * 1048576.0, 0.05, 0.042, 0.04, false},
                            {2 * 1048576.0, 0.02, 0.022, 0.03, false}};
        made->push_back(report);
      }
      return made;
    }();
    return reports;
  }
};

}  // namespace kvantage
