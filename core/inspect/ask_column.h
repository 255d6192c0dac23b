// One column of a question: a form of a text's KV cache, from memory or read from a tier, and the answer from it, in
// steps of about a layer. The answer equals that of a stored entry of the form, bit for bit.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/inspect/asked_texts.h"
#include "core/inspect/checked_ask.h"
#include "core/kvpr/stored_inputs.h"
#include "core/ports/asker.h"
#include "core/request/load_task.h"
#include "core/runtime/answer_task.h"
#include "core/runtime/catalog.h"
#include "core/store/engine_services.h"
#include "core/store/scratch_entry.h"
#include "core/text/tokenizer.h"

namespace kvantage::inline inspection {

/// The text of a question, and what its columns share of it.
struct AskedText {
  const Catalog& catalog;
  std::size_t context = 0;
  ComputedText& computed;
  const std::vector<std::int32_t>& tokens() const { return catalog.details(context).tokens; }
};

class AskColumnTask {
 public:
  using Stop = std::function<bool()>;
  /// text, form, question, answer: must outlive this. `answer` is filled in as it is computed; its seconds are those of
  /// this column's steps, so they exclude other columns, earlier questions, requests and the writing of the entry.
  AskColumnTask(const EngineServices& services, AskedText& text, const AskForm& form,
                const std::vector<std::int32_t>& question, int max_answer_tokens, AskAnswer& answer);

  /// One layer of the remaining work, or up to `wait_seconds` for the tier. Long steps poll `stop`. A tier that fails
  /// is no error: the answer is then from memory, and its note says why.
  Status step(double wait_seconds, const Stop& stop);
  bool done() const { return stage_ == Stage::done; }
  /// Only the tier has work.
  bool awaits_bytes() const { return stage_ == Stage::write || stage_ == Stage::load; }
  /// Tokens of the answer so far.
  const std::vector<std::int32_t>& tokens() const { return tokens_; }
  std::string work() const;

 private:
  enum class Stage { score, cut, write, load, answer, done };
  void find_placed();
  bool has_form() const;
  Status score_layer(const Stop& stop);
  Status cut(const Stop& stop);
  Expected<KvCache> kept_rows();
  Status write_entry(const Stop& stop);
  std::string refusal(std::uint64_t bytes) const;
  Status wait_for_write(double wait_seconds);
  void begin_load(const EntryInfo& info, std::shared_ptr<const EntryHeader> header);
  Status load_layer(double wait_seconds);
  Expected<KvCache> read_rows();
  Status read_from_memory();
  void leave_tier(const std::string& why);
  void begin_answer(KvCache read);
  Status answer_layer();
  void note_kept(const KvCache& stored);
  StorageTier& tier() const { return services_.store.tiers()[*form_.tier]; }

  EngineServices services_;
  AskedText& text_;
  const AskForm& form_;
  AnswerTask::Question question_;
  AskAnswer& answer_;

  Stage stage_ = Stage::cut;
  bool from_tier_;
  std::optional<KvCache> stored_;  // the kept rows, before encoding
  double load_seconds_ = 0, answer_seconds_ = 0;
  InputsReader inputs_;
  std::optional<ScratchEntry> scratch_;
  std::optional<SerializedEntry> entry_;  // while it is written
  std::optional<LoadTask> load_;          // after scratch_: its read ends first
  std::optional<KvCache> read_;           // what the question is computed on
  std::optional<AnswerTask> asking_;
  StreamDecoder stream_;
  std::vector<std::int32_t> tokens_;
};

}  // namespace kvantage::inline inspection
