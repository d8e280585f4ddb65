#include "roofline/analysis/ceiling.hpp"

#include <algorithm>

#include "roofline/machine/calibration.hpp"

namespace roofline {
namespace {

struct LinkRow {
  LinkKind kind;
  std::string_view name, title;
};
constexpr LinkRow kLinks[] = {
    {LinkKind::nvlink, "nvlink", "NVLink"}, {LinkKind::pcie, "pcie", "PCIe"},
    {LinkKind::c2c, "c2c", "C2C"},          {LinkKind::gcd, "gcd", "inter-die link"},
    {LinkKind::ici, "ici", "ICI"},          {LinkKind::other, "device", "device link"},
};

std::string_view link_name(LinkKind kind, std::string_view LinkRow::* field) {
  for (const auto& row : kLinks)
    if (row.kind == kind) return row.*field;
  return "link";
}

struct KnownLink {
  LinkKind kind;
  const MaybeFigure<ByteRate>* figure;
  double share;  ///< of the published figure that one direction gets
  bool to_host;
};

std::vector<KnownLink> known_links(const Gpu& gpu) {
  return {{LinkKind::nvlink, &gpu.nvlink, 1, false},
          {LinkKind::ici, &gpu.ici_both_directions, 0.5, false},
          {LinkKind::other, &gpu.link_both_directions, 0.5, false},
          {LinkKind::gcd, &gpu.gcd_link, 1, false},
          {LinkKind::c2c, &gpu.c2c, 1, true},
          {LinkKind::pcie, &gpu.pcie, 1, true}};
}

Ceiling link_ceiling(const KnownLink& link) {
  return {.resource = Resource::over(link.kind),
          .per_second = (*link.figure)->value.value() * link.share,
          .origin = &(*link.figure)->origin};
}

/// The fp32 and fp64 units that can run a contraction, fastest first: which of them a GPU has differs.
const std::optional<Peak>* faster(const std::optional<Peak>& a, const std::optional<Peak>& b) {
  if (!a) return &b;
  if (!b) return &a;
  return b->dense > a->dense ? &b : &a;
}

}  // namespace

std::string resource_name(Resource resource) {
  switch (resource.kind) {
    case Resource::Kind::dram: return "dram";
    case Resource::Kind::l2: return "l2";
    case Resource::Kind::shared: return "shared";
    case Resource::Kind::pipe: return pipe_name(resource.pipe);
    case Resource::Kind::link: return "link:" + std::string(link_name(resource.link, &LinkRow::name));
    case Resource::Kind::none: break;
  }
  return "none";
}

std::string resource_title(Resource resource) {
  switch (resource.kind) {
    case Resource::Kind::dram: return "DRAM";
    case Resource::Kind::l2: return "L2";
    case Resource::Kind::shared: return "shared memory";
    case Resource::Kind::pipe: return pipe_title(resource.pipe);
    case Resource::Kind::link: return std::string(link_name(resource.link, &LinkRow::title));
    case Resource::Kind::none: break;
  }
  return "nothing";
}

std::optional<Resource> find_resource(std::string_view name) {
  for (const auto kind : {Resource::Kind::dram, Resource::Kind::l2, Resource::Kind::shared})
    if (const Resource resource{.kind = kind}; resource_name(resource) == name) return resource;
  if (constexpr std::string_view kLink = "link:"; name.starts_with(kLink)) {
    const auto link = find_link(name.substr(kLink.size()));
    return link ? std::optional(Resource::over(*link)) : std::nullopt;
  }
  const auto pipe = find_pipe(name);
  return pipe ? std::optional(Resource::on(*pipe)) : std::nullopt;
}

std::optional<LinkKind> find_link(std::string_view name) {
  for (const auto& row : kLinks)
    if (row.name == name) return row.kind;
  return std::nullopt;
}

std::string_view ceiling_kind_name(CeilingKind kind) {
  constexpr std::string_view kNames[] = {"datasheet", "calibrated", "observed"};
  return kNames[static_cast<int>(kind)];
}

std::string_view Ceiling::unit() const {
  if (!resource.is_compute()) return "B/s";
  const auto pipe = resource.pipe;
  const bool whole = pipe.kind == PipeKind::sfu || pipe.kind == PipeKind::integer || pipe.type == RateType::int8 ||
                     pipe.type == RateType::int4;
  return whole ? "op/s" : "FLOP/s";
}

Ceilings::Ceilings(const Gpu& gpu, CeilingOptions options) : gpu_(&gpu), options_(options) {
  dram_ = {.resource = Resource::dram()};
  if (gpu.dram_bandwidth) {
    dram_.per_second = gpu.dram_bandwidth->value.value();
    dram_.origin = &gpu.dram_bandwidth->origin;
  }
}

std::optional<FlopRate> special_function_rate(const Gpu& gpu) {
  const auto clock = gpu.clock(ClockKind::tensor);
  if (!gpu.sfu_per_clock_per_sm || !gpu.sm_count || !clock) return std::nullopt;
  return FlopRate(gpu.sm_count->value.to_double() * gpu.sfu_per_clock_per_sm->value * clock->value());
}

std::optional<Ceiling> Ceilings::of(Pipe pipe, bool contraction, bool mma_sync) const {
  if (pipe.kind == PipeKind::sfu) {
    const auto rate = special_function_rate(*gpu_);
    if (!rate) return std::nullopt;
    return Ceiling{.resource = Resource::on(pipe), .per_second = rate->value(), .origin = &gpu_->sfu_per_clock_per_sm->origin};
  }
  if (pipe.kind != PipeKind::tensor && pipe.kind != PipeKind::vector) return std::nullopt;
  const auto index = static_cast<std::size_t>(pipe.type);
  const std::optional<Peak>* peak = pipe.kind == PipeKind::tensor ? &gpu_->tensor[index] : &gpu_->vector[index];
  // fp32 and fp64 products run on whatever unit takes them; for every other type the tensor core is meant.
  if (contraction && (pipe.type == RateType::fp32 || pipe.type == RateType::fp64))
    peak = faster(gpu_->vector[index], gpu_->tensor[index]);
  if (!*peak) return std::nullopt;
  const bool tensor = peak == &gpu_->tensor[index];
  Ceiling ceiling{.resource = Resource::on({tensor ? PipeKind::tensor : PipeKind::vector, pipe.type}),
                  .per_second = (*peak)->dense.value(),
                  .origin = &(*peak)->origin};
  if (tensor && (mma_sync || options_.mma_sync) && gpu_->mma_sync[index]) {
    ceiling.per_second = gpu_->mma_sync[index]->dense.value();
    ceiling.origin = &gpu_->mma_sync[index]->origin;
    ceiling.mma_sync = true;
  }
  if (tensor && options_.sparsity_two_four && (*peak)->sparse) {
    ceiling.per_second *= (*peak)->sparse->value() / (*peak)->dense.value();
    if (!ceiling.mma_sync) ceiling.per_second = (*peak)->sparse->value();
    ceiling.sparse = true;
  }
  return ceiling;
}

std::optional<Ceiling> Ceilings::link(std::string_view name, bool to_host) const {
  std::optional<Ceiling> best;
  for (const auto& link : known_links(*gpu_)) {
    if (!*link.figure) continue;
    const auto ceiling = link_ceiling(link);
    if (!name.empty()) {
      if (link_name(link.kind, &LinkRow::name) == name) return ceiling;
      continue;
    }
    if (to_host && !link.to_host) continue;
    if (!best || ceiling.per_second > best->per_second) best = ceiling;
  }
  return best;
}

std::vector<Ceiling> Ceilings::all() const {
  std::vector<Ceiling> list;
  if (dram_.per_second > 0) list.push_back(dram_);
  const auto add = [&](Pipe pipe) {
    const auto& peaks = pipe.kind == PipeKind::tensor ? gpu_->tensor : gpu_->vector;
    if (!peaks[static_cast<std::size_t>(pipe.type)]) return;
    if (auto ceiling = of(pipe, false)) list.push_back(*ceiling);
  };
  for (int type = 1; type < kRateTypes; ++type) add({PipeKind::tensor, static_cast<RateType>(type)});
  for (int type = 1; type < kRateTypes; ++type) add({PipeKind::vector, static_cast<RateType>(type)});
  if (auto sfu = of({PipeKind::sfu, RateType::none}, false)) list.push_back(*sfu);
  for (const auto& link : known_links(*gpu_))
    if (*link.figure) list.push_back(link_ceiling(link));
  for (auto& ceiling : calibrated()) list.push_back(ceiling);
  return list;
}

std::vector<Ceiling> Ceilings::calibrated() const {
  std::vector<Ceiling> list;
  if (!gpu_->calibrated) return list;
  for (const auto& measured : gpu_->calibrated->calibration.ceilings) {
    auto resource = find_resource(measured.resource);
    if (!measured.trusted || !resource) continue;  // launch floors are no ceilings
    if (resource->kind == Resource::Kind::dram && &measured != gpu_->calibrated->calibration.dram()) continue;
    // Copies go over whatever joins this GPU to its host.
    if (*resource == Resource::over(LinkKind::pcie) && gpu_->c2c) resource = Resource::over(LinkKind::c2c);
    Ceiling ceiling{.resource = *resource,
                    .kind = CeilingKind::calibrated,
                    .per_second = measured.value,
                    .origin = &gpu_->calibrated->origin,
                    .mma_sync = measured.mma_sync};
    if (measured.clock_mhz) ceiling.clock = Hertz(*measured.clock_mhz * 1e6);
    const auto known = std::find_if(list.begin(), list.end(), [&](const Ceiling& other) {
      return other.resource == ceiling.resource && other.mma_sync == ceiling.mma_sync;
    });
    if (known == list.end())
      list.push_back(ceiling);
    else if (resource->kind == Resource::Kind::link ? ceiling.per_second < known->per_second
                                                    : ceiling.per_second > known->per_second)
      *known = ceiling;
  }
  // Of two tensor paths the one that kernels take comes first.
  std::stable_partition(list.begin(), list.end(), [&](const Ceiling& ceiling) {
    return ceiling.mma_sync == options_.mma_sync || ceiling.resource.pipe.kind != PipeKind::tensor;
  });
  return list;
}

std::vector<std::string> Ceilings::tensor_types() const {
  std::vector<std::string> names;
  for (int type = 1; type < kRateTypes; ++type)
    if (gpu_->tensor[static_cast<std::size_t>(type)]) names.emplace_back(rate_name(static_cast<RateType>(type)));
  return names;
}

}  // namespace roofline
