#include <fmt/format.h>

#include "kernel/ops/activation_cost.hpp"
#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

/// Whether `input` stretches to `shape`: aligned at the last axis, every size equal or 1 (the NumPy
/// rule).
bool broadcasts(const ValueList& input, const ValueList& shape) {
  if (input.size() > shape.size()) return false;
  const auto offset = shape.size() - input.size();
  for (std::size_t i = 0; i < input.size(); ++i)
    if (count_of(input[i]) != Count(1) && count_of(input[i]) != count_of(shape[offset + i]))
      return false;
  return true;
}

// ---------------------------------------------------------------- elementwise
constexpr ParamSpec kElementwiseParams[] = {
    {.name = "shape", .type = ParamType::counts, .doc = "sizes of the output"},
    {.name = "inputs",
     .type = ParamType::count_lists,
     .doc = "sizes of each input before broadcasting; an input used twice (x*x) is listed once"},
    {.name = "flops_per_element",
     .doc = "add, sub, mul, max, compare or select per output element (FLOP)"},
    {.name = "sfu_per_element",
     .required = false,
     .doc = "exp, rcp, sqrt, sin ... per output element (operations)",
     .default_value = "0"},
    {.name = "accumulate",
     .type = ParamType::flag,
     .required = false,
     .doc = "the old output is an input too: y += f(x)",
     .default_value = "false"},
};
constexpr OperandSpec kElementwiseOperands[] = {
    {.name = "inputs", .doc = "one dtype per input, or one for all", .traffic = "in*"},
    {.name = "output", .doc = "result", .default_dtype = "=inputs", .traffic = "out"},
};

/// Each input is read once at its own size, the output is written once (and read where it
/// accumulates).
Counted elementwise(const OpInput& input) {
  static const ValueList kNone;
  const auto* shape = list_of(input, "shape");
  const auto* inputs = list_of(input, "inputs");
  if (!shape) shape = &kNone;
  if (!inputs) inputs = &kNone;
  const auto output = input.dtype("output");
  const auto dtypes = input.dtype_list("inputs");
  if (!inputs->empty() && dtypes.size() != 1 && dtypes.size() != inputs->size())
    return refuse("inputs", fmt::format("{} dtypes for {} inputs", dtypes.size(), inputs->size()),
                  "give one dtype per input, or a single one for all of them");

  Work work(Work::Headline::vector, vector_pipe(output));
  const Count n = elements(*shape);
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    const auto* own = std::get_if<ValueList>(&(*inputs)[i].data);
    if (!own) own = &kNone;
    if (!broadcasts(*own, *shape))
      return refuse("inputs",
                    fmt::format("input {} of shape {} does not broadcast to {}", i,
                                shape_text(*own), shape_text(*shape)),
                    "sizes are compared from the last axis; each must equal the output's or be 1");
    work.read("in" + std::to_string(i),
              bytes(n == Count(0) ? n : elements(*own), dtypes[dtypes.size() == 1 ? 0 : i]));
  }
  work.write("out", bytes(n, output));
  if (input.flag("accumulate", false)) work.read("out", bytes(n, output));
  work.vector(n * input.count("flops_per_element"));
  work.sfu(n * input.count("sfu_per_element"));
  return work;
}

// ---------------------------------------------------------------- activation
constexpr ParamSpec kActivationParams[] = {
    {.name = "kind",
     .type = ParamType::choice,
     .doc = "the function; swiglu, geglu_tanh and reglu are gated: two inputs of this shape",
     .choices = kActivationNames},
    {.name = "shape", .type = ParamType::counts, .doc = "sizes of the output"},
};
constexpr OperandSpec kInputOutput[] = {
    {.name = "input", .doc = "every input", .traffic = "x gate up"},
    {.name = "output", .doc = "result", .default_dtype = "=input", .traffic = "y"},
};
constexpr ParamAlias kActivationAliases[] = {{"activation", "kind"}, {"function", "kind"}};

Counted activation(const OpInput& input) {
  const auto& cost = activation_cost(input.choice("kind", "none"));
  const Count n = elements(input, "shape");
  const Count in = bytes(n, input.dtype("input"));
  Work work(Work::Headline::vector, vector_pipe(input.dtype("input")));
  work.vector(n * cost.vector).sfu(n * cost.sfu);
  if (cost.gated) {
    work.read("gate", in).read("up", in);
  } else {
    work.read("x", in);
  }
  work.write("y", bytes(n, input.dtype("output")));
  return work;
}

// ---------------------------------------------------------------- copy
constexpr std::string_view kCopyKinds[] = {"copy", "cast", "transpose", "contiguous", "fill"};
constexpr ParamSpec kCopyParams[] = {
    {.name = "shape", .type = ParamType::counts, .doc = "sizes of the tensor"},
    {.name = "kind",
     .type = ParamType::choice,
     .required = false,
     .doc = "what is done; all but fill (a memset, which writes only) move the same bytes",
     .default_value = "copy",
     .choices = kCopyKinds},
};
constexpr OperandSpec kCopyOperands[] = {
    {.name = "dst", .doc = "destination"},
    {.name = "src", .doc = "source; not used by fill", .default_dtype = "=dst"},
};

