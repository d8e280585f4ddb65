#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "analysis/gate/selector.hpp"
#include "roofline/analysis/fusion_audit.hpp"
#include "roofline/analysis/gate.hpp"
#include "roofline/analysis/model_floor.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/kernel/function_name.hpp"
#include "roofline/kernel/kernel_code.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "roofline/kernel/model_config.hpp"
#include "roofline/kernel/transformer.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostSourceBytes = std::size_t{16} << 20;

void append(Errors& all, Errors&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// A description's first point, read once however many entries refer to it.
struct Description {
  Workload workload;
  bool several_points = false;
};

int passes_of(const Work& work) {
  int passes = 0;
  for (const auto& operand : work.operands())
    passes += (operand.read > Count(0)) + (operand.written > Count(0));
  return passes;
}

/// The figures of a verdict, where `bytes` and `flops` are those of the description.
GateSpec spec_of(std::string name, const Verdict& verdict, int passes) {
  GateSpec spec{.name = std::move(name),
                .bytes = Bytes(verdict.bytes().to_double()),
                .flops = Flops(verdict.flops.to_double()),
                .passes = passes,
                .floor = verdict.floor.time,
                .bound = verdict.bound,
                .balanced = verdict.balanced,
                .intensity = verdict.intensity};
  const auto* limiting = verdict.floor.limiting();
  spec.dram_sets_floor = limiting && limiting->ceiling.resource == Resource::dram();
  return spec;
}

class SourceReader {
 public:
  SourceReader(const GateFile& gate, const YamlDocument* places, const Ceilings* ceilings)
      : gate_(gate), places_(places), ceilings_(ceilings) {}

  Checked<std::vector<GateSource>> read() {
    std::vector<GateSource> sources(gate_.entries.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto& entry = gate_.entries[i];
      if (entry.spec) read_spec(*entry.spec, sources[i]);
      if (entry.model) read_model(*entry.model, sources[i]);
      if (entry.section == GateSection::code) read_code(entry, sources[i]);
    }
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return sources;
  }

 private:
  void refuse(const GatePlace& place, Code code, std::string what, std::string hint = {}) {
    Location where = places_ ? places_->where(place.line, place.column, place.length)
                             : Location{gate_.file, place.line, place.column, place.length, {}, 0};
    errors_.push_back({code, std::move(where), std::move(what), std::move(hint), {}});
  }

  /// Files are named relative to the gate file.
  std::string path_of(const std::string& file) const {
    const std::filesystem::path path(file);
    return path.is_absolute() ? file
                              : (std::filesystem::path(gate_.file).parent_path() / path).string();
  }

  bool has_gpu(const GatePlace& place) {
    if (ceilings_) return true;
    refuse(place, Code::no_gpu, "a description needs a GPU, and the gate names none",
           "write gpu: h100-sxm5-80gb, or give --gpu");
    return false;
  }

  std::optional<YamlDocument> document(const std::string& file, const GatePlace& place) {
    const auto path = path_of(file);
    auto content = read_input(path, kMostSourceBytes);
    if (!content) {
      refuse(place, content.error().code, content.error().what, content.error().hint);
      return std::nullopt;
    }
    auto read = read_yaml(std::move(*content), path);
    if (read) return std::move(*read);
    append(errors_, std::move(read.error()));
    return std::nullopt;
  }

  const Description* description(const SpecReference& spec) {
    const auto [at, is_new] = descriptions_.try_emplace(spec.file);
    if (!is_new) return at->second ? &*at->second : nullptr;
    const auto text = document(spec.file, spec.place);
    if (!text) return nullptr;
    auto file = KernelFile::read(*text);
    if (!file) {
      append(errors_, std::move(file.error()));
      return nullptr;
    }
    Description description;
    description.several_points = file->points() > Count(1);
    if (auto wrong = file->evaluate(0, description.workload); !wrong.empty()) {
      append(errors_, std::move(wrong));
      return nullptr;
    }
    at->second = std::move(description);
    return &*at->second;
  }

  void read_spec(const SpecReference& spec, GateSource& source) {
    if (!has_gpu(spec.place)) return;
    const auto* found = description(spec);
    if (!found) return;
    if (found->several_points)
      return refuse(spec.place, Code::contradiction,
                    "this description sweeps over several values: a limit needs one",
                    "give every parameter one value");
    const auto& kernels = found->workload.kernels;
    const auto at = std::find_if(kernels.begin(), kernels.end(),
                                 [&](const Kernel& k) { return k.name == spec.name; });
    if (at != kernels.end()) return take_kernel(*at, spec, source);
    if (spec.name.empty() && kernels.size() == 1) return take_kernel(kernels.front(), spec, source);
    if (spec.name == "fused") return take_fused(found->workload, spec, source);
    std::vector<std::string_view> names;
    std::vector<std::string> choices;
    for (const auto& kernel : kernels) {
      names.push_back(kernel.name);
      choices.push_back('#' + kernel.name);
    }
    if (choices.size() > 8) choices.resize(8);
    std::string hint = spec.name.empty() ? std::string() : did_you_mean(spec.name, names);
    if (hint.empty())
      hint = "one of " + joined(choices) + "; #fused is the whole chain as one kernel";
    refuse(spec.place, Code::unknown_name,
           spec.name.empty()
               ? fmt::format("this description has {} kernels: which of them?", kernels.size())
               : fmt::format("this description has no kernel \"{}\"",
                             shortened(printable(spec.name), 60)),
           std::move(hint));
  }

  void take_kernel(const Kernel& kernel, const SpecReference& spec, GateSource& source) {
    Kernel described = kernel;
    described.time.reset();  // limits are held against what was measured, not against what the
                             // description remembers
    const auto verdict = judge(described, *ceilings_);
    if (!verdict)
      return refuse(spec.place, verdict.error().code, verdict.error().what, verdict.error().hint);
    source.spec = spec_of(kernel.name, *verdict, passes_of(kernel.work));
    source.spec->kernel = std::move(described);
  }

  /// The chain of the description as one kernel.
  void take_fused(const Workload& workload, const SpecReference& spec, GateSource& source) {
    auto chain = chain_of(workload);
    if (!chain) return append(errors_, std::move(chain.error()));
    const auto audit = audit_fusion(*chain, *ceilings_);
    if (!audit)
      return refuse(spec.place, audit.error().code, audit.error().what, audit.error().hint);
    if (!audit->fully_fused || audit->fully_fused->groups.size() != 1)
      return refuse(spec.place, Code::contradiction, "this chain cannot run as one kernel",
                    audit->barriers.empty() ? std::string() : audit->barriers.front().reason);
    const auto& group = audit->fully_fused->groups.front();
    source.spec = spec_of("fused", group.verdict, group.traffic.passes);
    Kernel kernel;
    kernel.name = "fused";
    kernel.work = fused_work(*chain, 0, chain->kernels.size() - 1);
    source.spec->kernel = std::move(kernel);
  }

  /// Kernels of the compiled file that the entry matches: those that the gate's GPU would run, all
  /// of them where it is not known.
  void read_code(const GateEntry& entry, GateSource& source) {
    const auto file = read_kernel_code_file(path_of(entry.code_file));
    if (!file)
      return refuse(entry.match_place, file.error().code, file.error().what, file.error().hint);
    // What cannot be read might be what the limit is about.
    for (const auto& fault : file->faults)
      refuse(entry.match_place, Code::wrong_type,
             printable(entry.code_file) + ": " + printable(fault), "compile it again");
    for (const auto* code : kernels_of(*file)) {
      auto function = function_of(*code);
      ResultKernel named;
      named.name = function.name;
      named.full_name = function.full_name;
      if (matches(entry.match, named)) source.functions.push_back(std::move(function));
    }
  }

  std::vector<const KernelCode*> kernels_of(const CodeFile& file) const {
    if (const auto sm = architecture()) return kernels_for(file, *sm);
    std::vector<const KernelCode*> kernels;
    for (const auto& function : file.functions)
      if (function.entry) kernels.push_back(&function);
    return kernels;
  }

  /// 90 for compute capability 9.0.
  std::optional<unsigned> architecture() const {
    if (!ceilings_ || !ceilings_->gpu().compute_capability) return std::nullopt;
    unsigned sm = 0;
    for (const char c : ceilings_->gpu().compute_capability->value)
      if (c >= '0' && c <= '9') sm = sm * 10 + static_cast<unsigned>(c - '0');
    return sm;
  }

  static GateFunction function_of(const KernelCode& code) {
    GateFunction function{.name = canonical_name(code.mangled), .full_name = code.name};
    function.registers = code.registers;
    function.local_bytes = static_cast<std::int64_t>(code.local_bytes);
    function.shared_bytes = static_cast<std::int64_t>(code.shared_bytes);
    // Where the compiler marked no spills the figure is an upper limit: only a zero is known.
    if (code.spills_known || code.spill_bytes() == 0)
      function.spill_bytes = static_cast<std::int64_t>(code.spill_bytes());
    function.code_hash = code_hash_text(code.code_hash);
    return function;
  }

  static StepOptions options_of(const ModelReference& model) {
    const auto count = [](std::int64_t value) { return Count(static_cast<long long>(value)); };
    StepOptions options;
    options.phase = find_phase(model.phase).value_or(Phase::decode);
    options.batch = count(model.batch);
    options.context = count(model.context);
    options.tokens = count(model.tokens);
    options.tensor_parallel = count(model.tensor_parallel);
    options.expert_parallel = count(model.expert_parallel);
    options.pipeline_parallel = count(model.pipeline_parallel);
    return options;
  }

  void read_model(const ModelReference& model, GateSource& source) {
    if (!has_gpu(model.place)) return;
    const bool decode = model.phase == "decode";
    if (decode ? model.context == 0 : model.tokens == 0)
      return refuse(model.place, Code::missing_key,
                    fmt::format("a {} step needs {}", model.phase, decode ? "context:" : "tokens:"),
                    decode ? "how many tokens each sequence sees, for example context: 4096"
                           : "how many tokens a sequence has, for example tokens: 4096");
    const auto text = document(model.file, model.place);
    if (!text) return;
    auto config = read_model_config(*text);
    if (!config) return append(errors_, std::move(config.error()));
    auto step = plan_step(*config, options_of(model));
    if (!step) {
      for (auto& error : step.error()) {
        if (error.where.file.empty())
          error.where =
              places_ ? places_->where(model.place.line, model.place.column, model.place.length)
                      : Location{};
        errors_.push_back(std::move(error));
      }
      return;
    }
    const auto floor = step_floor(*step, *ceilings_);
    if (!floor)
      return refuse(model.place, floor.error().code, floor.error().what, floor.error().hint);
    source.spec = GateSpec{.name = model.file,
                           .bytes = Bytes(floor->bytes),
                           .flops = Flops(step->matmul_flops.to_double()),
                           .floor = floor->time,
                           .bound = floor->bound,
                           .intensity = floor->intensity,
                           .dram_sets_floor = floor->bound == Bound::memory};
  }

  const GateFile& gate_;
  const YamlDocument* places_;
  const Ceilings* ceilings_;
  std::map<std::string, std::optional<Description>> descriptions_;
  Errors errors_;
};

}  // namespace

Checked<std::vector<GateSource>> read_gate_sources(const GateFile& gate, const YamlDocument* places,
                                                   const Ceilings* ceilings) {
  return SourceReader(gate, places, ceilings).read();
}

}  // namespace roofline
