#include "roofline/kernel/fusion.hpp"

#include <algorithm>
#include <array>

#include "roofline/kernel/tensor.hpp"

namespace roofline {
namespace {

constexpr long long kWidestTile = 256;  // columns of the widest common thread-block tile

struct ClassRow {
  std::string_view op;
  FusionClass fusion;
};
constexpr ClassRow kClasses[] = {
    {"attention", FusionClass::contraction},   {"batchnorm", FusionClass::global},
    {"collective", FusionClass::global},       {"conv", FusionClass::contraction},
    {"cross_entropy", FusionClass::row_reduction}, {"embedding", FusionClass::pointwise},
    {"fft", FusionClass::global},              {"gather", FusionClass::pointwise},
    {"gemm", FusionClass::contraction},        {"gemv", FusionClass::contraction},
    {"grouped_gemm", FusionClass::contraction}, {"histogram", FusionClass::global},
    {"layernorm", FusionClass::row_reduction}, {"memcpy_hd", FusionClass::global},
    {"mla_decode", FusionClass::contraction},  {"moe", FusionClass::contraction},
    {"nbody", FusionClass::global},            {"pool", FusionClass::global},
    {"qgemm", FusionClass::contraction},       {"quantize", FusionClass::row_reduction},
    {"radix_sort", FusionClass::global},       {"reduction", FusionClass::global},
    {"rmsnorm", FusionClass::row_reduction},   {"scan", FusionClass::global},
    {"scatter_add", FusionClass::global},      {"softmax", FusionClass::row_reduction},
    {"sparse24_gemm", FusionClass::contraction}, {"spmv_csr", FusionClass::global},
    {"ssm_scan", FusionClass::global},         {"stencil", FusionClass::global},
    {"syrk", FusionClass::contraction},
};

FusionClass class_of(const Kernel& kernel) {
  const auto name = kernel.op->name;
  if (name == "batchnorm" && kernel.input.choice("phase", "") == "infer") return FusionClass::pointwise;
  if (name == "generic" && kernel.work.headline() == Work::Headline::matmul) return FusionClass::contraction;
  for (const auto& row : kClasses)
    if (row.op == name) return row.fusion;
  return FusionClass::pointwise;
}

/// Elements of a row where rows matter: the normalised row, or the outputs of one row of a product.
Count row_elements(const Kernel& kernel) {
  constexpr std::string_view kNames[] = {"group", "cols", "vocab", "n"};
  for (const auto name : kNames)
    if (kernel.input.has(name)) return kernel.input.count(name);
  return 0;
}

DType row_dtype(const Kernel& kernel) {
  constexpr std::string_view kNames[] = {"x", "input", "logits", "a"};
  for (const auto name : kNames)
    if (kernel.input.has_dtype(name)) return kernel.input.dtype(name);
  return DType::fp32;
}

const SharedTensor* find_shared(const Workload& workload, std::string_view name) {
  for (const auto& tensor : workload.tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

/// Builds the tensors of a chain in program order, giving each write its own version.
class Builder {
 public:
  explicit Builder(Chain& chain, Errors& errors) : chain_(chain), errors_(errors) {}

  std::size_t current(const std::string& name, Count bytes, bool intermediate) {
    for (std::size_t i = chain_.tensors.size(); i-- > 0;)
      if (chain_.tensors[i].name == name) return i;
    chain_.tensors.push_back({name, bytes, intermediate, std::nullopt, {}});
    return chain_.tensors.size() - 1;
  }

  void read(std::size_t kernel, const std::string& name, Count bytes, bool intermediate, const Location& where) {
    const auto at = current(name, bytes, intermediate);
    auto& tensor = chain_.tensors[at];
    if (intermediate && !tensor.made_by)
      errors_.push_back({Code::contradiction, where,
                         "tensor '" + name + "' is an intermediate, but kernel '" + chain_.kernels[kernel].name +
                             "' reads it before any kernel writes it",
                         "kernels stand in the order in which they run; a cycle cannot be one", {}});
    auto& reads = chain_.kernels[kernel].reads;
    if (std::find(reads.begin(), reads.end(), at) != reads.end()) return;
    reads.push_back(at);
    tensor.read_by.push_back(kernel);
  }

  void write(std::size_t kernel, const std::string& name, Count bytes, bool intermediate, const Location& where) {
    for (std::size_t i = chain_.tensors.size(); i-- > 0;) {
      const auto& known = chain_.tensors[i];
      if (known.name != name) continue;
      if (known.made_by && known.read_by.empty())
        errors_.push_back({Code::contradiction, where,
                           "tensor '" + name + "' is written twice: by '" + chain_.kernels[*known.made_by].name +
                               "' and by '" + chain_.kernels[kernel].name + "', and nobody reads it in between",
                           {}, {}});
      break;
    }
    chain_.tensors.push_back({name, bytes, intermediate, kernel, {}});
    chain_.kernels[kernel].writes.push_back(chain_.tensors.size() - 1);
  }

 private:
  Chain& chain_;
  Errors& errors_;
};

const Traffic* traffic_of(const Work& work, std::string_view operand) {
  for (const auto& traffic : work.operands())
    if (traffic.operand == operand) return &traffic;
  return nullptr;
}

void add_kernel(const Kernel& kernel, const Workload& workload, Chain& chain, Builder& builder) {
  const auto index = chain.kernels.size();
  ChainKernel entry;
  entry.name = kernel.name;
  entry.op = kernel.op->name;
  entry.work = kernel.work;
  entry.fusion = class_of(kernel);
  entry.row_elements = row_elements(kernel);
  entry.row_bytes = tensor_bytes(entry.row_elements, row_dtype(kernel));
  entry.private_read = kernel.work.bytes_read();
  entry.private_written = kernel.work.bytes_written();
  chain.kernels.push_back(std::move(entry));
  for (const bool writing : {false, true})
    for (const auto& use : kernel.tensors) {
      const auto* traffic = traffic_of(kernel.work, use.operand);
      const auto* shared = find_shared(workload, use.tensor);
      if (!traffic || !shared || !(writing ? use.writes : use.reads)) continue;
      auto& stays = writing ? chain.kernels[index].private_written : chain.kernels[index].private_read;
      const Count bytes = writing ? traffic->written : traffic->read;
      stays -= bytes;
      if (writing) builder.write(index, use.tensor, bytes, shared->intermediate, kernel.where);
      else builder.read(index, use.tensor, bytes, shared->intermediate, kernel.where);
    }
}

const Value* member(const ValueMap& map, std::string_view key) {
  for (const auto& [name, value] : map)
    if (name == key) return &value;
  return nullptr;
}

std::vector<std::string> strings(const Value* value) {
  std::vector<std::string> names;
  if (const auto* list = value ? std::get_if<ValueList>(&value->data) : nullptr)
    for (const auto& item : *list)
      if (const auto* text = std::get_if<std::string>(&item.data)) names.push_back(*text);
  return names;
}

Count count_of(const Value* value) {
  const auto* count = value ? std::get_if<Count>(&value->data) : nullptr;
  return count ? *count : Count(0);
}

/// The steps of one fused_chain entry as kernels of their own.
void add_steps(const Kernel& kernel, Chain& chain, Builder& builder) {
  const auto* steps = kernel.input.find("steps");
  const auto* list = steps ? std::get_if<ValueList>(&steps->data) : nullptr;
  if (!list) return;
  Count elements = 1;
  for (const Count extent : kernel.input.counts("shape")) elements *= extent;
  const auto outputs = strings(kernel.input.find("outputs"));
  const auto is_output = [&](const std::string& name) { return std::find(outputs.begin(), outputs.end(), name) != outputs.end(); };
  std::vector<std::string> made;
  for (const auto& item : *list) {
    const auto* step = std::get_if<ValueMap>(&item.data);
    if (!step) continue;
    const auto index = chain.kernels.size();
    const auto reads = strings(member(*step, "reads")), writes = strings(member(*step, "writes"));
    ChainKernel entry;
    entry.name = writes.empty() ? kernel.name + "." + std::to_string(index + 1) : "-> " + writes.front();
    entry.op = "step";
    entry.work = Work(Work::Headline::vector, {PipeKind::vector, RateType::fp32});
    entry.work.vector(elements * count_of(member(*step, "flops"))).sfu(elements * count_of(member(*step, "sfu")));
    for (const auto& name : reads) entry.work.read(name, tensor_bytes(elements, kernel.input.dtype(name)));
    for (const auto& name : writes) entry.work.write(name, tensor_bytes(elements, kernel.input.dtype(name)));
    chain.kernels.push_back(std::move(entry));
    const auto bytes = [&](const std::string& name) { return tensor_bytes(elements, kernel.input.dtype(name)); };
    const auto inner = [&](const std::string& name) {
      return !is_output(name) && std::find(made.begin(), made.end(), name) != made.end();
    };
    for (const auto& name : reads) builder.read(index, name, bytes(name), inner(name), kernel.where);
    for (const auto& name : writes) {
      made.push_back(name);
      builder.write(index, name, bytes(name), !is_output(name), kernel.where);
    }
  }
}

bool in(std::size_t kernel, std::size_t first, std::size_t last) { return kernel >= first && kernel <= last; }

bool shares_tensor(const Chain& chain, std::size_t first, std::size_t kernel) {
  const auto& own = chain.kernels[kernel];
  for (std::size_t other = first; other < kernel; ++other)
    for (const auto* list : {&chain.kernels[other].reads, &chain.kernels[other].writes})
      for (const auto tensor : *list)
        if (std::find(own.reads.begin(), own.reads.end(), tensor) != own.reads.end()) return true;
  return false;
}

/// Why kernel `at` cannot join the kernels from `first` on.
std::string why_not_join(const Chain& chain, std::size_t first, std::size_t at, Count row_limit) {
  const auto& kernel = chain.kernels[at];
  if (kernel.fusion == FusionClass::contraction)
    return "'" + kernel.name + "' is a matrix product: its tiles read the operands many times, so it can only start a group";
  if (!shares_tensor(chain, first, at)) return "'" + kernel.name + "' shares no tensor with the kernels before it";
  for (std::size_t other = first; other < at; ++other) {
    const auto& before = chain.kernels[other];
    if (before.fusion == FusionClass::global)
      return "'" + before.name + "' needs all of its input before any of its output (a global reduction): two passes";
    if (kernel.fusion == FusionClass::row_reduction && before.fusion == FusionClass::contraction &&
        before.row_elements > Count(kWidestTile))
      return "'" + kernel.name + "' needs whole rows, and a row of " + before.row_elements.to_string() + " outputs of '" +
             before.name + "' spans several tiles";
    if (kernel.fusion == FusionClass::row_reduction && before.fusion == FusionClass::row_reduction &&
        before.row_elements != kernel.row_elements)
      return "'" + before.name + "' and '" + kernel.name + "' reduce rows of different lengths";
  }
  const bool rows = kernel.fusion == FusionClass::row_reduction || chain.kernels[first].fusion == FusionClass::row_reduction;
  const Count row = std::max(kernel.row_bytes, chain.kernels[first].row_bytes);
  if (rows && row_limit > Count(0) && row > row_limit)
    return "a row of " + row.to_string() + " B does not fit the " + row_limit.to_string() + " B of shared memory of a block";
  return {};
}

}  // namespace

Checked<Chain> chain_of(const Workload& workload) {
  Chain chain;
  Errors errors;
  Builder builder(chain, errors);
  const auto& kernels = workload.kernels;
  if (kernels.size() == 1 && kernels.front().op->name == "fused_chain") {
    add_steps(kernels.front(), chain, builder);
  } else {
    for (const auto& kernel : kernels) add_kernel(kernel, workload, chain, builder);
    const bool shares = std::any_of(chain.tensors.begin(), chain.tensors.end(), [](const ChainTensor& t) {
      return t.read_by.size() + (t.made_by ? 1 : 0) > 1;
    });
    if (!shares && !kernels.empty())
      errors.push_back({Code::contradiction, kernels.front().where, "these kernels share no tensor, so there is nothing to fuse",
                        "declare tensors: and bind operands to them (operands: {x: h}), or use op: fused_chain", {}});
  }
  for (const auto& kernel : kernels)
    if (kernel.repeat != kernels.front().repeat)
      errors.push_back({Code::contradiction, kernel.where, "the kernels of a chain must have the same repeat", {}, {}});
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return chain;
}

std::string why_not_fusible(const Chain& chain, std::size_t first, std::size_t last, Count row_limit) {
  for (std::size_t at = first + 1; at <= last; ++at)
    if (auto reason = why_not_join(chain, first, at, row_limit); !reason.empty()) return reason;
  return {};
}

FusedTraffic fused_traffic(const Chain& chain, std::size_t first, std::size_t last) {
  FusedTraffic result;
  for (std::size_t i = first; i <= last; ++i) {
    result.bytes_read += chain.kernels[i].private_read;
    result.bytes_written += chain.kernels[i].private_written;
  }
  for (std::size_t t = 0; t < chain.tensors.size(); ++t) {
    const auto& tensor = chain.tensors[t];
    const bool made_inside = tensor.made_by && in(*tensor.made_by, first, last);
    const auto inside = std::count_if(tensor.read_by.begin(), tensor.read_by.end(), [&](auto k) { return in(k, first, last); });
    const bool read_outside = static_cast<std::size_t>(inside) < tensor.read_by.size();
    if (!made_inside && inside > 0) {
      result.bytes_read += tensor.bytes;
      ++result.passes;
    }
    if (!made_inside) continue;
    if (read_outside || !tensor.intermediate || tensor.read_by.empty()) {
      result.bytes_written += tensor.bytes;
      ++result.passes;
      if (inside > 0) result.written_for_others.push_back(t);
    } else {
      result.kept.push_back(t);
    }
  }
  return result;
}

Work fused_work(const Chain& chain, std::size_t first, std::size_t last) {
  const auto traffic = fused_traffic(chain, first, last);
  Work sum(chain.kernels[first].work.headline(), chain.kernels[first].work.pipe());
  for (std::size_t i = first; i <= last; ++i)
    for (const auto& term : chain.kernels[i].work.terms()) {
      if (term.contraction) sum.matmul(term.pipe, term.amount);
      else if (term.pipe.kind == PipeKind::vector) sum.vector(term.pipe.type, term.amount);
      else if (term.pipe.kind == PipeKind::sfu) sum.sfu(term.amount);
      else if (term.pipe.kind == PipeKind::integer) sum.integer(term.amount);
      else if (term.pipe.kind == PipeKind::link) sum.link(term.amount);
    }
  sum.read("in", traffic.bytes_read).write("out", traffic.bytes_written);
  return sum;
}

}  // namespace roofline
