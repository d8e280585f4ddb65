#include <algorithm>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/kernel_types.hpp"
#include "ingest/mapping/own_work.hpp"

/// Copies, gathers and fills of PyTorch. Source of the signatures:
/// aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

// copy_(self, src): what was expanded is read once.
Mapped copy(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto dst = args.dtype(0), src = args.dtype(1);
  if (!dst || !src) return no(unmapped::kNoDtype);
  // Without strides a source that was expanded looks as large as its copy: its bytes are not known.
  if (!args.strides_known(1)) return no(unmapped::kNoArguments);
  Description op("elementwise");
  op.sizes("shape", args.shape(0)).size_lists("inputs", {args.stored_shape(1)});
  op.count("flops_per_element", 0);
  return std::move(op.dtypes("inputs", {*src}).dtype("output", *dst));
}

Mapped fill(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  Description op("copy");
  op.sizes("shape", args.shape(0)).word("kind", "fill");
  return std::move(op.dtype("dst", *type));
}

/// The type that the kernel of cat() is made for: one as wide ("OpaqueType<2u>"), or that of older
/// versions itself ("CatArrayBatchedCopy<float, ...").
std::optional<std::string_view> joined_type(std::string_view kernel_name) {
  constexpr std::string_view kKernel = "CatArrayBatchedCopy", kWide = "OpaqueType<";
  if (const auto wide = kernel_name.find(kWide); wide != std::string_view::npos) {
    const auto rest = kernel_name.substr(wide + kWide.size());
    const auto width = rest.substr(0, rest.find_first_not_of("0123456789"));
    if (width == "1") return "int8";
    if (width == "2") return "bf16";
    if (width == "4") return "fp32";
    if (width == "8") return "int64";
    if (width == "16") return "complex128";
    return std::nullopt;
  }
  const auto at = kernel_name.find(kKernel);
  if (at == std::string_view::npos) return std::nullopt;
  const auto open = kernel_name.find('<', at);
  if (open == std::string_view::npos) return std::nullopt;
  const auto rest = kernel_name.substr(open + 1);
  return dtype_name(rest.substr(0, rest.find_first_of(",>")));
}

// cat(tensors, dim): its types are not told, those of one call being the same.
Mapped cat(const Arguments& args) {
  const auto lists = args.lists(0);
  if (!lists || lists->empty()) return no(unmapped::kNoShapes);
  std::uint64_t all = 0;
  for (const auto& sizes : *lists) all += product(sizes);
  const auto type = joined_type(args.kernel_name());
  if (!type) return no(unmapped::kNoDtype);
  Description op("copy");
  op.sizes("shape", {all});
  return std::move(op.dtype("dst", *type));
}

/// Rows by index. How many different ones there are is not in a trace: the least is one.
Mapped rows_of(std::uint64_t indices, std::uint64_t width, std::string_view type,
               std::string_view index_type) {
  Description op("gather");
  op.count("indices", indices).count("width", width).count("distinct", indices > 0 ? 1 : 0);
  return std::move(op.dtype("src", type).dtype("idx", index_type));
}

Mapped embedding(const Arguments& args) {
  if (args.rank(0) != 2 || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), index = args.dtype(1);
  if (!type || !index) return no(unmapped::kNoDtype);
  return rows_of(args.elements(1), args.shape(0)[1], *type, *index);
}

