// The sample of drifting questions cut down for tests.
#pragma once

#include <map>
#include <string>

#include "core/workload/workload.h"

namespace kvantage::test {

/// One context of each mix: what there is to see is in each of them, and the test stays short.
inline Workload first_of_each_family(const Workload& sample) {
  Workload part = sample;
  part.contexts.clear();
  part.questions.clear();
  std::map<std::string, int> seen;
  for (std::size_t c = 0; c < sample.contexts.size(); ++c) {
    if (seen[sample.contexts[c].family]++ > 0) continue;
    for (WorkloadQuestion question : sample.questions) {
      if (question.context != c) continue;
      question.context = part.contexts.size();
      part.questions.push_back(question);
    }
    part.contexts.push_back(sample.contexts[c]);
  }
  return part;
}

}  // namespace kvantage::test
