#include "roofline/kernel/work.hpp"

namespace roofline {

Traffic& Work::operand(std::string_view name) {
  for (auto& traffic : operands_)
    if (traffic.operand == name) return traffic;
  if (operands_.capacity() == 0) operands_.reserve(6);
  return operands_.emplace_back(Traffic{std::string(name), 0, 0});
}

Work& Work::read(std::string_view name, Count bytes) {
  operand(name).read += bytes;
  return *this;
}

Work& Work::write(std::string_view name, Count bytes) {
  operand(name).written += bytes;
  return *this;
}

Work& Work::vector(Count flops) {
  return vector(pipe_.kind == PipeKind::vector ? pipe_.type : RateType::fp32, flops);
}

Work& Work::fact(std::string_view name, std::string value) {
  facts_.push_back({std::string(name), std::move(value)});
  return *this;
}

Work& Work::add(Term term) {
  if (term.amount == Count(0)) return *this;
  for (auto& known : terms_)
    if (known.pipe == term.pipe && known.contraction == term.contraction) {
      known.amount += term.amount;
      return *this;
    }
  if (terms_.capacity() == 0) terms_.reserve(4);
  terms_.push_back(term);
  return *this;
}

namespace {
template <class Wanted>
Count sum(const std::vector<Term>& terms, Wanted wanted) {
  Count total = 0;
  for (const auto& term : terms)
    if (wanted(term)) total += term.amount;
  return total;
}
Count sum_of_kind(const std::vector<Term>& terms, PipeKind kind) {
  return sum(terms, [kind](const Term& t) { return !t.contraction && t.pipe.kind == kind; });
}
}  // namespace

Count Work::matmul_flops() const { return sum(terms_, [](const Term& t) { return t.contraction; }); }
Count Work::vector_flops() const { return sum_of_kind(terms_, PipeKind::vector); }
Count Work::sfu_ops() const { return sum_of_kind(terms_, PipeKind::sfu); }
Count Work::int_ops() const { return sum_of_kind(terms_, PipeKind::integer); }
Count Work::link_bytes() const { return sum_of_kind(terms_, PipeKind::link); }
Count Work::flops() const { return headline_ == Headline::matmul ? matmul_flops() : vector_flops() + sfu_ops(); }

Count Work::bytes_read() const {
  Count total = 0;
  for (const auto& traffic : operands_) total += traffic.read;
  return total;
}

Count Work::bytes_written() const {
  Count total = 0;
  for (const auto& traffic : operands_) total += traffic.written;
  return total;
}

bool Work::overflowed() const {
  for (const auto& term : terms_)
    if (term.amount.overflowed()) return true;
  return bytes().overflowed() || flops().overflowed();
}

}  // namespace roofline
