// A question that a user asked of one of the workload's contexts, or of a text of their own, as a part of the workload.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/workload/workload.h"

namespace kvantage::inline workload {

struct KeptQuestion {
  std::string context;      // id in the workload; empty: `text` becomes a context
  std::string text = {};    // UTF-8
  std::string question;     // held out: requests ask it
  std::string answer = {};  // gold; empty: the answer with the uncompressed cache replaces it
};

/// `workload` with this question, under a name of its own: its digest and so its profiles are others. A text that the
/// workload holds already is that context. usage error for an unknown context, an empty text or question, and a
/// question that the context has already.
Expected<Workload> with_question(Workload workload, const KeptQuestion& asked);

}  // namespace kvantage::inline workload
