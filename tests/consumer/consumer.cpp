#include <cstdio>

#include "roofline/kernel/kernel_file.hpp"
#include "roofline/machine/catalog.hpp"
#include "roofline/report/report.hpp"

/// 4096^3 in bf16 on an H100: 2 * 4096^3 FLOP / 989.4 TFLOP/s = 138.9 us.
int main() {
  using namespace roofline;
  const auto document =
      read_yaml("kernels: [{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16}]", "inline");
  const auto gpu = find_gpu("h100-sxm5-80gb");
  if (!document || !gpu) return 1;
  const auto file = KernelFile::read(*document);
  if (!file) return 1;
  Workload workload;
  if (!file->evaluate(0, workload).empty()) return 1;
  const Ceilings ceilings(*gpu);
  const auto verdict = judge(workload.kernels.front(), ceilings);
  if (!verdict) return 1;
  std::printf("%.1f us, %s\n", verdict->floor.time.value() * 1e6,
              std::string(bound_name(verdict->bound)).c_str());
  return verdict->bound == Bound::compute ? 0 : 1;
}
