#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ingest/formats/formats.hpp"
#include "ingest/formats/ncu_kernels.hpp"
#include "ingest/protobuf.hpp"
#include "roofline/base/byte_stream.hpp"
#include "roofline/kernel/function_name.hpp"

/// Nsight Compute's own file. NVIDIA does not describe it; what is read here was seen in files of
/// 2025.1:
///
///     "NVR\0", u32 size, header
///     then blocks: u32 size, block header, payload of the size in its field 5
///     block header: 1 sources, 2 results, 3 facts of the session, 4 string table, 6 process
///     payload: the sources, then the results, each behind its u32 size
///     result: 5 mangled name, 7 name, 10 grid, 11 block, 13 metrics, 22 context, 23 stream
///     metric: 1 index into the string tables, 2 value (1 text, 2 and 3 real, 4 and 5 whole)
///
/// Values are in base units (ns, B, Hz, %). Integers are little-endian, messages are protobuf.
namespace roofline::formats {
namespace {

constexpr std::string_view kMagic{"NVR\0", 4};
constexpr std::size_t kMostBlock = std::size_t{1} << 30;  // bytes of one header or payload
constexpr std::size_t kMostStrings = 1'000'000;

Location place(const std::string& name) { return {name, 0, 0, 1, {}, 0}; }

/// Pieces of a file of a stranger: what a size promises is taken only as it arrives.
class Source {
 public:
  explicit Source(ByteStream stream) : stream_(std::move(stream)) {}
  /// False: the file ends before. Errors: cannot_read.
  Result<bool> take(std::size_t size, std::string& into) {
    into.clear();
    constexpr std::size_t kStep = std::size_t{1} << 20;
    while (into.size() < size) {
      const auto had = into.size();
      into.resize(std::min(size, had + kStep));
      const auto got = stream_.read(into.data() + had, into.size() - had);
      if (!got) return tl::unexpected(got.error());
      into.resize(had + *got);
      if (*got == 0) return false;
    }
    return true;
  }
  const std::string& name() const { return stream_.name(); }

 private:
  ByteStream stream_;
};

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4 && i < bytes.size(); ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

struct Block {
  std::uint64_t sources = 0, results = 0, payload = 0;
};

class Reader {
 public:
  Reader(Source source, const ImportOptions& options, ImportSink& sink)
      : source_(std::move(source)), options_(options), sink_(sink), writer_(sink) {}

  Result<void> read() {
    sink_.tool("Nsight Compute");
    std::string bytes;
    auto more = source_.take(8, bytes);
    if (more && *more) {
      if (!bytes.starts_with(kMagic))
        return fail(Code::wrong_type, place(source_.name()), "this is no report of Nsight Compute",
                    "its files begin with NVR; ncu -o REPORT makes one");
      more = take_sized(little_endian(std::string_view(bytes).substr(4)), bytes);
    }
    while (more && *more) {
      more = source_.take(4, bytes);
      if (!more || (!*more && bytes.empty())) break;  // the end
      if (*more) more = take_sized(little_endian(bytes), bytes);
      if (!more || !*more) {
        is_cut_ = true;
        break;
      }
      const auto block = read_header(bytes);
      more = take_sized(block.payload, bytes);
      if (more && !*more) is_cut_ = true;
      if (more) read_results(block, bytes);
      if (options_.progress) options_.progress(0, writer_.kernels());
    }
    if (!more) return tl::unexpected(more.error());
    if (writer_.kernels() == 0 && (is_cut_ || !seen_block_))
      return fail(Code::wrong_type, place(source_.name()),
                  "this report is cut before its first kernel", "copy it again");
    if (writer_.kernels() == 0)
      return fail(Code::empty_input, place(source_.name()), "this report holds no kernel",
                  "no launch passed ncu's filters, or the program launched none");
    writer_.finish();
    if (is_cut_) sink_.truncated(fmt::format("after kernel {}", writer_.kernels()));
    if (damaged_ > 0) sink_.lose("rows_unreadable", damaged_);
    return {};
  }

 private:
  /// A size past every sane one is damage, and reads as a cut.
  Result<bool> take_sized(std::uint64_t size, std::string& into) {
    if (size > kMostBlock) return false;
    return source_.take(static_cast<std::size_t>(size), into);
  }

  Block read_header(std::string_view header) {
    seen_block_ = true;
    Block block;
    ProtobufFields fields(header);
    while (fields.next()) {
      switch (fields.field()) {
        case 1: block.sources = fields.number(); break;
        case 2: block.results = fields.number(); break;
        case 3: read_session(fields.bytes()); break;
        case 4: read_strings(fields.bytes()); break;
        case 5: block.payload = fields.number(); break;
        case 6: read_process(fields.bytes()); break;
        default: break;
      }
    }
    return block;
  }

