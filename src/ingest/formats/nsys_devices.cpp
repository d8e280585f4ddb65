#include "ingest/formats/nsys_devices.hpp"

#include <algorithm>

namespace roofline::formats {
namespace {

constexpr std::size_t kMostDevices = 1024;
constexpr std::uint64_t kNone = ~std::uint64_t{0};

}  // namespace

NsysDevices::NsysDevices(const SqliteFile& file) {
  constexpr std::string_view kGpu[] = {"id",        "name",         "uuid",
                                       "smCount",   "totalMemory",  "l2CacheSize",
                                       "clockRate", "computeMajor", "computeMinor"};
  if (file.has_table("TARGET_INFO_GPU")) {
    SqliteRows rows(file, "TARGET_INFO_GPU", kGpu);
    while (rows.next() && gpus_.size() < kMostDevices) {
      Gpu gpu{rows.number(0), std::string(rows.text(1)), std::string(rows.text(2)), {}};
      gpu.facts.sm_count = rows.number(3);
      gpu.facts.memory_bytes = rows.number(4);
      gpu.facts.l2_bytes = rows.number(5);
      gpu.facts.sm_clock_khz = rows.number(6) / 1000;  // in Hz there
      gpu.facts.major = rows.number(7);
      gpu.facts.minor = rows.number(8);
      gpus_.push_back(std::move(gpu));
    }
  }
  constexpr std::string_view kCuda[] = {"gpuId", "cudaId", "pid"};
  if (file.has_table("TARGET_INFO_CUDA_DEVICE")) {
    SqliteRows rows(file, "TARGET_INFO_CUDA_DEVICE", kCuda);
    while (rows.next() && of_process_.size() < kMostDevices * kMostDevices) {
      of_process_.insert_or_assign({rows.number(2), rows.number(1)}, rows.number(0));
      of_cuda_.try_emplace(rows.number(1), rows.number(0));
    }
  }
}

const NsysDevices::Gpu* NsysDevices::find(std::uint64_t id) const {
  const auto at =
      std::find_if(gpus_.begin(), gpus_.end(), [&](const Gpu& g) { return g.id == id; });
  return at == gpus_.end() ? nullptr : &*at;
}

bool NsysDevices::of_one_kind() const {
  return std::all_of(gpus_.begin(), gpus_.end(),
                     [&](const Gpu& gpu) { return gpu.name == gpus_.front().name; });
}

std::uint64_t NsysDevices::ordinal(std::uint64_t cuda_id, std::uint64_t process) {
  auto id = cuda_id;
  if (const auto own = of_process_.find({process, cuda_id}); own != of_process_.end())
    id = own->second;
  else if (const auto any = of_cuda_.find(cuda_id); any != of_cuda_.end())
    id = any->second;
  else if (gpus_.size() == 1)
    id = gpus_.front().id;
  else if (!of_one_kind())
    ++guessed_;
  // The record's own number, unless processes mean different GPUs by the same one.
  const bool apart = std::any_of(of_process_.begin(), of_process_.end(), [&](const auto& row) {
    return row.first.second == cuda_id && row.second != of_cuda_[cuda_id];
  });
  const auto ordinal = apart ? id : cuda_id;
  const std::pair use{ordinal, id};
  if (used_.size() < kMostDevices && std::find(used_.begin(), used_.end(), use) == used_.end())
    used_.push_back(use);
  return ordinal;
}

void NsysDevices::write(ImportSink& sink) {
  if (gpus_.empty()) sink.lose("gpu_not_named");
  if (guessed_ > 0) sink.lose("gpu_guessed");
  std::vector<std::uint64_t> written;
  const auto put = [&](const Gpu& gpu, std::uint64_t ordinal) {
    auto facts = gpu.facts;
    facts.ordinal = ordinal;
    facts.name = sink.text(gpu.name);
    facts.uuid = sink.text(gpu.uuid);
    sink.add(facts);
    written.push_back(gpu.id);
  };
  for (const auto& [ordinal, id] : used_)
    if (const auto* gpu = find(id)) put(*gpu, ordinal);
  std::uint64_t next = kNone;
  for (const auto& gpu : gpus_) {
    if (std::find(written.begin(), written.end(), gpu.id) != written.end()) continue;
    const bool taken = std::any_of(used_.begin(), used_.end(),
                                   [&](const auto& use) { return use.first == gpu.id; });
    put(gpu, taken ? next-- : gpu.id);
  }
}

}  // namespace roofline::formats
