// A question of the user's own, answered side by side from several forms of one text's KV cache: the full one,
// compressed ones, and ones that are read from a tier. The engine computes it between requests, whose metrics exclude
// it; nothing of it is placed, counted or profiled. Thread-safe and non-blocking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/shared_value.h"

namespace kvantage::inline ports {

inline constexpr std::size_t max_ask_columns = 4;

/// One way to keep the text: what is stored of it, and where it is read from for the question.
struct AskColumn {
  std::string method = "none";  // text form; "none": the full KV cache
  double removed_fraction = 0;  // of tokens, [0, 1); a method that only quantizes keeps all
  std::string tier = {};        // of the session, which the form is read from; empty: the text is prefilled
  bool operator==(const AskColumn&) const = default;
};

struct AskRequest {
  std::string context;  // id in the workload; empty: `text` is asked
  std::string text;     // UTF-8; read only where `context` is empty
  std::string question;
  std::vector<AskColumn> columns;  // 1 to max_ask_columns
  bool operator==(const AskRequest&) const = default;
};

struct AskText {
  std::vector<std::string> tokens;  // UTF-8, concatenated they give the text in its prompt form; some may be empty
  std::uint64_t full_bytes = 0;     // of the uncompressed entry
};

struct AskToken {
  std::string text;    // UTF-8; may be empty
  double seconds = 0;  // as ttft_seconds: computing and reading of this column until this token
};

enum class AskStage : std::uint8_t { waiting, preparing, loading, prefill, decoding, done };

/// What of a column an earlier question about the same text has computed, so that the column's seconds exclude it.
enum class AskReuse : std::uint8_t {
  nothing,
  text,  // the full KV cache, which the form was made from
  form   // the form itself: only the question was prefilled
};

struct AskCosts {
  double ttft_seconds = 0;       // 0: no token yet. text_seconds, then the prefill of the question
  double text_seconds = 0;       // loading; or prefill of the text (done once for all columns), scoring, cutting
  std::uint64_t bytes = 0;       // of the form's entry, headers included
  std::uint64_t bytes_read = 0;  // from the tier
  AskReuse reused = AskReuse::nothing;
};

struct AskProgress : AskCosts {
  AskColumn column;  // as applied: canonical method; fraction 0 where the method only quantizes
  AskStage stage = AskStage::waiting;
  bool ended = false;  // by a stop token, not by length
  SharedValue<std::vector<float>>
      kept;                             // [tokens of the text]: share of layers and KV heads that keep each; empty: all
  std::optional<std::size_t> parts_at;  // first token in which the answer is another than the first column's; its
                                        // number of tokens where it ends before that one
  std::string note = {};                // what a reader must know, e.g. that the tier had no room; empty: nothing
};

struct AskAnswer : AskProgress {
  std::size_t first = 0;         // tokens before `tokens`, which the reader of a change has; 0 in a whole result
  std::vector<AskToken> tokens;  // so far; the text of the last one may grow until the stage is done
};

/// A run of the text's tokens, [begin, end).
struct AskSpan {
  std::size_t begin = 0, end = 0;
  bool operator==(const AskSpan&) const = default;
};

/// What the answer over the full KV cache attends to.
struct AskAttention {
  // [tokens of the text]: share of the attention that the answer's tokens pay to the text, over layers and heads, those
  // that concentrate on few tokens counting more; they add up to 1. Empty until it is computed.
  std::vector<float> shares = {};
  std::optional<AskSpan> densest = {};  // where they add up to most
  bool operator==(const AskAttention&) const = default;
};

/// Everything of a result but its answers. Published several times per request: with the text, then with each token,
/// finally complete.
struct AskOutcome {
  std::uint64_t ticket = 0;
  std::uint64_t revision = 0;  // grows with each publication
  std::uint64_t begun = 0;     // revision with which the answers began: begun again, where requests needed the memory
  SharedValue<AskRequest> request;
  std::shared_ptr<const AskText> text;  // null where the request itself is wrong
  SharedValue<AskAttention> attention = {};
  double seconds = 0;  // of computing so far, waiting excluded
  bool complete = false;
  std::string error;  // what, why, how to fix; empty: none
};

struct AskResult : AskOutcome {
  std::vector<AskAnswer> answers;  // one per column
};

/// What a reader has of the newest result.
struct AskSeen {
  std::uint64_t ticket = 0;  // 0: nothing
  std::uint64_t revision = 0;
  std::vector<std::size_t> tokens = {};  // of each column, those whose text may grow excluded
};

/// Tokens of the answer whose text no longer changes.
std::size_t final_tokens(const AskAnswer& answer);
AskSeen seen_of(const AskResult& result);
/// The answer with its tokens from `first` on, at most all; `whole` has no `first` of its own.
AskAnswer answer_from(const AskAnswer& whole, std::size_t first);
/// What a reader lacks: nothing where it has all, else a result whose answers begin where the reader's end. Copies
/// no token that the reader has.
std::optional<AskResult> change_since(const AskResult& whole, const AskSeen& seen);
/// Whether `change` continues what a reader holds; else it is a whole result.
bool continues(const AskOutcome& held, const AskOutcome& change);
/// Adds a change to what a reader holds, or replaces that by it.
void add_change(AskResult& held, AskResult change);

class Asker {
 public:
  virtual ~Asker() = default;
  /// Replaces the previous request, which is dropped if incomplete. Returns the ticket of its results, 1 and up.
  virtual std::uint64_t ask(const AskRequest& request) = 0;
  /// Cancels the work in flight and frees all memory of questions. The latest result stays, with what had been
  /// answered.
  virtual void stop_asking() = 0;
  /// What is new in the newest result for a reader that has `seen` of it, as change_since(). Nothing before the first.
  virtual std::optional<AskResult> asked_since(const AskSeen& seen) const = 0;
  /// The newest result as a whole; null before the first.
  std::shared_ptr<const AskResult> asked() const;
  /// A description of the work on the newest request; empty: none.
  virtual std::string ask_work() const = 0;
};

}  // namespace kvantage::inline ports
