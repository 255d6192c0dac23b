#include "core/compress/method_form.h"

#include "core/base/json.h"

namespace kvantage::inline compression {
namespace {

constexpr std::size_t deepest = 8;  // nesting limit of wrappers; beyond any real use

Status read_chain(std::string_view text, std::vector<MethodText>& chain) {
  if (chain.size() >= deepest) return fail(ErrorCode::usage, "method: nested too deeply; one budget around one scorer");
  const auto form = FormText::read(trimmed(text), "method");
  if (!form || form->arguments().empty() || !form->arguments().front().key.empty() ||
      trimmed(form->arguments().front().value).empty()) {
    KV_ASSIGN(auto read, read_method_text(text));
    chain.push_back(std::move(read));
    return {};
  }
  KV_ASSIGN(auto read, method_text_of(*form, std::span(form->arguments()).subspan(1)));
  chain.push_back(std::move(read));
  return read_chain(form->arguments().front().value, chain);
}

}  // namespace

Expected<MethodForm> read_method_form(std::string_view text, bool (*is_codec)(std::string_view name)) {
  auto parts = split_outside_parentheses(text, '+');
  MethodForm form;
  if (is_codec(trimmed(FormText::name_of(parts.front()))))
    form.chain.push_back({"none", {}});
  else {
    KV_TRY(read_chain(parts.front(), form.chain));
    parts.erase(parts.begin());
  }
  for (const std::string_view part : parts) {
    if (trimmed(part).empty())
      return fail(ErrorCode::usage,
                  "method '" + printable(text) +
                      "': a '+' needs a method before it and a codec after it; write it like snapkv+kivi4");
    form.codec += (form.codec.empty() ? "" : "+") + std::string(trimmed(part));
  }
  return form;
}

}  // namespace kvantage::inline compression