Counted copy(const OpInput& input) {
  const Count n = elements(input, "shape");
  Work work(Work::Headline::vector, Pipe{});
  if (input.choice("kind", "copy") != "fill") work.read("src", bytes(n, input.dtype("src")));
  work.write("dst", bytes(n, input.dtype("dst")));
  return work;
}

// ---------------------------------------------------------------- quantize
constexpr ParamSpec kQuantizeParams[] = {
    {.name = "rows", .doc = "rows of the matrix"},
    {.name = "cols", .doc = "values per row"},
    {.name = "group",
     .doc = "values along the row that share a scale; cols for one scale per row",
     .minimum = 1},
};
constexpr OperandSpec kQuantizeOperands[] = {
    {.name = "input", .doc = "values before quantising", .traffic = "x"},
    {.name = "output", .doc = "quantised values", .default_dtype = "fp8_e4m3", .traffic = "q"},
    {.name = "scale", .doc = "one per group", .default_dtype = "fp32"},
};
constexpr ParamAlias kQuantizeAliases[] = {
    {"group_size", "group"}, {"block_size", "group"}, {"tokens", "rows"}};

/// Per group: the largest magnitude, a scale from it, its reciprocal; then one multiplication per
/// value.
Counted quantize(const OpInput& input) {
  const Count rows = input.count("rows"), cols = input.count("cols"),
              group = input.count("group", 1);
  const Count values = rows * cols, groups = rows * ceil_div(cols, group);
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  if (cols != Count(0)) {
    work.vector(max(0, values - groups) + groups + values);
    work.sfu(groups);
  }
  work.read("x", bytes(values, input.dtype("input")));
  work.write("q", bytes(values, input.dtype("output")))
      .write("scale", bytes(groups, input.dtype("scale")));
  return work;
}

}  // namespace

constexpr OpEntry kElementwise = {
    .name = "elementwise",
    .family = "elementwise",
    .doc = "One output from broadcast inputs, a fixed amount of arithmetic per element",
    .params = kElementwiseParams,
    .operands = kElementwiseOperands,
    .aliases = {},
    .work = "vector f*n, sfu t*n (f flops_per_element, t sfu_per_element, n output elements)",
    .bytes =
        "sum of each input at its own size + n*s_out written, n*s_out read again with accumulate",
    .intensity =
        "k inputs of the output's shape and dtype: (f+t)/((k+1)*s); c = a + b in fp32: 1/12",
    .source =
        "docs/model.md, section 1: a broadcast operand is read at its own size, the same tensor "
        "once",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: residual_add
    op: elementwise
    shape: [8192, 8192]
    inputs: [[8192, 8192], [8192, 8192]]
    flops_per_element: 1
    dtype: bf16
)yaml",
    .model = &elementwise,
};

constexpr OpEntry kActivation = {
    .name = "activation",
    .family = "elementwise",
    .doc = "An activation function, plain or gated, over a whole tensor",
    .params = kActivationParams,
    .operands = kInputOutput,
    .aliases = kActivationAliases,
    .work =
        "(vector, sfu) per element: relu (1,0), leaky_relu (2,0), relu2 (2,0), exp (0,1), tanh "
        "(0,1), sigmoid (1,2), silu (2,2), softplus (1,2), gelu_tanh (8,1), gelu_erf (4,1), "
        "quick_gelu (3,2), swiglu (3,2), geglu_tanh (9,1), reglu (2,0)",
    .bytes = "n*s_in (twice when gated) + n*s_out",
    .intensity = "swiglu: 5/(3*s); silu: 4/(2*s)",
    .source =
        "docs/model.md, section 1; special functions as fast-math code issues them, a/b = a*rcp(b)",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: swiglu
    op: activation
    kind: swiglu
    shape: [8192, 28672]
    dtype: bf16
)yaml",
    .model = &activation,
};

constexpr OpEntry kCopy = {
    .name = "copy",
    .family = "elementwise",
    .doc = "Copy, cast, transpose or fill: traffic without arithmetic",
    .params = kCopyParams,
    .operands = kCopyOperands,
    .aliases = {},
    .work = "none",
    .bytes = "n*s_src + n*s_dst; fill: n*s_dst",
    .intensity = "0",
    .source =
        "docs/model.md, section 1: layout and type conversion change no compulsory byte count",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: cast_weights
    op: copy
    kind: cast
    shape: [28672, 8192]
    dtypes: {src: fp32, dst: bf16}
)yaml",
    .model = &copy,
};

constexpr OpEntry kQuantize = {
    .name = "quantize",
    .family = "elementwise",
    .doc = "Dynamic quantisation of a matrix in groups along its rows",
    .params = kQuantizeParams,
    .operands = kQuantizeOperands,
    .aliases = kQuantizeAliases,
    .work =
        "G = rows*ceil(cols/group): vector (rows*cols - G) group max + G scales + rows*cols "
        "multiplies; sfu G",
    .bytes = "rows*cols*(s_in + s_out) + G*s_scale",
    .intensity = "about 2/(s_in + s_out)",
    .source = "docs/model.md, section 1; absolute values and conversions are free",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: quantize_activations
    op: quantize
    rows: 4096
    cols: 7168
    group: 128
    dtypes: {input: bf16, output: fp8_e4m3, scale: fp32}
)yaml",
    .model = &quantize,
};

}  // namespace roofline::op_models
