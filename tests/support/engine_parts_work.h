// What tests of the engine's parts have done by others: a request that is served alone, a context that is stored.
#pragma once

#include <QtGlobal>

#include <memory>
#include <optional>

#include "core/model/batch_decode.h"
#include "core/model/transformer.h"
#include "core/request/request_task.h"
#include "tests/support/engine_parts.h"

namespace kvantage::test {

inline void must(const Status& status) {
  if (!status) qFatal("%s", status.error().message.c_str());
}

inline RequestInput input_of(EngineParts& parts, std::size_t context, std::size_t question,
                             int max_answer_tokens = 12) {
  const ContextDetails& details = parts.catalog->details(context);
  RequestInput input{.record = {},
                     .context_tokens = details.tokens,
                     .question_tokens = details.questions[question].tokens,
                     .max_answer_tokens = max_answer_tokens};
  input.record.gold = details.questions[question].gold;
  return input;
}

/// A request that is served to its end; without a hit its context is computed.
inline std::unique_ptr<RequestTask> served(EngineParts& parts, std::size_t context, std::size_t question,
                                           std::optional<CacheHit> hit = std::nullopt, int max_answer_tokens = 12) {
  auto task = std::make_unique<RequestTask>(*parts.runtime, parts.lender, parts.serving_clock,
                                            input_of(parts, context, question, max_answer_tokens), std::move(hit), 0.0,
                                            [](const std::string&) {});
  while (!task->done()) {
    if (task->needs() == RequestTask::Need::bytes) {
      must(task->poll(0.001));
    } else if (task->needs() == RequestTask::Need::compute) {
      must(task->compute());
    } else {
      BatchDecodeTask decode(*parts.runtime->model, {task->decode().next_decode()});
      must(decode.run());
      task->decode().take_token(decode.logits(0));
    }
  }
  return task;
}

/// Computes a context, which the store then has cached.
inline void compute_original(EngineParts& parts, std::size_t context, bool archive) {
  KvCache cache(*parts.runtime->pool);
  PrefillTask prefill(*parts.runtime->model, cache, parts.catalog->details(context).tokens, 0,
                      {.chunk_tokens = parts.runtime->chunk_tokens(),
                       .window_queries = parts.runtime->window_queries,
                       .logits = PrefillLogits::none});
  must(prefill.run());
  parts.store->originals().keep(context, std::move(cache), prefill.take_window_queries(), archive);
}

/// Computes a context and stores it; nothing is in flight afterwards.
inline void store_context(EngineParts& parts, std::size_t context, const Configuration& to) {
  compute_original(parts, context, true);
  must(parts.store->commit({.context = parts.catalog->state(context).key,
                            .kind = ActionKind::store,
                            .from = {},
                            .to = to,
                            .reason = "by a test"}));
  parts.store->finish_writes();
}

}  // namespace kvantage::test
