#include "roofline/profile/host.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

extern char** environ;  // NOLINT: POSIX names it so

namespace roofline::profile {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kCapSysAdmin = 21, kCapPerfmon = 38;
constexpr std::size_t kMostRead = 1 << 16;  // of files in /proc
constexpr std::size_t kMostProcesses = 100'000;

std::string read_start(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostRead, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

bool there(const fs::path& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

/// Names in a folder, sorted; none where it cannot be read.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator item(folder, failed), end; !failed && item != end;
       item.increment(failed)) {
    names.push_back(item->path().filename().string());
    if (names.size() >= kMostProcesses) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The text after `key` up to the end of its line, without blanks around it.
std::optional<std::string> value_after(const std::string& text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  const auto start = text.find_first_not_of(" \t", at + key.size());
  const auto end = std::min(text.find('\n', at), text.size());
  if (start == std::string::npos || start >= end) return std::string();
  return text.substr(start, end - start);
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The first word that looks like a version: "... Kernel Module  580.65.06  Release Build ...".
std::string first_version(const std::string& text) {
  for (std::size_t start = text.find_first_of("0123456789"); start != std::string::npos;
       start = text.find_first_of("0123456789", text.find_first_not_of("0123456789.", start))) {
    const auto end = std::min(text.find_first_not_of("0123456789.", start), text.size());
    const auto word = text.substr(start, end - start);
    const bool stands_alone = start == 0 || text[start - 1] == ' ' || text[start - 1] == '\t';
    if (stands_alone && word.find('.') != std::string::npos) return word;
    if (end == text.size()) break;
  }
  return {};
}

std::string module_version(const fs::path& root) {
  const auto text = read_start(root / "proc/driver/nvidia/version");
  if (const auto line = value_after(text, "NVRM version:")) return first_version(*line);
  return first_version(read_start(root / "sys/module/nvidia/version"));
}

std::vector<std::string> pci_gpus(const fs::path& root) {
  std::vector<std::string> ids;
  const auto folder = root / "sys/bus/pci/devices";
  for (const auto& name : names_in(folder)) {
    if (!read_start(folder / name / "vendor").starts_with("0x10de")) continue;
    if (!read_start(folder / name / "class").starts_with("0x03"))
      continue;  // display and 3D controllers
    const auto device = read_start(folder / name / "device");
    if (device.size() >= 6) ids.push_back("10de:" + device.substr(2, 4));
  }
  return ids;
}

void read_nodes(const fs::path& root, Host& host) {
  for (const auto& name : names_in(root / "dev")) {
    const bool gpu = name.starts_with("nvidia") && is_number(std::string_view(name).substr(6));
    const bool control = name == "nvidiactl", uvm = name == "nvidia-uvm";
    if (!gpu && !control && !uvm) continue;
    const auto path = root / "dev" / name;
    host.nodes.push_back({"/dev/" + name, ::access(path.c_str(), R_OK | W_OK) == 0});
    host.control_node = host.control_node || control;
    host.uvm_node = host.uvm_node || uvm;
  }
}

std::optional<std::uint64_t> effective_capabilities(const fs::path& root) {
  const auto text = value_after(read_start(root / "proc/self/status"), "CapEff:");
  if (!text) return std::nullopt;
  std::uint64_t bits = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), bits, 16);
  if (read.ec != std::errc()) return std::nullopt;
  return bits;
}

std::optional<bool> counters_admin_only(const fs::path& root) {
  const auto value =
      value_after(read_start(root / "proc/driver/nvidia/params"), "RmProfilingAdminOnly:");
  if (!value || value->empty()) return std::nullopt;
  return *value != "0";
}

struct ContainerSign {
  std::string_view word;
  Container container;
};
// Words in /proc/1/cgroup and /proc/self/mountinfo of processes in containers.
constexpr ContainerSign kCgroupSigns[] = {
    {"kubepods", Container::kubernetes}, {"docker", Container::docker},
    {"libpod", Container::podman},       {"lxc", Container::other},
    {"containerd", Container::other},
};

Container find_container(const HostView& view, const fs::path& root) {
  if (view.variable("KUBERNETES_SERVICE_HOST")) return Container::kubernetes;
  if (view.variable("APPTAINER_CONTAINER") || view.variable("SINGULARITY_CONTAINER"))
    return Container::singularity;
  if (there(root / ".dockerenv")) return Container::docker;
  if (there(root / "run/.containerenv")) return Container::podman;
  const auto cgroup = read_start(root / "proc/1/cgroup");
  for (const auto& sign : kCgroupSigns)
    if (cgroup.find(sign.word) != std::string::npos) return sign.container;
  return view.variable("container") ? Container::other : Container::none;
}

/// Programs that own the hardware counters while they run, by the name of their process.
constexpr std::string_view kCounterOwners[] = {"nv-hostengine", "dcgm", "nsys", "ncu"};

std::vector<std::string> running_profilers(const fs::path& root) {
  std::vector<std::string> found;
  for (const auto& name : names_in(root / "proc")) {
    if (!is_number(name)) continue;
    auto command = read_start(root / "proc" / name / "comm");
    while (command.ends_with('\n')) command.pop_back();
    const bool owner = std::find(std::begin(kCounterOwners), std::end(kCounterOwners), command) !=
                       std::end(kCounterOwners);
    if (owner && std::find(found.begin(), found.end(), command) == found.end())
      found.push_back(command);
  }
  return found;
}

bool mps_set_up(const HostView& view, const fs::path& root) {
  const auto folder = view.variable("CUDA_MPS_PIPE_DIRECTORY").value_or("/tmp/nvidia-mps");
  return there(root / fs::path(folder).relative_path() / "control");
}

bool has(const std::optional<std::uint64_t>& bits, unsigned capability) {
  return bits && (*bits >> capability & 1U) != 0;
}

}  // namespace

HostView HostView::of_this_machine() {
  HostView view;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos)
      view.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return view;
}

std::optional<std::string> HostView::variable(const std::string& name) const {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::string_view container_name(Container container) {
  constexpr std::string_view kNames[] = {
      "none", "Docker", "Podman", "Kubernetes", "Singularity/Apptainer", "a container"};
  return kNames[static_cast<std::size_t>(container)];
}

bool Host::has_admin() const { return has(capabilities, kCapSysAdmin); }
bool Host::has_perfmon() const { return has(capabilities, kCapPerfmon); }

Host read_host(const HostView& view) {
  const fs::path root = view.root.empty() ? fs::path("/") : fs::path(view.root);
  Host host;
  host.kernel_module = module_version(root);
  host.nouveau = there(root / "sys/module/nouveau");
  host.pci_gpus = pci_gpus(root);
  read_nodes(root, host);
  host.jetson = there(root / "etc/nv_tegra_release") || there(root / "dev/nvhost-gpu");
  host.counters_admin_only = counters_admin_only(root);
  host.capabilities = effective_capabilities(root);
  host.wsl = there(root / "dev/dxg") ||
             read_start(root / "proc/version").find("icrosoft") != std::string::npos;
  host.container = find_container(view, root);
  host.mps = mps_set_up(view, root);
  host.profilers = running_profilers(root);
  return host;
}

}  // namespace roofline::profile
