#include "roofline/machine/foreign_ceilings.hpp"

#include <fmt/format.h>

#include "machine/ceilings/output_text.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

using namespace ceilings;

constexpr CeilingFormat kFormats[] = {
    {"mixbench", "DRAM by reading; fp32, fp64, fp16 and integer rates", &is_mixbench,
     &read_mixbench},
    {"BabelStream", "DRAM by Copy, Triad and Dot", &is_babel_stream, &read_babel_stream},
    {"gpu-stream of SuperBench", "DRAM by COPY and TRIAD", &is_gpu_stream, &read_gpu_stream},
    {"gpu-stream of gpu-benches", "DRAM by read, scale and triad", &is_gpu_benches_stream,
     &read_gpu_benches_stream},
    {"nvbandwidth", "DRAM by device_local_copy; copies to and from the host", &is_nvbandwidth,
     &read_nvbandwidth},
    {"bandwidthTest", "DRAM by copies within the device; copies to and from the host",
     &is_bandwidth_test, &read_bandwidth_test},
};

/// Outputs that look like ceilings of a GPU and are none.
struct Refused {
  std::string_view mark, also, what, why;
};
constexpr Refused kRefused[] = {
    {"# nThread", "minBytes", "the output of nccl-tests",
     "the bandwidth of a collective is one of all its GPUs and links, not a limit of one GPU"},
    {" Fl/B", " GF/s", "the output of gpu-roofline",
     "it says neither of which type its operands are nor which bytes it counts"},
};

Location place(const std::string& file) { return {file, 0, 0, 1, {}, 0}; }

}  // namespace

std::span<const CeilingFormat> ceiling_formats() { return kFormats; }

Result<ForeignCeilings> read_foreign_ceilings(std::string_view text, const std::string& file,
                                              int device) {
  for (const auto& format : kFormats) {
    if (!format.sniff(text)) continue;
    auto read = format.read(text, file, device);
    if (read && read->ceilings.empty())
      return fail(Code::empty_input, place(file),
                  fmt::format("this output of {} holds no figure of GPU {}", format.name, device),
                  fmt::format("of {} is read: {}", format.name, format.doc));
    return read;
  }
  for (const auto& refused : kRefused)
    if (text.find(refused.mark) != std::string_view::npos &&
        text.find(refused.also) != std::string_view::npos)
      return fail(Code::wrong_type, place(file),
                  fmt::format("this is {}, which holds no ceiling", refused.what),
                  std::string(refused.why));
  std::vector<std::string> names;
  for (const auto& format : kFormats) names.emplace_back(format.name);
  return fail(Code::wrong_type, place(file), "this is no output with ceilings that is known",
              "known are those of " + joined(names));
}

}  // namespace roofline
