#include "ingest/mapping/own_work.hpp"

#include <fmt/format.h>

namespace roofline::mapping {

OwnWork& OwnWork::tensor(std::string_view name, const Sizes& shape, std::string_view dtype,
                         std::string_view access) {
  tensors_ +=
      fmt::format("{}{{\"name\": \"{}\", \"shape\": [{}], \"dtype\": \"{}\", \"access\": \"{}\"}}",
                  tensors_.empty() ? "" : ", ", name, fmt::join(shape, ","), dtype, access);
  return *this;
}
OwnWork& OwnWork::read(std::string_view name, const Sizes& shape, std::string_view dtype) {
  return tensor(name, shape, dtype, "read");
}
OwnWork& OwnWork::write(std::string_view name, const Sizes& shape, std::string_view dtype) {
  return tensor(name, shape, dtype, "write");
}

Description OwnWork::described() const {
  Description op("generic");
  op.text("tensors", '[' + tensors_ + ']');
  return op;
}

Description OwnWork::vector(std::uint64_t flops, std::uint64_t sfu) const {
  auto op = described();
  op.count("flops", flops);
  if (sfu > 0) op.count("sfu_ops", sfu);
  return op;
}

Description OwnWork::matmul(std::string flops, std::string_view dtype) const {
  const bool on_vector = dtype == "fp32" || dtype == "fp64";
  // Both forms of FP8, and of FP4, run on one pipe: "fp8_e4m3" on tensor:fp8.
  if (dtype.starts_with("fp8") || dtype.starts_with("fp4")) dtype = dtype.substr(0, 3);
  auto op = described();
  op.text("flops", std::move(flops));
  op.word("primary", "matmul");
  op.word("pipe", fmt::format("{}:{}", on_vector ? "vector" : "tensor", dtype));
  return op;
}

}  // namespace roofline::mapping