  void read_strings(std::string_view table) {
    for (ProtobufFields fields(table); fields.next();)
      if (fields.field() == 1 && strings_.size() < kMostStrings)
        strings_.emplace_back(fields.bytes());
  }

  void read_process(std::string_view process) {
    for (ProtobufFields fields(process); fields.next();) {
      if (fields.field() == 1) sink_.process(static_cast<long long>(fields.number() & 0x7fffffff));
      if (fields.field() == 2) sink_.host(fields.bytes());
      if (fields.field() == 3) sink_.command(fields.bytes());
    }
  }

  /// ("Nsight Compute Target", "2025.1.0.0 (build ...)").
  void read_session(std::string_view session) {
    for (ProtobufFields fields(session); fields.next();) {
      if (fields.field() != 8) continue;
      std::string_view name, value;
      for (ProtobufFields pair(fields.bytes()); pair.next();) {
        if (pair.field() == 1) name = pair.bytes();
        if (pair.field() == 2) value = pair.bytes();
      }
      if (name.starts_with("Nsight Compute"))
        sink_.tool(fmt::format("Nsight Compute {}", value.substr(0, value.find(' '))));
    }
  }

  void read_results(const Block& block, std::string_view payload) {
    std::uint64_t index = 0;
    for (; payload.size() >= 4 && index < block.sources + block.results; ++index) {
      const std::size_t size = little_endian(payload);
      payload.remove_prefix(4);
      if (size > payload.size()) break;
      if (index >= block.sources) read_result(payload.substr(0, size));
      payload.remove_prefix(size);
    }
    if (!is_cut_ && index < block.sources + block.results)
      damaged_ += block.sources + block.results - index;
  }

  static void read_extent(std::string_view message, std::array<std::uint64_t, 3>& extent) {
    for (ProtobufFields fields(message); fields.next();)
      if (fields.field() >= 1 && fields.field() <= 3) extent[fields.field() - 1] = fields.number();
  }

  void read_result(std::string_view result) {
    NcuKernel kernel;
    std::string mangled;
    ProtobufFields fields(result);
    while (fields.next()) {
      switch (fields.field()) {
        case 5: mangled = fields.bytes(); break;
        case 7: kernel.name = fields.bytes(); break;
        case 10: read_extent(fields.bytes(), kernel.grid); break;
        case 11: read_extent(fields.bytes(), kernel.block); break;
        case 13: read_metric(fields.bytes(), kernel); break;
        case 22: kernel.context = fields.number(); break;
        case 23: kernel.stream = fields.number(); break;
        default: break;
      }
    }
    if (fields.damaged()) {
      ++damaged_;
      return;
    }
    if (kernel.name.empty() || (!mangled.empty() && demangle(mangled) != mangled))
      kernel.name = mangled;
    kernel.device =
        static_cast<std::uint64_t>(kernel.find("device__attribute_device_index").value_or(0));
    writer_.add(std::move(kernel));
  }

  void read_metric(std::string_view metric, NcuKernel& kernel) {
    std::uint64_t index = 0;
    std::string_view value;
    for (ProtobufFields fields(metric); fields.next();) {
      if (fields.field() == 1) index = fields.number();
      if (fields.field() == 2) value = fields.bytes();
    }
    if (index >= strings_.size()) return;
    const auto& name = strings_[static_cast<std::size_t>(index)];
    for (ProtobufFields fields(value); fields.next();) {
      if (fields.field() == 1 && name == "device__attribute_display_name")
        kernel.gpu = fields.bytes();
      if (fields.field() >= 2 && fields.field() <= 5 && !fields.is_bytes())
        kernel.add(name, "", fields.real());
    }
  }

  Source source_;
  const ImportOptions& options_;
  ImportSink& sink_;
  NcuWriter writer_;
  std::vector<std::string> strings_;
  std::uint64_t damaged_ = 0;
  bool is_cut_ = false, seen_block_ = false;
};

}  // namespace

bool is_ncu_rep(const FileHead& head) { return head.bytes.starts_with(kMagic); }

Result<void> read_ncu_rep(const std::string& path, const ImportOptions& options, ImportSink& sink) {
  auto stream = ByteStream::open(path);
  if (!stream) return tl::unexpected(std::move(stream.error()));
  return Reader(Source(std::move(*stream)), options, sink).read();
}

}  // namespace roofline::formats
