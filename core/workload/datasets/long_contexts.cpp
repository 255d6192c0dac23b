#include "core/workload/datasets/long_contexts.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/seeded_hash.h"

namespace kvantage::inline datasets {
namespace {

constexpr std::size_t default_answer_tokens = 48;  // of the engine
constexpr std::size_t prompt_tokens = 64;          // of a chat form, around context and question
constexpr std::size_t least_question_room = 256;   // the catalog of a session refuses a context with less

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }
bool is_blank_byte(char byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }

/// Not inside a character, and between words where one begins near.
std::size_t cut_before(std::string_view text, std::size_t at) {
  constexpr std::size_t near = 64;
  for (std::size_t back = 0; back < std::min(near, at); ++back)
    if (is_blank_byte(text[at - back - 1])) return at - back;
  while (at > 0 && at < text.size() && !begins_character(text[at])) --at;
  return at;
}

/// The beginning of a text, of at most so many tokens.
std::string_view first_tokens(std::string_view text, std::size_t tokens, const CountTokens& count) {
  if (text.size() > max_counted_bytes) text = text.substr(0, cut_before(text, max_counted_bytes));
  for (std::size_t now = count(text); now > tokens && !text.empty(); now = count(text)) {
    const auto keep = static_cast<std::size_t>(static_cast<double>(text.size()) * static_cast<double>(tokens) /
                                               static_cast<double>(now));
    text = text.substr(0, cut_before(text, std::min(keep, text.size() - 1)));
  }
  return text;
}

/// The end of a text, of at most so many tokens.
std::string_view last_tokens(std::string_view text, std::size_t tokens, const CountTokens& count) {
  const auto from = [&](std::size_t at) {
    while (at < text.size() && !begins_character(text[at])) ++at;
    constexpr std::size_t near = 64;
    for (std::size_t on = 0; on < near && at + on < text.size(); ++on)
      if (is_blank_byte(text[at + on])) return at + on + 1;
    return at;
  };
  if (text.size() > max_counted_bytes) text = text.substr(from(text.size() - max_counted_bytes));
  for (std::size_t now = count(text); now > tokens && !text.empty(); now = count(text)) {
    const auto keep = static_cast<std::size_t>(static_cast<double>(text.size()) * static_cast<double>(tokens) /
                                               static_cast<double>(now));
    text = text.substr(std::min(from(text.size() - std::min(keep, text.size() - 1)), text.size()));
  }
  return text;
}

using Words = std::unordered_set<std::string_view, SeededHash>;

/// Words of four letters and more: the others are everywhere.
Words long_words(std::string_view text) {
  constexpr std::size_t shortest = 4;
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    const auto in_word = [&](std::size_t i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
             (byte >= 'a' && byte <= 'z');
    };
    while (at < text.size() && !in_word(at)) ++at;
    const std::size_t begin = at;
    while (at < text.size() && in_word(at)) ++at;
    if (at - begin >= shortest) words.insert(text.substr(begin, at - begin));
  }
  return words;
}

/// The parts of a text that becomes several contexts.
class TextParts {
 public:
  explicit TextParts(std::vector<std::string> parts) : parts_(std::move(parts)) {
    words_.reserve(parts_.size());
    for (const std::string& part : parts_) words_.push_back(long_words(part));
  }
  /// The part that a question is about.
  std::size_t of(const ImportedQuestion& question) const {
    for (const std::string& gold : question.golds) {
      constexpr std::size_t telling = 3;  // a letter is in every part
      if (gold.size() < telling) continue;
      for (std::size_t i = 0; i < parts_.size(); ++i)
        if (parts_[i].find(gold) != std::string::npos) return i;
    }
    const Words asked = long_words(question.question);
    std::size_t best = 0, most = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto shared = static_cast<std::size_t>(
          std::ranges::count_if(asked, [&](std::string_view word) { return words_[i].contains(word); }));
      if (shared > most) {
        most = shared;
        best = i;
      }
    }
    return best;
  }
  std::vector<std::string>& texts() { return parts_; }

 private:
  std::vector<std::string> parts_;
  std::vector<Words> words_;  // views of parts_
};

Expected<std::vector<std::string>> parts_of_text(const std::string& text, std::size_t limit,
                                                 const LongContexts& options) {
  const std::size_t overlap = options.overlap_tokens;
  const OwnTextOptions cutting{.count_tokens = options.count_tokens, .context_tokens = limit - overlap};
  KV_ASSIGN(const auto cut, cut_text(text, cutting));
  std::vector<std::string> parts;
  parts.reserve(cut.size());
  for (std::size_t i = 0; i < cut.size(); ++i) {
    const auto begin = static_cast<std::size_t>(cut[i].data() - text.data());
    const std::string_view before =
        i == 0 || overlap == 0 ? std::string_view() : last_tokens(cut[i - 1], overlap, options.count_tokens);
    // From there on as the text is: also the blanks between the parts.
    const std::size_t from = before.empty() ? begin : static_cast<std::size_t>(before.data() - text.data());
    parts.push_back(text.substr(from, begin + cut[i].size() - from));
  }
  return parts;
}

class Shortening {
 public:
  Shortening(const LongContexts& options, LongContextCounts& counts, std::map<std::string, std::size_t>& contexts,
             std::map<std::string, std::size_t>& questions)
      : options_(options), counts_(counts), dropped_contexts_(contexts), dropped_questions_(questions) {}

