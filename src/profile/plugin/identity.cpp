#include "profile/plugin/identity.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <climits>
#include <ctime>
#include <string_view>

#include "roofline/kernel/capture.hpp"

namespace roofline::profile::plugin {
namespace {

struct Launcher {
  const char* rank;
  const char* world_size;  ///< null: it does not say
};
// A launcher inside of another one stands before it: torchrun under srun sets both.
constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE"},                            // torchrun
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // Open MPI
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},    // MVAPICH
    {"PMI_RANK", "PMI_SIZE"},                          // MPICH, Intel MPI
    {"PMIX_RANK", nullptr},
    {"SLURM_PROCID", "SLURM_NTASKS"},
    {"LOCAL_RANK", "LOCAL_WORLD_SIZE"},
};

long number(const char* text) {
  if (!text) return -1;
  const std::string_view digits = text;
  long value = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() && value >= 0 ? value : -1;
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] ? name.data() : "localhost";
}

std::string program_path() {
  std::array<char, PATH_MAX> path{};
  const auto size = readlink("/proc/self/exe", path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string();
}

std::string quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::uint64_t unix_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

Rank read_rank(const char* (*variable)(const char* name)) {
  for (const auto& launcher : kLaunchers)
    if (const long rank = number(variable(launcher.rank)); rank >= 0)
      return {rank, launcher.world_size ? number(variable(launcher.world_size)) : -1};
  return {};
}

std::string capture_stem() {
  std::string stem = host_name();
  for (auto& c : stem)
    if (c == '/') c = '_';
  return stem + "." + std::to_string(getpid());
}

std::string header_line(const Settings& settings, const Rank& rank, bool simulated) {
  std::string line = "{\"schema\":" + quoted(capture::kSchema);
  const auto text = [&](const char* key, std::string_view value) {
    line += std::string(",\"") + key + "\":" + quoted(value);
  };
  const auto number = [&](const char* key, auto value) {
    line += std::string(",\"") + key + "\":" + std::to_string(value);
  };
  line += ",\"tool\":{\"name\":\"roofline\",\"version\":" + quoted(ROOFLINE_VERSION) + "}";
  text("host", host_name());
  number("pid", getpid());
  number("ppid", getppid());
  if (rank.rank >= 0) number("rank", rank.rank);
  if (rank.world_size >= 0) number("world_size", rank.world_size);
  number("run", settings.run);
  text("mode", settings.mode);
  if (settings.warmups >= 0) number("warmups", settings.warmups);
  text("command", program_path());
  number("started_unix_ns", unix_ns());
  line += simulated ? ",\"simulated\":true}\n" : ",\"simulated\":false}\n";
  return line;
}

}  // namespace roofline::profile::plugin
