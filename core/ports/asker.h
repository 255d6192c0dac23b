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

struct AskAnswer {
  AskColumn column;  // as applied: canonical method; fraction 0 where the method only quantizes
  AskStage stage = AskStage::waiting;
  std::vector<AskToken> tokens;         // so far
  bool ended = false;                   // by a stop token, not by length
  double ttft_seconds = 0;              // 0: no token yet. text_seconds, then the prefill of the question
  double text_seconds = 0;              // loading; or prefill of the text (done once for all columns), scoring, cutting
  std::uint64_t bytes = 0;              // of the form's entry, headers included
  std::uint64_t bytes_read = 0;         // from the tier
  std::vector<float> kept = {};         // [tokens of the text]: share of layers and KV heads that keep each; empty: all
  std::optional<std::size_t> parts_at;  // first token in which the answer is another than the first column's; its
                                        // number of tokens where it ends before that one
  std::string note = {};                // what a reader must know, e.g. that the tier had no room; empty: nothing
};

/// A run of the text's tokens, [begin, end).
struct AskSpan {
  std::size_t begin = 0, end = 0;
};

/// Published several times per request: with the text, then with each token, finally complete.
struct AskResult {
  std::uint64_t ticket = 0;
  AskRequest request;
  std::shared_ptr<const AskText> text;  // null where the request itself is wrong
  std::vector<AskAnswer> answers;       // one per column
  // [tokens of the text]: share of the attention that the answer's tokens pay to the text over the full KV cache, over
  // layers and heads, those that concentrate on few tokens counting more; they add up to 1. Empty until it is computed.
  std::vector<float> attention = {};
  std::optional<AskSpan> attended = {};  // where it is densest
  double seconds = 0;                    // of computing so far, waiting excluded
  bool complete = false;
  std::string error;  // what, why, how to fix; empty: none
};

class Asker {
 public:
  virtual ~Asker() = default;
  /// Replaces the previous request, which is dropped if incomplete. Returns the ticket of its results, 1 and up.
  virtual std::uint64_t ask(const AskRequest& request) = 0;
  /// Cancels the work in flight and frees its memory. The latest result stays, with what had been answered.
  virtual void stop_asking() = 0;
  /// The newest result; null before the first.
  virtual std::shared_ptr<const AskResult> asked() const = 0;
  /// A description of the work on the newest request; empty: none.
  virtual std::string ask_work() const = 0;
};

}  // namespace kvantage::inline ports
