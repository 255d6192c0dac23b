#include "core/workload/probes.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>

#include "core/base/digest.h"
#include "core/base/find_text.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/workload/sentences.h"

namespace kvantage::inline workload {
namespace {

constexpr std::size_t fewest_words = 4;  // per stretch: two for the question, two for the answer

// A part of the text that can serve as a probe, and the next one, if a question can ask for it.
struct Place {
  TextSpan stretch;
  std::size_t words = 0;
  bool has_next = false;
};

std::vector<Place> probe_places(std::string_view text) {
  // A text of one or two sentences yields more probes when its sentences are split.
  std::vector<TextSpan> stretches = split_stretches(text);
  if (stretches.size() < 4) stretches = split_stretches(text, 12, 8);
  std::vector<Place> places;
  for (const TextSpan& stretch : stretches) {
    const std::size_t words = split_words(text, stretch).size();
    if (words < fewest_words) continue;  // headings, rules, one-word answers
    if (!places.empty()) places.back().has_next = true;
    places.push_back({stretch, words, false});
  }
  return places;
}

bool occurs_once(std::string_view text, std::string_view part) {
  const std::size_t first = find_text(text, part);
  return first != std::string_view::npos && find_text(text, part, first + 1) == std::string_view::npos;
}

bool ends_in_digit(std::string_view word) { return !word.empty() && word.back() >= '0' && word.back() <= '9'; }
bool begins_with_digit(std::string_view word) { return !word.empty() && word.front() >= '0' && word.front() <= '9'; }

// The first half of the words, extended until it is unique in the text; empty when that leaves nothing to answer.
std::string_view unique_half(std::string_view text, const TextSpan& sentence) {
  const std::vector<TextSpan> words = split_words(text, sentence);
  const auto first_words = [&](std::size_t count) {
    return text.substr(sentence.begin, words[count - 1].end - sentence.begin);
  };
  // What occurs once does so with more words, too: the fewest are found by halving, since each search reads the text.
  std::size_t count = (words.size() + 1) / 2;
  for (std::size_t end = words.size(), tried = count; count < end; tried = count + (end - count) / 2) {
    if (occurs_once(text, first_words(tried)))
      end = tried;
    else
      count = tried + 1;
  }
  while (count < words.size() && ends_in_digit(words[count - 1].of(text)) && begins_with_digit(words[count].of(text)))
    ++count;  // 10 000
  return count < words.size() ? first_words(count) : std::string_view();
}

std::string_view stretch_for(std::string_view text, const Place& place, ProbeKind kind) {
  if (kind == ProbeKind::continue_sentence) return unique_half(text, place.stretch);
  if (!place.has_next || !occurs_once(text, place.stretch.of(text))) return {};
  return place.stretch.of(text);
}

// Paragraphs, long ones in groups of adjacent sentences: [first, last) in `places`.
struct Stratum {
  std::size_t first = 0, last = 0;
};
std::vector<Stratum> strata_of(const std::vector<Place>& places) {
  constexpr std::size_t most = 8;
  std::vector<Stratum> strata;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool same = !strata.empty() && places[i].stretch.paragraph == places[i - 1].stretch.paragraph &&
                      i - strata.back().first < most;
    if (!same) strata.push_back({i, i});
    strata.back().last = i + 1;
  }
  return strata;
}

// The order in which places are tried: first `wanted` of them, each stratum with its share rounded down or up
// (systematic sampling, Madow 1949: one random start, equal steps), then the rest.
std::vector<std::size_t> order_of(const std::vector<Place>& places, std::size_t wanted, Random& random) {
  std::vector<std::size_t> chosen, rest;
  const double step = static_cast<double>(places.size()) / static_cast<double>(std::max<std::size_t>(wanted, 1));
  double point = random.uniform() * step;
  for (const Stratum& stratum : strata_of(places)) {
    std::vector<std::size_t> own;
    for (std::size_t i = stratum.first; i < stratum.last; ++i) own.push_back(i);
    random.shuffle(std::span(own));
    std::size_t quota = 0;
    for (; point < static_cast<double>(stratum.last); point += step) ++quota;
    for (std::size_t i = 0; i < own.size(); ++i) (i < quota ? chosen : rest).push_back(own[i]);
  }
  random.shuffle(std::span(chosen));
  random.shuffle(std::span(rest));
  chosen.insert(chosen.end(), rest.begin(), rest.end());
  return chosen;
}

}  // namespace

