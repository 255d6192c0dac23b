#include "core/policy/policies.h"

namespace kvantage::inline policy {

MadePolicy make_fixed_policy(const FormArguments& arguments) {
  return make_eviction_policy(arguments.canonical_text(), arguments.text("METHOD"), arguments.real("REMOVED_FRACTION"),
                              *find_eviction_order(arguments.text("eviction")));
}

std::optional<FixedText> read_fixed(std::string_view text) {
  const auto form = FormText::read(text, "policy");
  if (!form || form->name() != "fixed") return std::nullopt;
  const auto arguments = FormArguments::resolve(*form, find_policy_info("fixed")->parameters, "policy", text);
  if (!arguments) return std::nullopt;
  return FixedText{arguments->text("METHOD"), arguments->real("REMOVED_FRACTION"), arguments->text("eviction")};
}

}  // namespace kvantage::inline policy