// _embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
// include_last_offset, padding_idx): the rows of each bag are summed.
Mapped embedding_bag(const Arguments& args) {
  if (args.rank(0) != 2 || args.rank(1) != 1 || args.rank(2) != 1) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), index = args.dtype(1);
  if (!type || !index) return no(unmapped::kNoDtype);
  const auto mode = args.whole(4), padding = args.whole(8);
  if (!mode || !padding || !args.told(7)) return no(unmapped::kNoArguments);
  if (*mode != 0 || *padding >= 0) return no(unmapped::kNotModelled);
  const auto indices = args.elements(1), offsets = args.elements(2), width = args.shape(0)[1];
  const auto bags = args.truth(7) && offsets > 0 ? offsets - 1 : offsets;
  OwnWork work;
  work.read("row", {indices > 0 ? width : 0}, *type).read("indices", {indices}, *index);
  work.read("offsets", {offsets}, args.dtype(2).value_or(*index));
  const bool weighted = args.is_tensor(6);
  if (weighted) work.read("weights", {indices}, args.dtype(6).value_or(*type));
  work.write("y", {bags, width}, *type);
  const auto sums = indices > bags ? indices - bags : 0;
  return work.vector(width * (sums + (weighted ? indices : 0)));
}

// index_select(x, dim, index)
Mapped index_select(const Arguments& args) {
  if (!args.is_tensor(0) || args.rank(2) != 1) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), index = args.dtype(2);
  if (!type || !index) return no(unmapped::kNoDtype);
  if (args.value(1) != "0")
    return no(args.told(1) ? unmapped::kNotModelled : unmapped::kNoArguments);
  return rows_of(args.elements(2), product(args.shape(0), 1), *type, *index);
}

/// As many elements go as come, elsewhere.
Mapped moved(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  return OwnWork()
      .read("x", args.stored_shape(0), *type)
      .write("y", args.shape(0), *type)
      .vector(0);
}

/// _chunk_cat(tensors, dim, chunks, out): of two types, as the kernel's name says
/// ("chunk_cat_cuda_kernel<float, c10::BFloat16>"); out is padded.
Mapped chunk_cat(const Arguments& args) {
  const auto lists = args.lists(0);
  if (!lists || lists->empty()) return no(unmapped::kNoShapes);
  std::uint64_t all = 0;
  for (const auto& sizes : *lists) all += product(sizes);
  const auto types = two_types_in(args.kernel_name(), "chunk_cat_cuda_kernel<");
  if (!types) return no(unmapped::kNoDtype);
  const auto& [to, from] = *types;
  const auto out = std::max(args.elements(3) * (args.is_tensor(3) ? 1 : 0), all);
  return OwnWork().read("tensors", {all}, from).write("out", {out}, to).vector(0);
}

/// glu(x, dim): one half times the sigmoid of the other.
Mapped glu(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto half = args.elements(0) / 2;
  return OwnWork()
      .read("x", args.stored_shape(0), *type)
      .write("y", {half}, *type)
      .vector(2 * half, 2 * half);
}

/// Of x, at most what there is of y is needed.
Mapped resized(const Arguments& args, const Sizes& y, std::uint64_t flops_each) {
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto needed = std::min(product(args.stored_shape(0)), product(y));
  return OwnWork().read("x", {needed}, *type).write("y", y, *type).vector(flops_each * product(y));
}

/// (x[batch, channels, ...], sizes, ...)
Mapped upsampled(const Arguments& args, std::uint64_t flops_each) {
  const auto rank = args.rank(0);
  if (rank < 3) return no(unmapped::kNoShapes);
  const auto sizes = args.list(1);
  if (!sizes || sizes->size() != rank - 2) return no(unmapped::kNoArguments);
  Sizes y = {args.shape(0)[0], args.shape(0)[1]};
  y.insert(y.end(), sizes->begin(), sizes->end());
  return resized(args, y, flops_each);
}
Mapped nearest(const Arguments& args) { return upsampled(args, 0); }
// Two rows of two, weighted: six products and three sums.
Mapped bilinear(const Arguments& args) { return upsampled(args, 9); }

// (dy, output_size, input_size): each value of x sums those that were made of it.
Mapped nearest_backward(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto dx = args.list(2);
  if (!dx || dx->empty()) return no(unmapped::kNoArguments);
  const auto from = args.elements(0), to = product(*dx);
  return OwnWork()
      .read("dy", args.stored_shape(0), *type)
      .write("dx", *dx, *type)
      .vector(from > to ? from - to : 0);
}

