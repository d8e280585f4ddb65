#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr std::string_view kPrimaries[] = {"vector", "matmul"};
constexpr std::string_view kPipes[] = {"vector:fp32",      "vector:fp64", "vector:fp16",
                                       "vector:bf16",      "cuda:fp32",   "cuda:fp64",
                                       "cuda:fp16",        "cuda:bf16",   "tensor:fp64",
                                       "tensor:tf32",      "tensor:fp16", "tensor:bf16",
                                       "tensor:fp8",       "tensor:fp6",  "tensor:fp4",
                                       "tensor:int8",      "tensor:int4", "tensor:fp16_acc16",
                                       "tensor:fp8_acc16", "sfu",         "int",
                                       "cuda:int",         "link",        "none"};
constexpr ParamSpec kParams[] = {
    {.name = "symbols",
     .type = ParamType::symbols,
     .required = false,
     .doc = "names that the expressions of this entry may use: {N: 1024}",
     .default_value = "{}"},
    {.name = "tensors",
     .type = ParamType::tensors,
     .doc = "what crosses DRAM: {name, shape: [sizes], access: read, write or readwrite}; dtypes "
            "by tensor name"},
    {.name = "flops", .required = false, .doc = "headline work (FLOP); needed without `work`"},
    {.name = "vector_flops",
     .required = false,
     .doc = "with primary: matmul, elementwise work beside it (FLOP)",
     .default_value = "0"},
    {.name = "sfu_ops",
     .required = false,
     .doc = "exp, rcp, sqrt, sin ... (operations)",
     .default_value = "0"},
    {.name = "primary",
     .type = ParamType::choice,
     .required = false,
     .doc = "what `flops` counts",
     .default_value = "vector",
     .choices = kPrimaries},
    {.name = "pipe",
     .type = ParamType::choice,
     .required = false,
     .doc = "datapath of the headline work",
     .default_value = "vector:fp32",
     .choices = kPipes},
    {.name = "work",
     .type = ParamType::work_map,
     .required = false,
     .doc = "work per datapath instead of flops, vector_flops, sfu_ops, primary and pipe: "
            "vector.TYPE, matmul.TYPE, sfu, int; the headline is matmul work where there is any"},
};

/// One key of `work`: a datapath, and whether the work is a contraction.
struct Datapath {
  Pipe pipe;
  bool contraction = false;
};

/// "vector.fp32", "matmul.bf16", "sfu", "int"; ':' for '.' and "tensor" for "matmul" are taken too.
std::optional<Datapath> find_datapath(std::string_view key) {
  if (key == "sfu") return Datapath{{PipeKind::sfu, RateType::none}};
  if (key == "int") return Datapath{{PipeKind::integer, RateType::none}};
  const auto dot = key.find_first_of(".:");
  if (dot == std::string_view::npos) return std::nullopt;
  const auto kind = key.substr(0, dot), type = key.substr(dot + 1);
  if (kind == "vector" || kind == "cuda") {
    const auto rate = find_rate(type);
    return rate ? std::optional(Datapath{{PipeKind::vector, *rate}}) : std::nullopt;
  }
  if (kind != "matmul" && kind != "tensor") return std::nullopt;
  // A dtype's own datapath first: a plain fp32 product is vector work. Then the rates that are no
  // dtype (fp16_acc16).
  if (const auto dtype = find_dtype(type))
    if (const auto pipe = matmul_pipe(*dtype, *dtype); pipe.kind != PipeKind::none)
      return Datapath{pipe, true};
  const auto rate = find_rate(type);
  return rate ? std::optional(Datapath{{PipeKind::tensor, *rate}, true}) : std::nullopt;
}

/// Which entry of `work` is the headline: matmul before vector before special functions before
/// integers, the largest of its kind; entries without work count only when there is nothing else.
int headline_rank(const Datapath& path) {
  if (path.contraction) return 4;
  switch (path.pipe.kind) {
    case PipeKind::vector: return 3;
    case PipeKind::sfu: return 2;
    default: return 1;
  }
}

Counted work_by_datapath(const ValueMap& amounts) {
  std::vector<std::pair<Datapath, Count>> entries;
  for (const auto& [key, value] : amounts) {
    const auto path = find_datapath(key);
    if (!path)
      return refuse(
          "work", fmt::format("unknown datapath '{}'", key),
          "datapaths are vector.fp32, vector.fp64, matmul.bf16 and the like, sfu and int");
    if (count_of(value) < Count(0) && !count_of(value).overflowed())
      return refuse("work", fmt::format("{} is negative: {}", key, count_of(value).to_string()),
                    "work is at least 0");
    entries.emplace_back(*path, count_of(value));
  }
  if (entries.empty())
    return refuse("work", "no datapath", "give at least one, such as vector.fp32: N");
  const auto& headline =
      *std::max_element(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        const auto key = [](const auto& entry) {
          return std::tuple(entry.second != Count(0), headline_rank(entry.first),
                            entry.second.value());
        };
        return key(a) < key(b);
      });
  // Special functions are fed from the vector pipe, which is where elementwise ops have their
  // headline.
  const auto pipe =
      headline.first.pipe.kind == PipeKind::sfu ? vector_pipe(DType::fp32) : headline.first.pipe;
  Work work(headline.first.contraction ? Work::Headline::matmul : Work::Headline::vector, pipe);
  for (const auto& [path, amount] : entries) {
    if (path.contraction) {
      work.matmul(path.pipe, amount);
    } else if (path.pipe.kind == PipeKind::vector) {
      work.vector(path.pipe.type, amount);
    } else if (path.pipe.kind == PipeKind::sfu) {
      work.sfu(amount);
    } else {
      work.integer(amount);
    }
  }
  return work;
}

