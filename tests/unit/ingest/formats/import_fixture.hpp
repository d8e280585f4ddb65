#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "roofline/ingest/importer.hpp"
#include "roofline/kernel/measured_counters.hpp"
#include "roofline/profile/collect.hpp"

/// What the tests of importers share: a file imported and read as a profile, and the corpus of real
/// files with what a correct reading finds in them.
namespace roofline::test {

struct ReadBack {
  std::string format;
  Profiled profile;
  std::optional<Error> error;

  std::uint64_t loss(std::string_view reason) const {
    for (const auto& loss : profile.losses)
      if (loss.reason == reason) return loss.count;
    return 0;
  }
  /// Sum of launches and of their time in ns, exact as long as times are whole ns.
  std::uint64_t launches() const { return profile.launches(); }
  long long total_ns() const {
    return static_cast<long long>(profile.kernel_time().value() * 1e9 + 0.5);
  }
  const std::string& cut() const { return profile.processes.at(0).cut; }
  const std::string& tool() const { return profile.processes.at(0).imported_from; }
  const ProfiledKernel* find(std::string_view name) const {
    for (const auto& kernel : profile.kernels)
      if (kernel.name == name || kernel.full_name == name) return &kernel;
    return nullptr;
  }
};

inline ReadBack import_back(const std::string& path, const ImportOptions& options = {},
                            std::string_view format = {}) {
  ReadBack back;
  auto imported = import_file(path, format.empty() ? nullptr : find_importer(format), options);
  if (!imported) {
    back.error = imported.error();
    return back;
  }
  back.format = imported->importer->name;
  const CaptureSource source{path,
                             std::make_shared<const std::string>(std::move(imported->capture))};
  auto profile = read_profile(std::span(&source, 1));
  if (!profile) {
    back.error = profile.error().front();
    return back;
  }
  back.profile = std::move(*profile);
  return back;
}

inline std::string corpus(const std::string& name) {
  return std::string(ROOFLINE_SHARED) + "/corpus/" + name;
}
inline std::string data(const std::string& name) {
  return std::string(ROOFLINE_TEST_DATA) + "/" + name;
}

/// expected.json of the corpus; null where there is no corpus.
inline const nlohmann::json& expected() {
  static const nlohmann::json all = [] {
    std::ifstream file(corpus("expected.json"));
    return file ? nlohmann::json::parse(file) : nlohmann::json();
  }();
  return all;
}

/// A file in a folder of its own that goes with it.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, std::string_view content) {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("roofline-import-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / name).string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

/// The bytes of a file.
inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Copies and sets on all devices.
inline std::uint64_t copies_of(const ReadBack& back) {
  std::uint64_t copies = 0;
  for (const auto& device : back.profile.activity) copies += device.copies;
  return copies;
}

/// What a kernel's counters say, of one of its profiled launches.
inline MeasuredCounters counters_of(const ProfiledKernel& kernel, std::size_t occurrence = 0) {
  const auto& values = kernel.counters.at(occurrence).values;
  return measured_counters(
      std::vector<std::pair<std::string, double>>(values.begin(), values.end()));
}

/// A file called `name` that holds `whole`, cut in many places and with up to three of its bytes
/// changed to some of `alphabet` (any, where it is empty) behind the first `kept`, is read or
/// refused; a cut one never has more launches than the whole.
inline void expect_damage_ends_well(const std::string& name, const std::string& whole,
                                    std::string_view alphabet = {}, std::size_t kept = 0) {
  const auto most = import_back(TemporaryFile(name, whole).path()).launches();
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 61 + 1)
    EXPECT_LE(import_back(TemporaryFile(name, whole.substr(0, size)).path()).launches(), most)
        << size;
  std::uint64_t state = 4711;
  for (int round = 0; round < 100; ++round) {
    auto changed = whole;
    for (int i = 0; i < 3; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto other = (state >> 20) % (alphabet.empty() ? 256 : alphabet.size());
      changed[kept + (state >> 33) % (changed.size() - kept)] =
          alphabet.empty() ? static_cast<char>(other) : alphabet[other];
    }
    import_back(TemporaryFile(name, changed).path());
  }
}

}  // namespace roofline::test

#define SKIP_WITHOUT_CORPUS()                           \
  if (roofline::test::expected().is_null())             \
  GTEST_SKIP() << "no corpus under " << ROOFLINE_SHARED \
               << ": real files of other profilers were not read"
