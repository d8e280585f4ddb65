#include "analysis/gate/hold.hpp"

namespace roofline {
namespace {

template <class Value>
std::optional<Value> code_figure(const Subject& subject,
                                 std::optional<Value> ResultKernel::*measured,
                                 std::optional<Value> GateFunction::*compiled) {
  if (subject.function) return subject.function->*compiled;
  return subject.kernel ? subject.kernel->*measured : std::nullopt;
}

const std::string& hash_of(const Subject& subject) {
  static const std::string kNone;
  if (subject.function) return subject.function->code_hash;
  return subject.kernel ? subject.kernel->code_hash : kNone;
}

}  // namespace

void hold_registers(Case& c) {
  c.compare_or_absent(code_figure(c.subject, &ResultKernel::registers, &GateFunction::registers),
                      "number of registers");
}

void hold_spills(Case& c) {
  c.compare_or_absent(
      code_figure(c.subject, &ResultKernel::spill_bytes, &GateFunction::spill_bytes),
      "spilled bytes");
}

void hold_local(Case& c) {
  c.compare_or_absent(
      code_figure(c.subject, &ResultKernel::local_bytes, &GateFunction::local_bytes),
      "bytes of local memory");
}

void hold_smem(Case& c) {
  c.compare_or_absent(
      code_figure(c.subject, &ResultKernel::shared_bytes, &GateFunction::shared_bytes),
      "bytes of shared memory");
}

void hold_code_unchanged(Case& c) {
  const auto* reference = need_reference(c);
  if (!reference) return;
  const auto& hash = hash_of(c.subject);
  if (hash.empty() || reference->code_hash.empty())
    return c.absent(fmt::format("{} no hash of the machine code",
                                hash.empty() ? "the results hold" : "the baseline holds"));
  c.row.value_text = hash;
  c.row.limit_text = reference->code_hash;
  if (hash != reference->code_hash)
    refuse(c.row, Outcome::fail, Code::code_changed, "the machine code changed");
}

}  // namespace roofline