Counted work_by_headline(const OpInput& input) {
  for (const auto* name : {"flops", "vector_flops", "sfu_ops"})
    if (const Count amount = input.count(name); amount < Count(0) && !amount.overflowed())
      return refuse(name, fmt::format("{} is negative: {}", name, amount.to_string()),
                    "work is at least 0");
  if (!input.has("flops"))
    return refuse("flops", "flops is missing", "give flops, or work: {vector.fp32: ...}");
  const bool matmul = input.choice("primary", "vector") == "matmul";
  if (!matmul && input.count("vector_flops") != Count(0))
    return refuse("vector_flops", "vector_flops stands beside matmul work only",
                  "without primary: matmul, `flops` is the vector work");
  const auto pipe = find_pipe(input.choice("pipe", "vector:fp32"));
  if (!pipe) return refuse("pipe", "unknown datapath", "such as vector:fp32 or tensor:bf16");
  Work work(matmul ? Work::Headline::matmul : Work::Headline::vector, *pipe);
  if (matmul) {
    work.matmul(input.count("flops")).vector(input.count("vector_flops"));
  } else {
    work.vector(input.count("flops"));
  }
  work.sfu(input.count("sfu_ops"));
  return work;
}

/// Adds one declared tensor to what is read and written.
tl::expected<void, OpError> move_tensor(const OpInput& input, const ValueMap& tensor, Work& work) {
  const auto* name_value = field(tensor, "name");
  const auto* shape_value = field(tensor, "shape");
  const auto* access_value = field(tensor, "access");
  const auto* shape = shape_value ? std::get_if<ValueList>(&shape_value->data) : nullptr;
  const auto name = name_value ? text_of(*name_value) : std::string_view();
  if (name.empty() || !shape)
    return refuse("tensors", "a tensor lacks its name or shape",
                  "write {name: x, shape: [N], access: read}");
  const auto access = access_value ? text_of(*access_value) : std::string_view();
  const bool reads = access == "read" || access == "readwrite",
             writes = access == "write" || access == "readwrite";
  if (!reads && !writes)
    return refuse("tensors", fmt::format("access '{}' of tensor '{}'", access, name),
                  "read, write or readwrite");
  for (const auto& size : *shape)
    if (count_of(size) < Count(0) && !count_of(size).overflowed())
      return refuse("tensors",
                    fmt::format("tensor '{}' has a negative size: {}", name, shape_text(*shape)),
                    "sizes are at least 0");
  if (!input.has_dtype(name))
    return refuse("tensors", fmt::format("tensor '{}' has no dtype", name),
                  "give the tensor a dtype, or the entry one for all");
  const Count size = bytes(elements(*shape), input.dtype(name));
  if (reads) work.read(name, size);
  if (writes) work.write(name, size);
  return {};
}

Counted generic(const OpInput& input) {
  const auto* amounts = input.find("work");
  const auto* map = amounts ? std::get_if<ValueMap>(&amounts->data) : nullptr;
  if (map)
    for (const auto* name : {"flops", "vector_flops", "sfu_ops", "primary", "pipe"})
      if (input.has(name))
        return refuse(name, fmt::format("{} and work contradict each other", name),
                      "give one of the two");
  auto work = map ? work_by_datapath(*map) : work_by_headline(input);
  if (!work) return work;
  static const ValueList kNone;
  const auto* tensors = list_of(input, "tensors");
  for (const auto& item : tensors ? *tensors : kNone) {
    static const ValueMap kEmpty;
    const auto* tensor = std::get_if<ValueMap>(&item.data);
    if (const auto moved = move_tensor(input, tensor ? *tensor : kEmpty, *work); !moved)
      return tl::unexpected(moved.error());
  }
  return work;
}

}  // namespace

constexpr OpEntry kGeneric = {
    .name = "generic",
    .family = "generic",
    .doc = "Your own kernel: declared tensors and work, as expressions over named sizes",
    .params = kParams,
    .operands = {},
    .aliases = {},
    .work = "as declared",
    .bytes = "each declared tensor once per direction",
    .intensity = "headline work / bytes",
    .source = "the description itself",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: jacobi_sweep
    op: generic
    symbols: {NX: 8192, NY: 8192}
    tensors:
      - {name: u, shape: [NX+2, NY+2], dtype: fp32, access: read}
      - {name: v, shape: [NX, NY], dtype: fp32, access: write}
    work: {vector.fp32: 5*NX*NY}
)yaml",
    .model = &generic,
};

}  // namespace roofline::op_models