/// The values of a matrix before column i + `shift` of each row i: a triangle, and whole rows.
long long below_diagonal(long long rows, long long cols, long long shift) {
  const auto first = std::clamp(1 - shift, 0LL, rows);  // the first row that has any
  const auto whole = std::clamp(cols - shift, first, rows);
  const auto count = whole - first;
  return count * (first + shift) + count * (count - 1) / 2 + (rows - whole) * cols;
}

/// tril(x, diagonal), triu(x, diagonal) of matrices: what is not kept is written as zeros, and not
/// read.
Mapped triangle_of(const Arguments& args, bool lower) {
  const auto rank = args.rank(0);
  if (rank < 2) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto diagonal = args.whole(1);
  const auto& shape = args.shape(0);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  if (!diagonal) return no(unmapped::kNoArguments);
  if (shape[rank - 2] > kMost || shape[rank - 1] > kMost) return no(unmapped::kContradiction);
  const auto rows = static_cast<long long>(shape[rank - 2]),
             cols = static_cast<long long>(shape[rank - 1]);
  const auto below = std::clamp<long long>(*diagonal, -rows, cols);
  const auto kept = lower ? below_diagonal(rows, cols, below + 1)
                          : rows * cols - below_diagonal(rows, cols, below);
  const auto each = static_cast<std::uint64_t>(kept);
  return OwnWork()
      .read("x", {product(shape, 0, rank - 2), each}, *type)
      .write("y", shape, *type)
      .vector(0);
}
Mapped tril(const Arguments& args) { return triangle_of(args, true); }
Mapped triu(const Arguments& args) { return triangle_of(args, false); }

// (x, padding): before and behind, the last axis first
Mapped padded(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto padding = args.list(1);
  if (!padding || padding->size() % 2 != 0 || padding->size() / 2 > args.rank(0))
    return no(unmapped::kNoArguments);
  Sizes y = args.shape(0);
  for (std::size_t i = 0; i < padding->size(); i += 2)
    y[y.size() - 1 - i / 2] += (*padding)[i] + (*padding)[i + 1];
  return resized(args, y, 0);
}

constexpr Row kRows[] = {
    {"copy_", &copy},
    {"fill_", &fill},
    {"zero_", &fill},
    {"normal_", &fill},
    {"uniform_", &fill},
    {"exponential_", &fill},
    {"random_", &fill},
    {"bernoulli_", &fill},
    {"log_normal_", &fill},
    {"cauchy_", &fill},
    {"geometric_", &fill},
    {"cat", &cat},
    {"embedding", &embedding},
    {"_embedding_bag", &embedding_bag},
    {"_embedding_bag_forward_only", &embedding_bag},
    {"index_select", &index_select},
    {"split_with_sizes_copy", &moved},
    {"_chunk_cat", &chunk_cat},
    {"glu", &glu},
    {"flip", &moved},
    {"roll", &moved},
    {"upsample_nearest1d", &nearest},
    {"upsample_nearest2d", &nearest},
    {"upsample_nearest3d", &nearest},
    {"_upsample_nearest_exact1d", &nearest},
    {"_upsample_nearest_exact2d", &nearest},
    {"_upsample_nearest_exact3d", &nearest},
    {"upsample_bilinear2d", &bilinear},
    {"upsample_nearest1d_backward", &nearest_backward},
    {"upsample_nearest2d_backward", &nearest_backward},
    {"upsample_nearest3d_backward", &nearest_backward},
    {"tril", &tril},
    {"triu", &triu},
    {"reflection_pad1d", &padded},
    {"reflection_pad2d", &padded},
    {"reflection_pad3d", &padded},
    {"replication_pad1d", &padded},
    {"replication_pad2d", &padded},
    {"replication_pad3d", &padded},
};

}  // namespace

std::span<const Row> data_moves() { return kRows; }

}  // namespace roofline::mapping
