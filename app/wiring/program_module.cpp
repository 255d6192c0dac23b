#include "app/wiring/program_module.h"

#include <dlfcn.h>

#include <cstdlib>

#include "core/base/folders.h"

namespace kvantage::inline wiring {

std::vector<std::filesystem::path> module_places(const ProgramModule& module) {
  if (const char* named = std::getenv(module.variable); named != nullptr && *named != '\0') return {named};
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return {program / module.file, program / "lib" / module.file,
          program.parent_path() / "lib" / "kvantage" / module.file,
          program.parent_path() / "app" / module.file};  // in a build tree, for its tests
}

std::optional<std::filesystem::path> find_module(const std::vector<std::filesystem::path>& places) {
  for (const std::filesystem::path& place : places)
    if (std::error_code ignored; std::filesystem::exists(place, ignored)) return place;
  return {};
}

std::string missing_module_text(const ProgramModule& module, const std::vector<std::filesystem::path>& places) {
  if (places.size() == 1)
    return "there is no file " + places.front().string() + "; name the module in " + module.variable + ", or unset it";
  return std::string("there is no module ") + module.file + " next to the program; './run " + module.option +
         "' builds it, or name it in " + module.variable;
}

Expected<void*> load_module(const ProgramModule& module, const std::filesystem::path& file) {
  void* const loaded = ::dlopen(absolute_or_given(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    const char* why = ::dlerror();
    return fail(ErrorCode::rejected_input, file.string() +
                                               ": cannot be loaded: " + (why != nullptr ? why : "no reason given") +
                                               "; './run " + module.option + "' rebuilds the module");
  }
  void* const entry = ::dlsym(loaded, module.entry);
  if (entry == nullptr)
    return fail(ErrorCode::rejected_input,
                file.string() + ": is not a module of this program; './run " + module.option + "' builds one");
  return entry;
}

}  // namespace kvantage::inline wiring
