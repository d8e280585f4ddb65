#include "ingest/formats/not_read.hpp"

#include "roofline/base/text.hpp"

namespace roofline::formats {
namespace {

constexpr std::string_view kCeilings =
    "it measures what a GPU can do, not what kernels did: roofline calibrate FILE makes ceilings "
    "of "
    "it";
constexpr std::string_view kLinks =
    "it measures links, not kernels: give a trace of the program that uses them";

struct Known {
  std::string_view mark, also, what, hint;
};
constexpr Known kKnown[] = {
    {"mixbench", "", "mixbench's output, which holds no kernels", kCeilings},
    {"Experiment ID, Single Precision ops", "", "mixbench's output, which holds no kernels",
     kCeilings},
    {"BabelStream", "", "BabelStream's output, which holds no kernels", kCeilings},
    {"Function    MBytes/sec  Min (sec)", "", "BabelStream's output, which holds no kernels",
     kCeilings},
    {"function,num_times,n_elements,", "", "BabelStream's output, which holds no kernels",
     kCeilings},
    {"STREAM Benchmark", "STREAM_COPY", "the output of a STREAM benchmark, which holds no kernels",
     kCeilings},
    {"blockSize", "triad", "the output of a STREAM benchmark, which holds no kernels", kCeilings},
    {"smBlocks", "triad", "the output of a STREAM benchmark, which holds no kernels", kCeilings},
    {"nvbandwidth Version", "", "nvbandwidth's output, which holds no kernels", kCeilings},
    {"[CUDA Bandwidth Test]", "", "bandwidthTest's output, which holds no kernels", kCeilings},
    {"# nThread", "minBytes", "the output of nccl-tests, which holds no kernels", kLinks},
    {"\"results\"", "\"command\"", "hyperfine's JSON, which holds no kernels",
     "it times whole commands, not kernels: roofline profile -- COMMAND sees its kernels"},
    {"Self CUDA", "# of Calls", "the table that PyTorch's profiler prints, which is not read",
     "export_chrome_trace() of the same profiler writes every launch, with record_shapes=True its "
     "sizes too: that is read"},
};

constexpr std::string_view kExport =
    "nsys export --type sqlite REPORT makes a database that is read";
struct Container {
  std::string_view suffix, what, hint;
};
constexpr Container kContainers[] = {
    {".nsys-rep", "a report of Nsight Systems, which only NVIDIA's own tools can open", kExport},
    {".qdrep", "a report of an old Nsight Systems, which only NVIDIA's own tools can open",
     kExport},
    {".qdstrm", "a raw recording of Nsight Systems, which only NVIDIA's own tools can open",
     kExport},
    {".pftrace", "a trace in Perfetto's own format, which is not read",
     "rocprofv3 --output-format json, or torch.profiler's export_chrome_trace, writes one that is"},
};

}  // namespace

std::optional<Error> known_otherwise(const FileHead& head) {
  const std::string_view text = head.bytes;
  for (const auto& row : kContainers)
    if (head.name.ends_with(row.suffix))
      return Error{Code::wrong_type,
                   {head.name, 0, 0, 1, {}, 0},
                   "this is " + std::string(row.what),
                   std::string(row.hint),
                   {}};
  for (const auto& row : kKnown)
    if (text.find(row.mark) != std::string_view::npos &&
        (row.also.empty() || text.find(row.also) != std::string_view::npos))
      return Error{Code::wrong_type,
                   {head.name, 0, 0, 1, {}, 0},
                   "this is " + std::string(row.what),
                   std::string(row.hint),
                   {}};
  return std::nullopt;
}

}  // namespace roofline::formats
