#include "core/workload/families/families.h"

#include <algorithm>
#include <iterator>

#include "core/base/did_you_mean.h"

namespace kvantage::inline text_families {
namespace {

constexpr Family all_families[] = {
    {"registry", "four-digit numbers kept under a document and a full name", generate_registry},
    {"inventory", "two attributes of colored objects", generate_inventory},
    {"news", "articles: who did what to which building, where and when, among people nobody asks for", generate_news},
    {"story", "few facts, each told many times in other words", generate_story},
    {"meeting", "who promised what to whom, until when", generate_meeting},
    {"config", "values of dotted keys", generate_config},
    {"fewshot", "labels of object classes, to be applied to a new object", generate_fewshot},
    {"needle", "few numbers in a long text about something else", generate_needle},
    {"ledger", "who paid what to whom, each entry leading to the next, to be copied out at length", generate_ledger,
     true},
    {"code", "statements of Python, whose next one is asked for; reference-mha answers them", generate_code, false,
     false},
};

}  // namespace

std::span<const Family> families() {
  static const std::vector<Family> in_training = [] {
    std::vector<Family> kept;
    kept.reserve(std::size(all_families));
    std::ranges::copy_if(all_families, std::back_inserter(kept), &Family::in_training);
    return kept;
  }();
  return in_training;
}

std::span<const Family> known_families() { return all_families; }

Expected<const Family*> find_family(std::string_view name) {
  std::string names;
  for (const Family& family : all_families) {
    if (family.name == name) return &family;
    names += (names.empty() ? "" : ", ") + std::string(family.name);
  }
  return fail(ErrorCode::usage, std::string("unknown family '").append(name) + "'; " +
                                    did_you_mean(name, all_families, "choose from " + names, &Family::name));
}

}  // namespace kvantage::inline text_families
