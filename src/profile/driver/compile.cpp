#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "roofline/base/text.hpp"
#include "roofline/profile/nvrtc_api.hpp"

namespace roofline::nvrtc {
namespace {

constexpr Status kCompileError = 6;
constexpr std::string_view kNameMap = "__nv_name_map";
constexpr std::size_t kShownLog = 4000;  // of a template's errors the first are the ones that help

/// Destroys the program on every way out.
class ProgramGuard {
 public:
  explicit ProgramGuard(const Api& api) : api_(api) {}
  ProgramGuard(const ProgramGuard&) = delete;
  ProgramGuard& operator=(const ProgramGuard&) = delete;
  ~ProgramGuard() {
    if (program) api_.destroy(&program);
  }
  Program program = nullptr;

 private:
  const Api& api_;
};

tl::unexpected<Error> call_failed(const Api& api, Status status, std::string_view call) {
  const char* text = api.error_text(status);
  return fail(Code::no_compiler, {},
              fmt::format("{} of {} answers {}", call, api.path, text ? text : "?"),
              "is libnvrtc-builtins of the same version beside it?");
}

std::string read_log(const Api& api, Program program) {
  std::size_t size = 0;
  if (api.log_size(program, &size) != 0 || size <= 1) return {};
  std::string text(size, '\0');
  if (api.log(program, text.data()) != 0) return {};
  text.resize(size - 1);
  return text;
}

int number_at(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string source_line(const std::string& source, int line) {
  std::size_t start = 0;
  for (int i = 1; i < line; ++i) {
    start = source.find('\n', start);
    if (start == std::string::npos) return {};
    ++start;
  }
  return source.substr(start, source.find('\n', start) - start);
}

/// "k.cu(7): error: identifier "x" is undefined", as NVRTC writes it: the first one of the log.
Error first_error(const std::string& log, const Job& job) {
  Error error{Code::bad_source, {job.file, 0, 0, 1, {}, 0}, "the kernel does not compile", {}, {}};
  for (std::size_t start = 0; start < log.size();) {
    const auto end = std::min(log.find('\n', start), log.size());
    const std::string_view line(log.data() + start, end - start);
    start = end + 1;
    const auto mark = line.find("): error");
    if (mark == std::string_view::npos) continue;
    const auto open = line.rfind('(', mark);
    const auto words = line.find(": ", mark + 3);
    if (open == std::string_view::npos) continue;
    error.where.file = std::string(line.substr(0, open));
    error.where.line = number_at(line.substr(open + 1));
    if (error.where.file == job.file)
      error.where.source_line = source_line(job.source, error.where.line);
    error.what = "the kernel does not compile";
    if (words != std::string_view::npos) error.what += ": " + std::string(line.substr(words + 2));
    break;
  }
  return error;
}

tl::unexpected<Error> no_such_entry(const Job& job, std::string log) {
  return fail(
      Code::unknown_name, {job.file, 0, 0, 1, {}, 0},
      fmt::format("no __global__ function \"{}\" in this source", printable(job.entry)),
      log.empty() ? "entry: takes a C++ name, as in scale or ns::scale<float, 4>" : std::move(log));
}

tl::unexpected<Error> compile_error(const Api& api, Program program, const Job& job) {
  auto log = read_log(api, program);
  auto error = first_error(log, job);
  // The expression that names the entry stands in a file of NVRTC's own.
  if (error.where.file == kNameMap) error = no_such_entry(job, {}).value();
  while (log.ends_with('\n')) log.pop_back();
  if (log.size() > kShownLog) log = log.substr(0, kShownLog) + "\n...";
  error.note = fmt::format("log of NVRTC {}.{}:\n{}", api.major, api.minor, log);
  return tl::unexpected(std::move(error));
}

std::vector<std::string> options_of(const Api& api, const Job& job) {
  int count = 0;
  std::vector<int> known;
  if (api.arch_count(&count) == 0 && count > 0) {
    known.resize(static_cast<std::size_t>(count));
    if (api.archs(known.data()) != 0) known.clear();
  }
  std::vector<std::string> options = {
      "--gpu-architecture=" + architecture_option(job.capability, known), "--std=c++17",
      "--generate-line-info"};
  for (const auto& folder : job.folders) options.push_back("--include-path=" + folder);
  const auto lib = std::filesystem::path(api.path).parent_path();
  for (const auto& include :
       {lib.parent_path() / "include", lib.parent_path().parent_path() / "include"}) {
    std::error_code failed;
    if (std::filesystem::exists(include / "cuda_fp16.h", failed))
      options.push_back("--include-path=" + include.string());
  }
  options.insert(options.end(), job.options.begin(), job.options.end());
  return options;
}

Result<std::string> image_of(const Api& api, Program program, bool ptx) {
  std::size_t size = 0;
  const auto sized = ptx ? api.ptx_size(program, &size) : api.cubin_size(program, &size);
  if (sized != 0) return call_failed(api, sized, "nvrtcGetCUBINSize");
  std::string image(size, '\0');
  const auto read = ptx ? api.ptx(program, image.data()) : api.cubin(program, image.data());
  if (read != 0) return call_failed(api, read, "nvrtcGetCUBIN");
  return image;
}

}  // namespace

std::string architecture_option(int capability, std::span<const int> known) {
  if (known.empty() || std::find(known.begin(), known.end(), capability) != known.end()) {
    // Code for this very GPU may use what only it has: wgmma, tcgen05.
    return fmt::format("sm_{}{}", capability, capability >= 90 ? "a" : "");
  }
  int newest = 0;
  for (const int arch : known)
    if (arch < capability) newest = std::max(newest, arch);
  return fmt::format("compute_{}", newest ? newest : *std::min_element(known.begin(), known.end()));
}

Result<Kernel> compile(const Api& api, const Job& job) {
  ProgramGuard guard(api);
  if (const auto status =
          api.create(&guard.program, job.source.c_str(), job.file.c_str(), 0, nullptr, nullptr);
      status != 0)
    return call_failed(api, status, "nvrtcCreateProgram");
  if (const auto status = api.add_name(guard.program, job.entry.c_str()); status != 0)
    return call_failed(api, status, "nvrtcAddNameExpression");
  const auto options = options_of(api, job);
  std::vector<const char*> words;
  for (const auto& option : options) words.push_back(option.c_str());
  const auto compiled = api.compile(guard.program, static_cast<int>(words.size()), words.data());
  if (compiled == kCompileError) return compile_error(api, guard.program, job);
  if (compiled != 0) {
    auto refused = call_failed(api, compiled, "nvrtcCompileProgram");
    refused.value().note = read_log(api, guard.program);
    return refused;
  }
  Kernel kernel;
  kernel.log = read_log(api, guard.program);
  kernel.is_ptx = options.front().find("=compute_") != std::string::npos;
  const char* name = nullptr;
  if (api.lowered_name(guard.program, job.entry.c_str(), &name) != 0 || !name)
    return no_such_entry(job, {});
  kernel.name = name;
  auto image = image_of(api, guard.program, kernel.is_ptx);
  if (!image) return tl::unexpected(std::move(image.error()));
  kernel.image = std::move(*image);
  return kernel;
}

}  // namespace roofline::nvrtc
