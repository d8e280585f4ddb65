#include "profile/launch/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "roofline/quantities/units.hpp"

namespace roofline::profile {
namespace {

// A word that is NaN as fp32 and as a pair of bf16, and no small integer.
constexpr std::uint32_t kPoison = 0x7fbadbad;
// Data is made once for a block and repeated: a GiB of random numbers would take longer than all
// launches together.
constexpr std::size_t kBlock = std::size_t{64} << 20;

bool only_written(const LaunchTensor& tensor) { return tensor.writes && !tensor.reads; }

std::vector<unsigned char> block_of(const LaunchTensor& tensor, std::size_t bytes,
                                    std::uint64_t seed) {
  std::vector<unsigned char> block(std::min(bytes, kBlock));
  if (only_written(tensor)) {
    for (std::size_t at = 0; at < block.size(); ++at)
      block[at] = static_cast<unsigned char>(kPoison >> (8 * (at % sizeof kPoison)));
    return block;
  }
  if (tensor.fill == Fill::random) fill_random(block, tensor.dtype, seed);
  if (tensor.fill == Fill::index)
    fill_indices(block, tensor.dtype, static_cast<std::uint64_t>(tensor.below.value()), seed);
  return block;
}

Result<void> fill_memory(const cuda::Api& api, const cuda::Memory& memory,
                         const std::vector<unsigned char>& block) {
  for (std::size_t at = 0; at < memory.bytes(); at += block.size()) {
    const auto part = std::min(block.size(), memory.bytes() - at);
    if (auto done = cuda::check(api, api.copy_to_device(memory.address() + at, block.data(), part),
                                "cuMemcpyHtoD");
        !done)
      return done;
  }
  return {};
}

Result<void> check_room(const cuda::Api& api, const LaunchRecipe& recipe) {
  Count needed = 0;
  for (const auto& tensor : recipe.tensors) needed += tensor.bytes;
  std::size_t free_bytes = 0, total = 0;
  if (auto done = cuda::check(api, api.memory_info(&free_bytes, &total), "cuMemGetInfo"); !done)
    return done;
  if (needed <= Count(free_bytes)) return {};
  return fail(
      Code::out_of_range, {},
      fmt::format("the tensors take {}, and {} are free on this GPU",
                  format_bytes(needed.to_double()), format_bytes(static_cast<double>(free_bytes))),
      "make the sizes in params: smaller");
}

Result<double> untouched_share(const cuda::Api& api, const cuda::Memory& memory) {
  const std::size_t words = memory.bytes() / sizeof kPoison;
  if (words == 0) return 0.0;
  std::vector<std::uint32_t> part(std::min(words, kBlock / sizeof kPoison));
  std::size_t untouched = 0;
  for (std::size_t at = 0; at < words; at += part.size()) {
    const auto count = std::min(part.size(), words - at);
    const auto status = api.copy_from_device(part.data(), memory.address() + at * sizeof kPoison,
                                             count * sizeof kPoison);
    if (auto done = cuda::check(api, status, "cuMemcpyDtoH"); !done)
      return tl::unexpected(std::move(done.error()));
    untouched += static_cast<std::size_t>(
        std::count(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count), kPoison));
  }
  return static_cast<double>(untouched) / static_cast<double>(words);
}

}  // namespace

Result<DeviceTensors> DeviceTensors::make(const cuda::Api& api, const LaunchJob& job) {
  if (auto room = check_room(api, job.recipe); !room)
    return tl::unexpected(std::move(room.error()));
  DeviceTensors tensors;
  for (const auto& tensor : job.recipe.tensors) {
    // An empty tensor still needs an address.
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(tensor.bytes.to_int64(), 1));
    auto memory = cuda::Memory::allocate(api, bytes);
    if (!memory) return tl::unexpected(std::move(memory.error()));
    const auto block = block_of(tensor, bytes, job.seed + tensors.placed_.size());
    if (auto filled = fill_memory(api, *memory, block); !filled)
      return tl::unexpected(std::move(filled.error()));
    tensors.bytes_ += bytes;
    tensors.placed_.push_back({tensor, std::move(*memory)});
  }
  return tensors;
}

cuda::Address DeviceTensors::address(std::string_view name) const {
  const auto found = std::find_if(placed_.begin(), placed_.end(),
                                  [&](const Placed& p) { return p.tensor.name == name; });
  return found == placed_.end() ? 0 : found->memory.address();
}

Result<std::vector<WrittenTensor>> DeviceTensors::written(const cuda::Api& api) const {
  std::vector<WrittenTensor> list;
  for (const auto& placed : placed_) {
    if (!only_written(placed.tensor)) continue;
    const auto share = untouched_share(api, placed.memory);
    if (!share) return tl::unexpected(share.error());
    list.push_back({placed.tensor.name, *share});
  }
  return list;
}

}  // namespace roofline::profile
