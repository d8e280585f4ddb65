// A kernel description of 10 MB, read and checked, against yaml-cpp's own parser on the same bytes.
//
// Target: at most 2 times YAML::Load.
#include <yaml-cpp/yaml.h>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "side_by_side.hpp"

namespace {

/// Kernels as a generator of descriptions would write them: every tenth with expressions over
/// variables.
std::string description_of(std::size_t bytes) {
  std::string text =
      "schema: roofline.kernel/1\nparams: {T: 8192, H: 4096}\ndefaults: {dtype: bf16}\nkernels:\n";
  for (int i = 0; text.size() < bytes; ++i) {
    const std::string name = "layer" + std::to_string(i);
    if (i % 10 == 0)
      text += "  - {name: " + name + ", op: gemm, m: T, n: 3*H, k: H, repeat: 2}\n";
    else
      text += "  - {name: " + name + ", op: gemm, m: " + std::to_string(i + 1) +
              ", n: 4096, k: 4096}\n";
  }
  return text;
}

}  // namespace

int main() {
  using namespace roofline;
  const std::string text = description_of(10'000'000);
  std::size_t kernels = 0;
  const auto ours = [&] {
    auto document = read_yaml(text, "generated.yaml");
    auto file = document ? KernelFile::read(*document) : tl::unexpected(document.error());
    if (!file) std::fputs(format_errors(file.error(), false).c_str(), stderr);
    kernels = file ? file->kernel_count() : 0;
  };
  const auto reference = [&] { bench::keep(YAML::Load(text)); };
  const auto result = bench::compare(ours, reference, 5);
  const bool good =
      bench::report("read and check 10 MB of YAML", "times YAML::Load", result.ratio, 2, true);
  std::printf("%-44s %.2f s for %zu kernels, YAML::Load %.2f s\n", "", result.ours, kernels,
              result.reference);
  return good && kernels > 0 ? 0 : 1;
}