std::vector<Probe> make_probes(std::string_view text, const ProbeOptions& options) {
  const std::size_t wanted = options.profile + options.held_out;
  const std::vector<Place> places = probe_places(text);
  if (wanted == 0 || places.empty()) return {};
  const Digest128 digest = DigestBuilder().add(text).finish();
  Random random(derive_seed(digest.low, 0x70726f6265));

  struct Drawn {
    std::size_t place;
    ProbeKind kind;
    std::string_view stretch;
  };
  std::vector<Drawn> drawn;
  std::set<std::string_view> taken;
  std::size_t of_kind[2] = {0, 0};
  const std::vector<std::size_t> order = order_of(places, std::min(wanted, places.size()), random);
  // Each place once; if that is not enough, again with the other kind. A text that repeats itself has few places, each
  // found out by reading all of it: not more are tried than a workload of long contexts has time for.
  std::size_t tries = 256 + 8 * wanted;
  std::set<std::pair<std::size_t, ProbeKind>> used;
  for (int round = 0; round < 2; ++round)
    for (const std::size_t place : order) {
      if (drawn.size() == wanted || tries == 0) break;
      --tries;
      const ProbeKind rarer = of_kind[1] < of_kind[0] ? ProbeKind::repeat_next : ProbeKind::continue_sentence;
      const ProbeKind other = rarer == ProbeKind::repeat_next ? ProbeKind::continue_sentence : ProbeKind::repeat_next;
      for (const ProbeKind kind : {rarer, other}) {
        if (used.contains({place, kind})) continue;
        const std::string_view stretch = stretch_for(text, places[place], kind);
        if (stretch.empty() || !taken.insert(stretch).second) continue;
        used.insert({place, kind});
        drawn.push_back({place, kind, stretch});
        ++of_kind[static_cast<std::size_t>(kind)];
        break;
      }
    }
  // A single probe cannot serve both splits: requests never ask the profile's questions.
  const bool both = options.profile > 0 && options.held_out > 0;
  if (drawn.size() < (both ? 2U : 1U)) return {};

  std::ranges::sort(
      drawn, [](const Drawn& a, const Drawn& b) { return std::pair(a.place, a.kind) < std::pair(b.place, b.kind); });
  // Takes every other probe of each kind in place order, so that both splits cover both kinds and the whole text.
  std::vector<Probe> probes;
  double share[2] = {0, 0};  // owed profile probes, by kind
  const double profile_share = static_cast<double>(options.profile) / static_cast<double>(wanted);
  share[1] = 0.5;
  std::size_t profiled = 0;
  for (const Drawn& one : drawn) {
    double& owed = share[static_cast<std::size_t>(one.kind)];
    owed += profile_share;
    const bool profile = owed >= 1.0 - 1e-9;
    if (profile) {
      owed -= 1.0;
      ++profiled;
    }
    probes.push_back({one.kind, std::string(one.stretch), profile ? QuestionSplit::profile : QuestionSplit::held_out});
  }
  // Rounding may leave a split one off, or a short text may leave one empty.
  std::size_t target = static_cast<std::size_t>(static_cast<double>(probes.size()) * profile_share + 0.5);
  if (both) target = std::clamp<std::size_t>(target, 1, probes.size() - 1);
  for (std::size_t i = probes.size(); i-- > 0 && profiled != target;) {
    const QuestionSplit too_many = profiled > target ? QuestionSplit::profile : QuestionSplit::held_out;
    if (probes[i].split != too_many) continue;
    probes[i].split = too_many == QuestionSplit::profile ? QuestionSplit::held_out : QuestionSplit::profile;
    profiled = too_many == QuestionSplit::profile ? profiled - 1 : profiled + 1;
  }
  return probes;
}

std::string worded(const Probe& probe, ProbeWording wording) {
  if (wording == ProbeWording::bare) return probe.stretch;
  if (probe.kind == ProbeKind::continue_sentence)
    return "Continue this passage of the text word for word, up to the end of its sentence: " + probe.stretch;
  return "Repeat word for word the sentence of the text that follows this one: " + probe.stretch;
}

bool lacks_questions(const Workload& workload) {
  std::vector<bool> profile(workload.contexts.size());
  for (const WorkloadQuestion& question : workload.questions)
    if (question.split == QuestionSplit::profile) profile[question.context] = true;
  return std::ranges::find(profile, false) != profile.end();
}

Expected<std::size_t> add_missing_probes(Workload& workload, const ProbeOptions& options) {
  std::vector<std::size_t> profile(workload.contexts.size()), held_out(workload.contexts.size());
  std::set<std::pair<std::size_t, std::string>> asked;
  for (const WorkloadQuestion& question : workload.questions) {
    ++(question.split == QuestionSplit::profile ? profile : held_out)[question.context];
    asked.emplace(question.context, question.question);
  }
  std::size_t added = 0;
  for (std::size_t c = 0; c < workload.contexts.size(); ++c) {
    ProbeOptions wanted = options;
    if (profile[c] > 0) wanted.profile = 0;
    if (profile[c] + held_out[c] > 0) wanted.held_out = 0;  // a context that has only profile questions is intentional
    if (wanted.profile + wanted.held_out == 0) continue;
    const std::vector<Probe> probes = make_probes(workload.contexts[c].text, wanted);
    if (probes.empty() && profile[c] + held_out[c] == 0)
      return fail(ErrorCode::rejected_input,
                  "context '" + printable(workload.contexts[c].id) +
                      "' has no questions, and none can be generated: its text needs two passages of four words or "
                      "more that occur only once; give it questions or more text");
    for (const Probe& probe : probes) {
      std::string question = worded(probe, options.wording);
      if (!asked.emplace(c, question).second) continue;
      workload.questions.push_back({.context = c, .question = std::move(question), .gold = {}, .split = probe.split});
      ++added;
    }
  }
  return added;
}

}  // namespace kvantage::inline workload
