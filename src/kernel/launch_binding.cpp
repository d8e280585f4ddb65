#include "roofline/kernel/launch_binding.hpp"

#include <fmt/format.h>

#include "roofline/base/pattern.hpp"
#include "roofline/base/text.hpp"
#include "roofline/kernel/function_name.hpp"

namespace roofline {
namespace {

/// What an entry without `match:` stands for: the function that it launches, else the one of its
/// name.
std::string default_name(const Kernel& entry) {
  return entry.launch.empty() ? entry.name : canonical_name(entry.launch.front().entry);
}

/// An entry's conditions, compiled.
class Selector {
 public:
  static Result<Selector> of(const Kernel& entry) {
    Selector selector;
    selector.match_ = entry.match.value_or(
        Match{.name = default_name(entry), .regex = {}, .glob = {}, .grid = {}, .block = {}});
    for (auto* sizes : {&selector.match_.grid, &selector.match_.block})
      if (!sizes->empty()) sizes->resize(3, 1);
    const auto compile = [&](const std::string& text, Result<Pattern> (*make)(std::string_view),
                             std::optional<Pattern>& into) -> Result<void> {
      if (text.empty()) return {};
      auto pattern = make(text);
      if (!pattern) return tl::unexpected(std::move(pattern.error()));
      into = std::move(*pattern);
      return {};
    };
    if (auto done = compile(selector.match_.glob, &Pattern::glob, selector.glob_); !done)
      return tl::unexpected(done.error());
    if (auto done = compile(selector.match_.regex, &Pattern::regex, selector.regex_); !done)
      return tl::unexpected(done.error());
    return selector;
  }

  bool matches(const ProfiledKernel& kernel) const {
    if (!match_.name.empty() && match_.name != kernel.name) return false;
    if (!same(match_.grid, kernel.grid) || !same(match_.block, kernel.block)) return false;
    return (!glob_ || glob_->matches(kernel.name)) &&
           (!regex_ || regex_->matches(kernel.full_name));
  }

 private:
  static bool same(const std::vector<std::uint64_t>& asked,
                   const std::array<std::uint64_t, 3>& seen) {
    return asked.empty() || std::equal(asked.begin(), asked.end(), seen.begin(), seen.end());
  }
  Match match_;
  std::optional<Pattern> glob_, regex_;
};

Error both_match(const Kernel& first, const Kernel& second, const ProfiledKernel& seen) {
  return {Code::contradiction, second.where,
          fmt::format("both {} and {} match the kernel {}", printable(first.name),
                      printable(second.name), printable(seen.name)),
          fmt::format("narrow one of them with grid: [{}] or block: [{}], or a longer pattern",
                      fmt::join(seen.grid, ", "), fmt::join(seen.block, ", ")),
          fmt::format("the other stands in line {}", first.where.line)};
}

}  // namespace

Checked<LaunchBinding> bind_launches(std::span<const Kernel> entries,
                                     std::span<const ProfiledKernel> seen) {
  LaunchBinding binding{std::vector<std::optional<std::size_t>>(seen.size()),
                        std::vector<std::vector<std::size_t>>(entries.size())};
  Errors errors;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto selector = Selector::of(entries[e]);
    if (!selector) {
      errors.push_back(selector.error());
      errors.back().where = entries[e].where;
      continue;
    }
    for (std::size_t k = 0; k < seen.size(); ++k) {
      if (!selector->matches(seen[k])) continue;
      if (binding.entry_of[k]) {
        errors.push_back(both_match(entries[*binding.entry_of[k]], entries[e], seen[k]));
        break;
      }
      binding.entry_of[k] = e;
      binding.seen_by[e].push_back(k);
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return binding;
}

std::string nearest_kernel(const std::string& name, std::span<const ProfiledKernel> seen) {
  std::vector<std::string_view> names;
  for (const auto& kernel : seen) names.push_back(kernel.name);
  return did_you_mean(name, names);
}

}  // namespace roofline