  Status add(ImportedContext context) {
    const bool is_unwanted =
        options_.max_tokens > 0 && is_longer_than(context.text, options_.max_tokens, options_.count_tokens);
    const std::size_t room = context_room(context, options_);
    const bool is_unserved = options_.served_tokens > 0 && is_longer_than(context.text, room, options_.count_tokens);
    if (!is_unwanted && !is_unserved) {
      contexts_.push_back(std::move(context));
      return {};
    }
    ++counts_.longer;
    if (options_.action == LongContextAction::keep && !is_unwanted) {
      ++counts_.kept;
      contexts_.push_back(std::move(context));
      return {};
    }
    const std::size_t limit = options_.max_tokens > 0 && (options_.served_tokens == 0 || options_.max_tokens < room)
                                  ? options_.max_tokens
                                  : room;
    constexpr std::size_t shortest = 64;
    if (options_.action == LongContextAction::keep || options_.action == LongContextAction::skip || limit < shortest)
      return skip(context, is_unwanted);
    if (options_.action == LongContextAction::split) return split(std::move(context), limit);
    truncate(context, limit);
    return {};
  }
  std::vector<ImportedContext> take() { return std::move(contexts_); }

 private:
  Status skip(const ImportedContext& context, bool is_unwanted) {
    const std::string reason =
        is_unwanted ? "longer than " + std::to_string(options_.max_tokens) + " tokens" : "longer than the model serves";
    ++dropped_contexts_[reason];
    if (!context.questions.empty()) dropped_questions_[reason] += context.questions.size();
    ++counts_.skipped;
    return {};
  }

  void truncate(ImportedContext& context, std::size_t limit) {
    const CountTokens& count = options_.count_tokens;
    if (options_.action == LongContextAction::truncate_end) {
      context.text = std::string(first_tokens(context.text, limit, count));
    } else {
      const std::string_view head = first_tokens(context.text, limit / 2, count);
      const std::string_view tail = last_tokens(context.text, limit - limit / 2 - 2, count);
      context.text = std::string(head) + "\n" + std::string(tail);
    }
    ++counts_.truncated;
    contexts_.push_back(std::move(context));
  }

  Status split(ImportedContext context, std::size_t limit) {
    if (options_.overlap_tokens >= limit / 2)
      return fail(ErrorCode::usage, "--overlap: " + std::to_string(options_.overlap_tokens) +
                                        " tokens are half of a part of " + std::to_string(limit) +
                                        " or more; give less");
    KV_ASSIGN(auto texts, parts_of_text(context.text, limit, options_));
    context.text.clear();
    TextParts parts(std::move(texts));
    std::vector<std::vector<ImportedQuestion>> questions(parts.texts().size());
    const bool is_asked = !context.questions.empty();
    for (ImportedQuestion& question : context.questions) questions[parts.of(question)].push_back(std::move(question));
    ++counts_.split;
    ++dropped_contexts_[split_into_parts];
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (is_asked && questions[i].empty()) {
        ++dropped_contexts_[part_without_question];
        continue;
      }
      ++counts_.parts;
      contexts_.push_back({context.id + "#" + std::to_string(i + 1), context.family, std::move(parts.texts()[i]),
                           std::move(questions[i])});
    }
    return {};
  }

  const LongContexts& options_;
  LongContextCounts& counts_;
  std::map<std::string, std::size_t>& dropped_contexts_;
  std::map<std::string, std::size_t>& dropped_questions_;
  std::vector<ImportedContext> contexts_;
};

}  // namespace

bool is_longer_than(std::string_view text, std::size_t tokens, const CountTokens& count_tokens) {
  constexpr std::size_t most_bytes_per_token = 16;  // of what is counted first
  if (text.size() + 2 <= tokens) return false;      // a token is a byte at least
  if (text.size() > most_bytes_per_token * tokens &&
      count_tokens(text.substr(0, cut_before(text, std::min(most_bytes_per_token * tokens, max_counted_bytes)))) >
          tokens)
    return true;
  return text.size() > max_counted_bytes || count_tokens(text) > tokens;
}

std::string length_options(const LongContexts& options) {
  std::string text;
  if (options.max_tokens > 0) text += " --max-tokens " + std::to_string(options.max_tokens);
  switch (options.action) {
    case LongContextAction::keep:
      return text;
    case LongContextAction::skip:
      return text + " --skip";
    case LongContextAction::split:
      return text + " --split --overlap " + std::to_string(options.overlap_tokens);
    case LongContextAction::truncate_middle:
      return text + " --truncate middle";
    case LongContextAction::truncate_end:
      return text + " --truncate end";
  }
  return text;
}

std::size_t context_room(const ImportedContext& context, const LongContexts& options) {
  if (options.served_tokens == 0) return 0;
  std::size_t beside = least_question_room;
  for (const ImportedQuestion& question : context.questions) {
    const std::size_t asked =
        question.question.size() > max_counted_bytes ? options.served_tokens : options.count_tokens(question.question);
    const std::size_t answer =
        question.max_answer_tokens > 0 ? static_cast<std::size_t>(question.max_answer_tokens) : default_answer_tokens;
    beside = std::max(beside, asked + answer);
  }
  beside += prompt_tokens;
  return options.served_tokens > beside ? options.served_tokens - beside : 0;
}

Status shorten_long_contexts(std::vector<ImportedContext>& contexts, const LongContexts& options,
                             LongContextCounts& counts, std::map<std::string, std::size_t>& dropped_contexts,
                             std::map<std::string, std::size_t>& dropped_questions) {
  if (options.max_tokens == 0 && options.served_tokens == 0) return {};
  Shortening shortening(options, counts, dropped_contexts, dropped_questions);
  for (ImportedContext& context : contexts) KV_TRY(shortening.add(std::move(context)));
  contexts = shortening.take();
  return {};
}

}  // namespace kvantage::inline datasets
