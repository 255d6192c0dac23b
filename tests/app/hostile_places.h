// Links, pipes, devices and files of the system where a file is expected.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/hostile_workloads.h"

namespace kvantage::test::hostile {

inline void make_pipe(const path& file) {
  if (::mkfifo(file.c_str(), 0600) != 0) qFatal("cannot make %s", file.c_str());
}
inline void link_to(const path& file, const path& target) { std::filesystem::create_symlink(target, file); }
constexpr const char* link_to_nothing = "is a link to a file that is missing";
constexpr const char* link_outside = "is a link to a file outside its folder";

inline void add_special_files(Rows& rows) {
  const auto row = [&](const std::string& name, const std::string& says, const std::string& file,
                       const std::function<void(const path&)>& put) {
    rows.push_back({file + " is " + name,
                    [=](const path& folder) {
                      make_workload(folder);
                      std::filesystem::remove(folder / file);
                      put(folder / file);
                    },
                    {"workload", "check", "@"},
                    {3},
                    file + ": " + says});
  };
  // Those that a workload may lack are no less refused.
  for (const char* file : {"contexts.jsonl", "schedule.jsonl", "session.json"}) {
    row("a pipe", "is a pipe", file, make_pipe);
    row("a link to itself", "cannot be read", file, [](const path& at) { link_to(at, at); });
    row("a link to nothing", link_to_nothing, file, [](const path& at) { link_to(at, "nothing"); });
    row("a device without an end", "is a device", file, [](const path& at) { link_to(at, "/dev/zero"); });
    row("the memory of the program", link_outside, file, [](const path& at) { link_to(at, "/proc/self/mem"); });
    row("a file of the system", link_outside, file, [](const path& at) { link_to(at, "/etc/passwd"); });
    row("a folder", "is a folder", file, [](const path& at) { std::filesystem::create_directory(at); });
  }
  for (const auto& [database, says] :
       std::vector<std::pair<const char*, const char*>>{{"/proc/kmsg", "is a file of the system"},
                                                        {"/proc/self/mem", "is a file of the system"},
                                                        {"/dev/zero", "is a pipe, device or socket"},
                                                        {"/", "is a folder"}})
    rows.push_back(
        {std::string("database: ") + database, [](const path&) {}, {"runs", "list", "--db", database}, {3}, says});
  for (const char* out : {"/dev/full", "/dev/null/made", "/proc/made", "/proc/self/fd/1"})
    rows.push_back({std::string("workload made in ") + out,
                    [](const path&) {},
                    {"workload", "make", "--out", out, "--quiet"},
                    {3},
                    std::string(out) + ": folder cannot be created"});
}

/// Files that a model may lack change its prompts and where its answers end: none is left out for a link to nothing.
inline void add_optional_model_files(Rows& rows) {
  const auto row = [&](const char* file, const QStringList& words) {
    rows.push_back({file + std::string(" is a link to nothing"),
                    [=](const path& folder) {
                      for (const char* other : {"config.json", "tokenizer.json"})
                        std::filesystem::copy_file(model_directory() / other, folder / other);
                      save(folder / "text", "ab");
                      link_to(folder / file, "nothing");
                    },
                    words,
                    {3},
                    std::string(file) + ": " + link_to_nothing});
  };
  const auto weights = [&](const char* file, const std::string& says, const std::function<void(const path&)>& put) {
    rows.push_back({file + std::string(" ") + says,
                    [=](const path& folder) {
                      std::filesystem::copy_file(model_directory() / "config.json", folder / "config.json");
                      put(folder / file);
                    },
                    {"model", "info", "@"},
                    {3},
                    std::string(file) + ": " + says});
  };
  weights("model.safetensors", "is a pipe", make_pipe);
  weights("model.safetensors", link_to_nothing, [](const path& at) { link_to(at, "nothing"); });
  weights("model.safetensors.index.json", "is a folder", [](const path& at) { std::filesystem::create_directory(at); });
  row("generation_config.json", {"model", "info", "@"});
  row("tokenizer_config.json", {"tokenize", "@", "--text-file", "@/text"});
  row("chat_template.jinja", {"tokenize", "@", "--text-file", "@/text"});
}

inline void add_strange_folders(Rows& rows) {
  const QStringList import{
      "workload", "import", "@/t", "--out", "@/out", "--quiet", "--model", text_of(model_directory()), "--probes", "0"};
  const auto row = [&](const char* name, const std::function<void(const path&)>& fill, const std::string& says) {
    rows.push_back({name,
                    [=](const path& folder) {
                      std::filesystem::create_directory(folder / "t");
                      fill(folder / "t");
                    },
                    import,
                    {says.empty() ? 0 : 3},
                    says});
  };
  const auto text = [](const path& folder) { save(folder / "a.txt", repeated("One word after another. ", 50)); };
  row(
      "own texts: a folder that holds itself",
      [=](const path& folder) {
        text(folder);
        std::filesystem::create_directory_symlink(folder, folder / "again");
      },
      "");
  row(
      "own texts: a pipe among them",
      [=](const path& folder) {
        text(folder);
        make_pipe(folder / "pipe.txt");
      },
      "");
  row(
      "own texts: a link to a file of the system", [](const path& folder) { link_to(folder / "a.txt", "/etc/passwd"); },
      "its text files are links to files outside it");
  row(
      "own texts: settings that are a file of the system",
      [=](const path& folder) {
        text(folder);
        link_to(folder / "session.json", "/etc/passwd");
      },
      link_outside);
  row(
      "own texts: a name that commands a terminal",
      [=](const path& folder) {
        text(folder);
        save(folder / "b\n\x1b[31m.txt", "\xff\xfe");
      },
      "is UTF-16");
  row(
      "own texts: 500 folders in one another",
      [](const path& folder) {
        path deep = folder;
        for (int i = 0; i < 500; ++i) deep /= "n";
        std::filesystem::create_directories(deep);
      },
      "holds neither workload.json nor a text file");
  rows.push_back({"own text: NULs",
                  one_file("t", [] { return repeated(std::string("a\0b ", 4), 1000); }),
                  import,
                  {3},
                  "is a binary file"});
}

inline void add_strange_stores(Rows& rows) {
  const auto store = [&](const char* name, const std::function<void(const path&)>& spoil, const std::string& says) {
    rows.push_back({name,
                    [=](const path& folder) {
                      std::filesystem::copy(source_directory() / "tests/goldens/written/2026-11/store", folder / "s",
                                            std::filesystem::copy_options::recursive);
                      spoil(folder / "s/model-workload/ssd");
                    },
                    {"store", "check", "@/s"},
                    {says.empty() ? 0 : 3},
                    says});
  };
  rows.push_back({"store: a folder of something else",
                  one_file("t", [] { return std::string("text"); }),
                  {"store", "stat", "@"},
                  {3},
                  "holds no store"});
  store(
      "store: a pipe as its index",
      [](const path& folder) {
        std::filesystem::remove(folder / "index.sqlite");
        make_pipe(folder / "index.sqlite");
      },
      "");
  store(
      "store: an index that links to another file",
      [](const path& folder) {
        std::filesystem::remove(folder / "index.sqlite");
        save(folder.parent_path() / "empty", "");
        link_to(folder / "index.sqlite", folder.parent_path() / "empty");
      },
      "");
  store(
      "store: a pipe as its lock",
      [](const path& folder) {
        std::filesystem::remove(folder / "store.lock");
        make_pipe(folder / "store.lock");
      },
      "in place of a lock");
}

}  // namespace kvantage::test::hostile
