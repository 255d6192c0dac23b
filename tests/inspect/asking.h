// Questions of the user's own over the parts of an engine, without a session.
#pragma once

#include <QtGlobal>

#include <memory>
#include <utility>
#include <vector>

#include "core/inspect/text_asker.h"
#include "tests/support/ask_text.h"
#include "tests/support/engine_parts_work.h"

namespace kvantage::test {

/// An asker over the parts of an engine.
struct Asking {
  explicit Asking(const Workload& asked = small_workload(2, 20, 3), ModelRuntimeOptions options = {})
      : workload(asked), parts(workload, std::move(options)) {}

  void ask(const AskRequest& request) { ticket = mailbox.ask(request); }
  std::shared_ptr<const AskResult> finish() {
    for (int turn = 0; turn < 100000 && asker.step({}); ++turn)
      if (const auto result = mailbox.result(); result != nullptr && result->ticket == ticket && result->complete)
        return result;
    qFatal("not answered: %s", mailbox.work().c_str());
  }
  std::shared_ptr<const AskResult> answered(const AskRequest& request) {
    ask(request);
    return finish();
  }
  /// The first question of the first context.
  AskRequest request(std::vector<AskColumn> columns) const {
    return {.context = workload.contexts[0].id,
            .text = {},
            .question = workload.questions[0].question,
            .columns = std::move(columns)};
  }

  Workload workload;
  EngineParts parts;
  AskMailbox mailbox;
  TextAsker asker{parts.services(), parts.serving_clock, mailbox, 12};
  std::uint64_t ticket = 0;
};

}  // namespace kvantage::test
