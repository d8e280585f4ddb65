#include "roofline/kernel/kernel_file.hpp"

#include "kernel/description.hpp"
#include "kernel/quoted.hpp"

namespace roofline {
namespace {

constexpr std::size_t kKernelsWithSource =
    10'000;  // beyond, a kernel's place has no copy of its line

Location place_of(const Description& description, const Entry& entry) {
  const auto& place = entry.place;
  if (description.entries.size() <= kKernelsWithSource)
    return description.places.where(place.line, place.column, place.length);
  Location where;
  where.file = description.places.file();
  where.line = place.line;
  where.column = place.column;
  where.length = place.length;
  return where;
}

/// "at M = 128, N = 4"
std::string point_text(const Variables& variables, std::span<const Count> values) {
  std::vector<std::string> parts;
  for (std::size_t axis = 0; axis < variables.swept().size(); ++axis)
    parts.push_back(variables.swept()[axis] + " = " +
                    values[variables.swept_position(axis)].to_string());
  return parts.empty() ? std::string() : "at " + joined(parts);
}

void add_note(Error& error, const std::string& text) {
  if (text.empty()) return;
  error.note += (error.note.empty() ? "" : "\n") + text;
}

Error no_such_point(Count point, const Variables& variables) {
  return {Code::out_of_range,
          {},
          "point " + point.to_string() + " of " + variables.points().to_string(),
          "points count from 0",
          {}};
}

Error no_such_kernel(const Description& description, std::size_t kernel) {
  return {Code::out_of_range,
          {},
          "kernel " + std::to_string(kernel) + " of " + std::to_string(description.entries.size()),
          "kernels count from 0",
          {}};
}

Error no_such_variable(const Description& description, std::string_view name) {
  const auto& names = description.variables.scope().names;
  Error error{Code::unknown_name, {}, "no variable " + quoted(name) + " under params:", {}, {}};
  error.where.file = description.places.file();
  error.hint = did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end()));
  return error;
}

void fill_point(const Variables& variables, Workload& workload) {
  const auto swept = variables.swept();
  workload.point.resize(swept.size());
  for (std::size_t axis = 0; axis < swept.size(); ++axis) {
    workload.point[axis].first = swept[axis];
    workload.point[axis].second = workload.values[variables.swept_position(axis)];
  }
}

Errors fill_kernels(const Description& description, bool varying_only, Workload& workload) {
  Errors errors;
  const Surroundings around{description.places, description.tensors, workload.tensors};
  if (!varying_only) workload.kernels.resize(description.entries.size());
  for (std::size_t i = 0; i < description.entries.size() && errors.size() < Reading::kMostErrors;
       ++i) {
    const auto& entry = description.entries[i];
    if (varying_only && !entry.varies) continue;
    auto error = evaluate(entry, varying_only, around, workload.values, workload.kernels[i]);
    if (!varying_only) workload.kernels[i].where = place_of(description, entry);
    if (error) errors.push_back(std::move(*error));
  }
  return errors;
}

}  // namespace

struct KernelFile::Content : Description {};

KernelFile::KernelFile(std::unique_ptr<Content> content) : content_(std::move(content)) {}
KernelFile::KernelFile(KernelFile&&) noexcept = default;
KernelFile& KernelFile::operator=(KernelFile&&) noexcept = default;
KernelFile::~KernelFile() = default;

Checked<KernelFile> KernelFile::read(const YamlDocument& document) {
  auto description = read_description(document);
  if (!description) return tl::unexpected(std::move(description.error()));
  return KernelFile(std::make_unique<Content>(Content{std::move(*description)}));
}

const std::string& KernelFile::file() const { return content_->places.file(); }
std::vector<std::string> KernelFile::gpus() const { return content_->gpus; }
std::optional<Location> KernelFile::gpu_place() const { return content_->gpu_place; }
std::size_t KernelFile::kernel_count() const { return content_->entries.size(); }
std::span<const std::string> KernelFile::swept() const { return content_->variables.swept(); }
Count KernelFile::points() const { return content_->variables.points(); }

Errors KernelFile::evaluate(Count point, Workload& workload) const {
  const auto& variables = content_->variables;
  if (point < Count(0) || !(point < variables.points())) return {no_such_point(point, variables)};
  const bool varying_only = workload.filled_by == content_->identity;
  workload.filled_by = 0;  // half filled after an error: the next point starts anew
  Errors errors;
  auto error = variables.evaluate(point, varying_only, {}, workload.values, content_->places);
  if (!error)
    error = content_->tensors.evaluate(workload.values, varying_only, workload.tensors,
                                       content_->places);
  if (error) errors.push_back(std::move(*error));
  if (errors.empty()) {
    fill_point(variables, workload);
    errors = fill_kernels(*content_, varying_only, workload);
  }
  if (errors.empty()) workload.filled_by = content_->identity;
  for (auto& found : errors) add_note(found, point_text(variables, workload.values));
  return errors;
}

std::vector<Binding> KernelFile::variables(Count point, std::size_t kernel) const {
  const auto& variables = content_->variables;
  std::vector<Count> values;
  if (kernel >= content_->entries.size() ||
      variables.evaluate(point, false, {}, values, content_->places))
    return {};
  const auto& entry = content_->entries[kernel];
  std::vector<bool> marked(variables.scope().size());
  const auto mark = [&](const Expression& expression) {
    for (const int name : expression.formula.names())
      if (static_cast<std::size_t>(name) < marked.size())
        marked[static_cast<std::size_t>(name)] = true;  // else a symbol
  };
  for (const auto& slot : entry.slots) mark(slot.expression);
  for (const auto& use : entry.uses)
    for (const auto& size : content_->tensors.shape(use.tensor)) mark(size);
  variables.mark_dependencies(marked);
  std::vector<Binding> bindings;
  for (std::size_t v = 0; v < marked.size(); ++v)
    if (marked[v]) bindings.emplace_back(variables.scope().names[v], values[v]);
  return bindings;
}

Checked<Kernel> KernelFile::evaluate_with(Count point, std::size_t kernel,
                                          std::span<const Binding> overrides) const {
  const auto& variables = content_->variables;
  if (kernel >= content_->entries.size())
    return tl::unexpected(Errors{no_such_kernel(*content_, kernel)});
  if (point < Count(0) || !(point < variables.points()))
    return tl::unexpected(Errors{no_such_point(point, variables)});
  std::vector<std::pair<std::size_t, Count>> pins;
  for (const auto& [name, value] : overrides) {
    const auto variable = variables.find(name);
    if (!variable) return tl::unexpected(Errors{no_such_variable(*content_, name)});
    pins.emplace_back(*variable, value);
  }
  std::vector<Count> values;
  std::vector<SharedTensor> tensors;
  Kernel result;
  auto error = variables.evaluate(point, false, pins, values, content_->places);
  if (!error) error = content_->tensors.evaluate(values, false, tensors, content_->places);
  const auto& entry = content_->entries[kernel];
  if (!error)
    error = roofline::evaluate(entry, false, {content_->places, content_->tensors, tensors}, values,
                               result);
  if (!error) {
    result.where = place_of(*content_, entry);
    return result;
  }
  std::vector<std::string> set;
  for (const auto& [name, value] : overrides) set.push_back(name + " = " + value.to_string());
  add_note(*error, set.empty() ? std::string() : "with " + joined(set));
  return tl::unexpected(Errors{std::move(*error)});
}

}  // namespace roofline
