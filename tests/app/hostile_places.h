// Links, pipes, devices and files of the system where a file is expected.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tests/app/hostile_workloads.h"

namespace kvantage::test::hostile {

inline void make_pipe(const path& file) {
  if (::mkfifo(file.c_str(), 0600) != 0) qFatal("cannot make %s", file.c_str());
}
inline void link_to(const path& file, const path& target) { std::filesystem::create_symlink(target, file); }

inline void add_special_files(Rows& rows) {
  const auto row = [&](const std::string& name, const char* file, const std::function<void(const path&)>& put) {
    rows.push_back({file + (" is " + name),
                    [=](const path& folder) {
                      make_workload(folder);
                      std::filesystem::remove(folder / file);
                      put(folder / file);
                    },
                    {"workload", "check", "@"},
                    {3}});
  };
  // Those that a workload may lack are no less refused.
  for (const char* file : {"contexts.jsonl", "schedule.jsonl", "session.json"}) {
    row("a pipe", file, make_pipe);
    row("a link to itself", file, [](const path& at) { link_to(at, at); });
    row("a link to nothing", file, [](const path& at) { link_to(at, "nothing"); });
    row("a device without an end", file, [](const path& at) { link_to(at, "/dev/zero"); });
    row("the memory of the program", file, [](const path& at) { link_to(at, "/proc/self/mem"); });
    row("a folder", file, [](const path& at) { std::filesystem::create_directory(at); });
  }
  for (const char* database : {"/proc/kmsg", "/proc/self/mem", "/dev/zero", "/"})
    rows.push_back({std::string("database: ") + database, [](const path&) {}, {"runs", "list", "--db", database}, {3}});
  for (const char* out : {"/dev/full", "/dev/null/made", "/proc/made", "/proc/self/fd/1"})
    rows.push_back({std::string("workload made in ") + out,
                    [](const path&) {},
                    {"workload", "make", "--out", out, "--quiet"},
                    {3}});
}

inline void add_strange_folders(Rows& rows) {
  const QStringList import{
      "workload", "import", "@/t", "--out", "@/out", "--quiet", "--model", text_of(model_directory()), "--probes", "0"};
  const auto row = [&](const char* name, const std::function<void(const path&)>& fill, int code) {
    rows.push_back({name,
                    [=](const path& folder) {
                      std::filesystem::create_directory(folder / "t");
                      fill(folder / "t");
                    },
                    import,
                    {code}});
  };
  const auto text = [](const path& folder) { save(folder / "a.txt", repeated("One word after another. ", 50)); };
  row(
      "own texts: a folder that holds itself",
      [=](const path& folder) {
        text(folder);
        std::filesystem::create_directory_symlink(folder, folder / "again");
      },
      0);
  row(
      "own texts: a pipe among them",
      [=](const path& folder) {
        text(folder);
        make_pipe(folder / "pipe.txt");
      },
      0);
  row(
      "own texts: names that command a terminal",
      [](const path& folder) {
        for (int i = 0; i < 20; ++i) save(folder / (std::to_string(i) + "\n\x1b[31m.txt"), "One word after another.");
      },
      0);
  row(
      "own texts: 500 folders in one another",
      [](const path& folder) {
        path deep = folder;
        for (int i = 0; i < 500; ++i) deep /= "n";
        std::filesystem::create_directories(deep);
      },
      3);
  rows.push_back(
      {"own text: NULs", one_file("t", [] { return repeated(std::string("a\0b ", 4), 1000); }), import, {3}});
  const auto store = [&](const char* name, const std::function<void(const path&)>& spoil, int code) {
    rows.push_back({name,
                    [=](const path& folder) {
                      std::filesystem::copy(source_directory() / "tests/goldens/written/2026-11/store", folder / "s",
                                            std::filesystem::copy_options::recursive);
                      spoil(folder / "s/model-workload/ssd");
                    },
                    {"store", "check", "@/s"},
                    {code}});
  };
  store(
      "store: a pipe as its index",
      [](const path& folder) {
        std::filesystem::remove(folder / "index.sqlite");
        make_pipe(folder / "index.sqlite");
      },
      0);
  store(
      "store: an index that links to another file",
      [](const path& folder) {
        std::filesystem::remove(folder / "index.sqlite");
        save(folder.parent_path() / "empty", "");
        link_to(folder / "index.sqlite", folder.parent_path() / "empty");
      },
      0);
  store(
      "store: a pipe as its lock",
      [](const path& folder) {
        std::filesystem::remove(folder / "store.lock");
        make_pipe(folder / "store.lock");
      },
      3);
}

}  // namespace kvantage::test::hostile
