#include "roofline/analysis/floor.hpp"

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

void add_time(Floor& floor, const Ceiling& ceiling, Count amount) {
  for (auto& known : floor.times) {
    if (known.ceiling.resource == ceiling.resource && known.ceiling.mma_sync == ceiling.mma_sync) {
      known.amount += amount;
      known.time = Seconds(known.amount.to_double() / known.ceiling.per_second);
      return;
    }
  }
  floor.times.push_back({ceiling, amount, Seconds(amount.to_double() / ceiling.per_second)});
}

void add_unrated(Floor& floor, Pipe pipe) {
  if (floor.unrated_count < floor.unrated.size()) floor.unrated[floor.unrated_count++] = pipe;
}

/// A rate as an exact integer; rates are whole numbers. Below 2^63 the conversion is one instruction, above a call.
Count whole_rate(const Ceiling& ceiling) {
  constexpr double kFitsRegister = 9.2e18;
  if (ceiling.per_second < kFitsRegister) return static_cast<long long>(ceiling.per_second);
  return Count::from_int128(static_cast<__int128>(ceiling.per_second));
}

/// Exact where doubles are not: two times that round alike are ordered by cross-multiplication.
bool longer(const ResourceTime& a, const ResourceTime& b) {
  return compare_products(a.amount, whole_rate(b.ceiling), b.amount, whole_rate(a.ceiling)) > 0;
}

tl::unexpected<Error> no_rate(const Kernel& kernel, Pipe pipe, const Ceilings& ceilings) {
  std::string has = joined(ceilings.tensor_types());
  return fail(Code::no_rate, kernel.where,
              ceilings.gpu().id + " has no " + pipe_title(pipe) + " rate (kernel '" + printable(kernel.name) + "')",
              has.empty() ? "this entry of the table has no tensor rates" : "its tensor rates: " + has);
}

/// False where the GPU lacks the tensor unit that a product needs.
bool add_term(Floor& floor, const Term& term, const Kernel& kernel, const Ceilings& ceilings) {
  if (term.pipe.kind == PipeKind::link) {
    const bool to_host = kernel.op && kernel.op->name == "memcpy_hd";
    if (auto link = ceilings.link(kernel.link, to_host)) add_time(floor, *link, term.amount);
    else floor.link_unrated = true;
    return true;
  }
  if (auto ceiling = ceilings.of(term.pipe, term.contraction, kernel.mma_sync)) {
    add_time(floor, *ceiling, term.amount);
    return true;
  }
  if (term.contraction && term.pipe.kind == PipeKind::tensor) return false;
  add_unrated(floor, term.pipe);
  return true;
}

}  // namespace

const ResourceTime* Floor::find(Resource resource) const {
  for (const auto& item : resources())
    if (item.ceiling.resource == resource) return &item;
  return nullptr;
}

Seconds Floor::dram() const {
  const auto* item = find(Resource::dram());
  return item ? item->time : Seconds(0);
}

const ResourceTime* Floor::slowest_pipe() const {
  const ResourceTime* slowest = nullptr;
  for (const auto& item : resources())
    if (item.ceiling.resource.is_compute() && (!slowest || longer(item, *slowest))) slowest = &item;
  return slowest;
}

Seconds Floor::compute() const {
  const auto* pipe = slowest_pipe();
  return pipe ? pipe->time : Seconds(0);
}

Result<Floor> time_floor(const Kernel& kernel, const Ceilings& ceilings) {
  Result<Floor> result;  // the only object that is returned, so that no copy of it is made
  Floor& floor = *result;
  const auto& work = kernel.work;
  if (const Count bytes = work.bytes(); bytes > Count(0)) add_time(floor, ceilings.dram(), bytes);
  for (const auto& term : work.terms()) {
    if (add_term(floor, term, kernel, ceilings)) continue;
    result = no_rate(kernel, term.pipe, ceilings);
    return result;
  }
  for (std::size_t i = 1; i < floor.times.size(); ++i)
    if (longer(floor.times[i], floor.times[floor.limiter])) floor.limiter = i;
  if (!floor.times.empty()) floor.time = floor.times[floor.limiter].time;
  return result;
}

Intensity ridge_point(const Ceiling& compute, const Ceiling& dram) {
  return FlopRate(compute.per_second) / ByteRate(dram.per_second);
}

std::strong_ordering compare_with_ridge(const Work& work, const Ceiling& compute, const Ceiling& dram) {
  return compare_products(work.flops(), whole_rate(dram), work.bytes(), whole_rate(compute));
}

}  // namespace roofline
