// roofline_embed_metrics METRICS_YAML OUTPUT: reads the file of metric sets and writes it as C++.
#include <cstdio>

#include "kernel/metrics/metrics_file.hpp"
#include "roofline/base/input.hpp"

namespace {

int refuse(const roofline::Errors& errors) {
  std::fputs(roofline::format_errors(errors, false).c_str(), stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: roofline_embed_metrics METRICS_YAML OUTPUT\n", stderr);
    return 2;
  }
  constexpr std::size_t kLimit = std::size_t{4} << 20;
  auto text = roofline::read_input(argv[1], kLimit);
  if (!text) return refuse({text.error()});
  const auto document = roofline::read_yaml(std::move(*text), argv[1]);
  if (!document) return refuse(document.error());
  const auto file = roofline::read_metrics(*document);
  if (!file) return refuse(file.error());
  const auto written = roofline::write_atomically(argv[2], roofline::metric_tables_source(*file));
  return written ? 0 : refuse({written.error()});
}
