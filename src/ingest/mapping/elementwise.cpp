#include <algorithm>

#include "ingest/mapping/elementwise_cost.hpp"
#include "ingest/mapping/families.hpp"

/// Elementwise operators of PyTorch and their arithmetic per element of the result, by the rules of
/// docs/model.md, section 1: a sign flip and a conversion are free, a division is a reciprocal and
/// a product.
namespace roofline::mapping {
namespace {

using Cost = ElementwiseCost;
using Result = ElementType;

constexpr Cost kCosts[] = {
    {"add", 2, 1, 0},
    {"sub", 2, 1, 0},
    {"rsub", 2, 1, 0},
    {"mul", 2, 1, 0},
    {"div", 2, 1, 1},
    {"true_divide", 2, 1, 1},
    {"floor_divide", 2, 2, 1},
    {"remainder", 2, 3, 1},
    {"fmod", 2, 3, 1},
    {"maximum", 2, 1, 0},
    {"minimum", 2, 1, 0},
    {"eq", 2, 1, 0, Result::boolean},
    {"ne", 2, 1, 0, Result::boolean},
    {"lt", 2, 1, 0, Result::boolean},
    {"le", 2, 1, 0, Result::boolean},
    {"gt", 2, 1, 0, Result::boolean},
    {"ge", 2, 1, 0, Result::boolean},
    {"logical_and", 2, 1, 0, Result::boolean},
    {"logical_or", 2, 1, 0, Result::boolean},
    {"logical_not", 1, 1, 0, Result::boolean},
    {"bitwise_and", 2, 0, 0},
    {"bitwise_or", 2, 0, 0},
    {"bitwise_not", 1, 0, 0},
    {"bitwise_xor", 2, 0, 0},
    {"bitwise_left_shift", 2, 0, 0},
    {"bitwise_right_shift", 2, 0, 0},
    {"logical_xor", 2, 1, 0, Result::boolean},
    {"fmax", 2, 1, 0},
    {"fmin", 2, 1, 0},
    {"copysign", 2, 0, 0},
    {"logaddexp", 2, 4, 2},  // max + log1p(exp(min - max))
    {"isnan", 1, 1, 0, Result::boolean},
    {"isinf", 1, 1, 0, Result::boolean},
    {"isposinf", 1, 1, 0, Result::boolean},
    {"isneginf", 1, 1, 0, Result::boolean},
    {"signbit", 1, 0, 0, Result::boolean},
    {"nan_to_num", 1, 3, 0},  // NaN and both infinities
    {"sign", 1, 3, 0},        // (x > 0) - (x < 0)
    {"sgn", 1, 3, 0},
    {"neg", 1, 0, 0},
    {"floor", 1, 1, 0},
    {"ceil", 1, 1, 0},
    {"round", 1, 1, 0},
    {"trunc", 1, 1, 0},
    {"abs", 1, 0, 0},
    {"clamp", 3, 2, 0},
    {"clamp_min", 2, 1, 0},
    {"clamp_max", 2, 1, 0},
    {"hardtanh", 1, 2, 0},
    {"relu", 1, 1, 0},
    {"leaky_relu", 1, 2, 0},
    {"exp", 1, 0, 1},
    {"exp2", 1, 0, 1},
    {"log", 1, 0, 1},
    {"log2", 1, 0, 1},
    {"sqrt", 1, 0, 1},
    {"rsqrt", 1, 0, 1},
    {"reciprocal", 1, 0, 1},
    {"sin", 1, 0, 1},
    {"cos", 1, 0, 1},
    {"tanh", 1, 0, 1},
    {"erf", 1, 0, 1},
    {"square", 1, 1, 0},
    {"log1p", 1, 1, 1},
    {"expm1", 1, 1, 1},
    {"elu", 1, 3, 1},          // x > 0, else a * (exp(x) - 1)
    {"hardsigmoid", 1, 4, 0},  // x + 3 between 0 and 6, a sixth of it
    {"hardswish", 1, 5, 0},
    {"mish", 1, 2, 3},           // x * tanh(softplus(x))
    {"_prelu_kernel", 2, 2, 0},  // x > 0, else w * x
    {"sigmoid", 1, 1, 2},
    {"silu", 1, 2, 2},
    {"softplus", 1, 1, 2},
    {"log_sigmoid_forward", 1, 3, 2},  // min(x, 0) - log1p(exp(-|x|))
    {"logit", 1, 2, 2},                // log(x / (1 - x))
    {"log10", 1, 1, 1},
    {"sinh", 1, 2, 2},  // (exp(x) - 1/exp(x)) / 2
    {"cosh", 1, 2, 2},
    {"tan", 1, 1, 3},  // sin(x) / cos(x)
    {"hardshrink", 1, 2, 0},
    {"softshrink", 1, 3, 0},
    {"threshold", 1, 1, 0},
    {"addcmul", 3, 3, 0},
    {"addcdiv", 3, 3, 1},
    {"lerp", 3, 3, 0},
    {"threshold_backward", 2, 1, 0},  // grad where x > t
    {"sigmoid_backward", 2, 3, 0},    // g * y * (1 - y)
    {"tanh_backward", 2, 3, 0},       // g * (1 - y*y)
    {"silu_backward", 2, 6, 2},       // g * s * (1 + x * (1 - s)), s = sigmoid(x)
    {"leaky_relu_backward", 2, 2, 0},
    {"hardtanh_backward", 2, 2, 0},
    {"smooth_l1_loss", 2, 5, 0},  // (x-y)^2 / 2b where |x-y| < b, else |x-y| - b/2
    {"huber_loss", 2, 5, 0},
    {"smooth_l1_loss_backward", 3, 4, 0},  // g * n * (x-y), between -1 and 1
    {"huber_loss_backward", 3, 4, 0},
    {"log_sigmoid_backward", 2, 2, 2},           // g * sigmoid(-x)
    {"binary_cross_entropy_backward", 3, 5, 1},  // g * (x-t) / (x * (1-x))
    {"softplus_backward", 2, 2, 2},              // g * sigmoid(x)
    {"hardswish_backward", 2, 5, 0},             // g * (x/3 + 1/2) between -3 and 3
    {"hardsigmoid_backward", 2, 3, 0},           // g/6 between -3 and 3
    {"logit_backward", 2, 3, 1},                 // g / (x * (1 - x))
    {"_masked_scale", 2, 2, 0},                  // x * mask * scale
    {"mse_loss", 2, 2, 0},                       // (x - y)^2; its mean is an operator of its own
    {"mse_loss_backward", 3, 2, 0},              // (x - y) * (2/n g)
    {"native_dropout_backward", 2, 2, 0},        // g * mask * scale
    {"masked_fill", 2, 1, 0, Result::of_first},
    {"where", 3, 1, 0},
    {"_s_where", 3, 1, 0},
};

std::string_view plain_name(std::string_view name) {
  return name.size() > 1 && name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

/// Whether gelu is tanh's approximation: as its argument says, or else the kernel's name, whose
/// first lambda is that and whose second is not (ATen/native/cuda/ActivationGeluKernel.cu).
std::optional<bool> gelu_by_tanh(const Arguments& args) {
  if (args.told(1) || args.size() < 2) return args.value(1).find("tanh") != std::string_view::npos;
  constexpr std::string_view kLambda = "GeluType)::{lambda()#";
  const auto at = args.kernel_name().find(kLambda);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = args.kernel_name().substr(at + kLambda.size());
  if (number.starts_with("1}")) return true;
  return number.starts_with("2}") ? std::optional(false) : std::nullopt;
}

/// What depends on more than the name.
std::optional<Cost> cost_of(std::string_view name, const Arguments& args) {
  const auto plain = plain_name(name);
  if (plain == "gelu") {
    const auto tanh = gelu_by_tanh(args);
    if (!tanh) return std::nullopt;
    return *tanh ? Cost{plain, 1, 8, 1} : Cost{plain, 1, 4, 1};
  }
  if (plain == "gelu_backward") return Cost{plain, 2, 8, 2};  // g*(cdf + x*pdf): erf, exp
  if (plain == "pow") {
    if (args.is_tensor(1)) return Cost{plain, 2, 1, 2};
    if (!args.told(1)) return std::nullopt;
    const auto exponent = args.value(1);
    if (exponent == "2" || exponent == "2.") return Cost{plain, 1, 1, 0};
    if (exponent == "3" || exponent == "3.") return Cost{plain, 1, 2, 0};
    if (exponent == "0.5") return Cost{plain, 1, 0, 1};
    return Cost{plain, 1, 1, 2};
  }
  // -(t * log(x) + (1-t) * log(1-x)), and its weight
  if (plain == "binary_cross_entropy")
    return args.is_tensor(2) ? Cost{plain, 3, 6, 2} : Cost{plain, 2, 5, 2};
  if (plain == "binary_cross_entropy_backward" && args.is_tensor(3)) return Cost{plain, 4, 6, 1};
  const auto* known = elementwise_cost(name);
  if (!known) return std::nullopt;
  auto cost = *known;
  // add(x, y, alpha): a factor that is not 1 is a product more.
  const bool sums = plain == "add" || plain == "sub" || plain == "rsub";
  if (sums && args.told(2) && args.value(2) != "1" && args.value(2) != "1.") ++cost.vector;
  return cost;
}

}  // namespace

const ElementwiseCost* elementwise_cost(std::string_view name) {
  const auto* at = std::find_if(std::begin(kCosts), std::end(kCosts),
                                [&](const Cost& cost) { return cost.name == plain_name(name); });
  return at == std::end(kCosts) ? nullptr : at;
}

bool is_elementwise(std::string_view name) {
  const auto plain = plain_name(name);
  return elementwise_cost(name) != nullptr || plain == "gelu" || plain == "gelu_backward" ||
         plain == "pow" || plain == "binary_cross_entropy";
}

Mapped map_elementwise(std::string_view name, const Arguments& args) {
  const auto cost = cost_of(name, args);
  if (!cost) return no(unmapped::kNoArguments);
  std::optional<Sizes> shape;
  std::vector<Sizes> inputs;
  std::vector<std::string_view> types;
  std::string_view type;
  for (std::size_t i = 0; i < cost->inputs; ++i) {
    if (!args.is_tensor(i)) continue;  // a scalar, or a tensor of one element
    const auto known = args.dtype(i);
    if (!known) return no(unmapped::kNoDtype);
    shape = shape ? broadcast(*shape, args.shape(i)) : args.shape(i);
    if (!shape) return no(unmapped::kContradiction);
    inputs.push_back(args.stored_shape(i));
    types.push_back(*known);
    // The condition of where() and the mask of masked_fill() do not decide the result's type.
    const bool condition = *known == "bool" || *known == "boolean";
    if (type.empty() || !condition)
      type = type.empty() || type == "bool" ? *known : promoted(type, *known);
  }
  if (!shape) return no(unmapped::kNoShapes);
  const bool in_place = name.ends_with('_');
  if (in_place || cost->result == Result::of_first) {
    const auto first = args.dtype(0);
    if (!first || !args.is_tensor(0)) return no(unmapped::kNoShapes);
    type = *first;
    if (in_place) shape = args.shape(0);
  }
  if (cost->result == Result::boolean && !in_place) type = "bool";
  Description op("elementwise");
  op.sizes("shape", *shape).size_lists("inputs", inputs);
  op.count("flops_per_element", cost->vector);
  if (cost->sfu > 0) op.count("sfu_per_element", cost->sfu);
  return std::move(op.dtypes("inputs", types).dtype("output", type));
}

}  // namespace roofline::mapping
