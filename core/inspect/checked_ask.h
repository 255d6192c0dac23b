// A request of the Asker, checked against the session and tokenized as the workload's contexts and questions are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/compress/method.h"
#include "core/ports/asker.h"
#include "core/runtime/catalog.h"
#include "core/store/engine_services.h"

namespace kvantage::inline inspection {

struct AskForm {
  std::shared_ptr<const Method> method;
  AskColumn column;                 // as applied
  std::optional<std::size_t> tier;  // of the session, which it is read from
  /// The cache as the prefill leaves it.
  bool is_original() const { return method->text() == "none"; }
};

struct CheckedAsk {
  std::shared_ptr<const Catalog> own;  // of the request's text alone; null: a context of the workload is asked
  std::size_t context = 0;             // in `own`, else in the session's catalog
  std::vector<std::int32_t> question;
  std::vector<AskForm> forms;  // one per column

  const Catalog& catalog(const EngineServices& services) const { return own != nullptr ? *own : services.catalog; }
};

/// usage: no text or question, an unknown context, method or tier, a fraction outside [0, 1), no column or too many,
/// more tokens than the model has positions. Each error says what, why and how to fix it.
Expected<CheckedAsk> checked_ask(const AskRequest& request, const EngineServices& services);

}  // namespace kvantage::inline inspection
