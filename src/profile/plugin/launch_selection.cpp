#include "profile/plugin/launch_selection.hpp"

#include <algorithm>
#include <functional>

namespace roofline::profile::plugin {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

std::uint64_t hash_of(const LaunchInfo& launch) {
  std::uint64_t hash = std::hash<std::string_view>{}(launch.name);
  for (const auto* three : {&launch.grid, &launch.block})
    for (const std::uint64_t extent : *three)
      hash = (hash ^ extent) * 0x9e3779b97f4a7c15u + (hash >> 29);
  return hash;
}

}  // namespace

void LaunchSelection::configure(long skip, long launches, std::vector<std::string> excluded) {
  skip_ = skip;
  launches_ = launches;
  excluded_.clear();
  for (const auto& part : excluded) excluded_.push_back(lower(part));
}

bool LaunchSelection::is_excluded(std::string_view name) const {
  if (excluded_.empty()) return false;
  const std::string folded = lower(name);
  return std::any_of(excluded_.begin(), excluded_.end(), [&](const std::string& part) {
    return folded.find(part) != std::string::npos;
  });
}

LaunchSelection::Choice LaunchSelection::choose(const LaunchInfo& launch, bool extra_memory) {
  const auto hash = hash_of(launch);
  const std::lock_guard lock(mutex_);
  auto found = shapes_.find(hash);
  if (found == shapes_.end()) {
    if (shapes_.size() >= kMostShapes) return {Why::no_room, 0};
    found = shapes_.emplace(hash, Shape{0, is_excluded(launch.name)}).first;
  }
  const std::uint64_t occurrence = found->second.launched++;
  if (found->second.excluded) return {Why::excluded, occurrence};
  const auto skip = static_cast<std::uint64_t>(skip_), most = static_cast<std::uint64_t>(launches_);
  if (occurrence < skip) return {Why::early, occurrence};
  if (occurrence < skip + most) return {Why::chosen, occurrence};
  return {extra_memory && occurrence == skip + most ? Why::memory : Why::done, occurrence};
}

std::size_t LaunchSelection::never_chosen() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(shapes_.begin(), shapes_.end(), [&](const auto& row) {
        return !row.second.excluded && row.second.launched <= static_cast<std::uint64_t>(skip_);
      }));
}

}  // namespace roofline::profile::plugin
