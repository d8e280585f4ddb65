#include "ingest/hlo/module.hpp"
#include "ingest/protobuf.hpp"

/// Field numbers are those of xla/service/hlo.proto and xla/xla_data.proto.
namespace roofline::hlo {
namespace {

constexpr int kDeepest = 16;  // of tuples in tuples

/// A repeated number, packed or not.
void numbers(const ProtobufFields& field, std::vector<std::uint64_t>& list) {
  if (!field.is_bytes()) return list.push_back(field.number());
  for (ProtobufVarints packed(field.bytes()); packed.next();) list.push_back(packed.number());
}

Shape shape_of(std::string_view message, int depth = 0) {
  Shape shape;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.field() == 2) shape.type = find_type(static_cast<unsigned>(fields.number()));
    if (fields.field() == 3) numbers(fields, shape.sizes);
    if (fields.field() == 4 && depth < kDeepest)
      shape.parts.push_back(shape_of(fields.bytes(), depth + 1));
  }
  shape.tuple = shape.type->name == "tuple";
  return shape;
}

WindowAxis window_axis(std::string_view message) {
  WindowAxis axis;
  for (ProtobufFields fields(message); fields.next();) switch (fields.field()) {
      case 1: axis.size = fields.number(); break;
      case 2: axis.stride = fields.number(); break;
      case 3: axis.low = static_cast<std::int64_t>(fields.number()); break;
      case 4: axis.high = static_cast<std::int64_t>(fields.number()); break;
      case 5: axis.dilation = fields.number(); break;
      case 6: axis.base_dilation = fields.number(); break;
      default: break;
    }
  return axis;
}

SliceAxis slice_axis(std::string_view message) {
  SliceAxis axis;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.field() == 1) axis.start = fields.number();
    if (fields.field() == 2) axis.limit = fields.number();
    if (fields.field() == 3) axis.stride = fields.number();
  }
  return axis;
}

void convolution_axes(std::string_view message, Details& details) {
  for (ProtobufFields fields(message); fields.next();) switch (fields.field()) {
      case 3: details.kernel_input = fields.number(); break;
      case 4: details.kernel_output = fields.number(); break;
      case 6: numbers(fields, details.kernel_spatial); break;
      case 7: details.input_batch = fields.number(); break;
      case 8: details.input_feature = fields.number(); break;
      case 9: details.output_batch = fields.number(); break;
      case 10: details.output_feature = fields.number(); break;
      case 11: numbers(fields, details.input_spatial); break;
      case 12: numbers(fields, details.output_spatial); break;
      default: break;
    }
}

/// ReplicaGroup: the devices of the first group; all are of one size.
std::uint64_t replica_group(std::string_view message) {
  std::vector<std::uint64_t> devices;
  for (ProtobufFields fields(message); fields.next();)
    if (fields.field() == 1) numbers(fields, devices);
  return devices.size();
}
/// CollectiveDeviceListProto: listed, or so many groups of so many devices.
std::uint64_t device_list(std::string_view message) {
  std::uint64_t size = 0;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.field() == 1 && size == 0) size = replica_group(fields.bytes());
    if (fields.field() != 2) continue;
    for (ProtobufFields iota(fields.bytes()); iota.next();)
      if (iota.field() == 2) size = iota.number();
  }
  return size;
}

/// An instruction whose references are still the file's ids.
struct Raw {
  Instruction instruction;
  std::uint64_t id = 0;
  std::vector<std::uint64_t> operands, called;
};

Raw instruction_of(std::string_view message) {
  Raw raw;
  auto& made = raw.instruction;
  const auto details = [&]() -> Details& {
    if (!made.details) made.details = std::make_unique<Details>();
    return *made.details;
  };
  for (ProtobufFields fields(message); fields.next();) switch (fields.field()) {
      case 1: made.name = fields.bytes(); break;
      case 2: made.opcode = fields.bytes(); break;
      case 3: made.shape = shape_of(fields.bytes()); break;
      case 9:
      case 13: made.number = fields.number(); break;
      case 14: numbers(fields, details().dimensions); break;
      case 15:
        for (ProtobufFields axes(fields.bytes()); axes.next();)
          if (axes.field() == 1) details().window.push_back(window_axis(axes.bytes()));
        break;
      case 16: convolution_axes(fields.bytes(), details()); break;
      case 17: details().slices.push_back(slice_axis(fields.bytes())); break;
      case 28: details().target = fields.bytes(); break;
      case 30:
        for (ProtobufFields dot(fields.bytes()); dot.next();)
          if (dot.field() == 1) numbers(dot, details().lhs_contract);
        break;
      case 34: numbers(fields, details().slice_sizes); break;
      case 35: raw.id = fields.number(); break;
      case 36: numbers(fields, raw.operands); break;
      case 38: numbers(fields, raw.called); break;
      case 43: details().backend_config = fields.bytes(); break;
      case 49:
        if (details().group_size == 0) details().group_size = replica_group(fields.bytes());
        break;
      case 50: details().groups = fields.number(); break;
      case 58: details().batch_groups = fields.number(); break;
      case 69: details().unique_indices = fields.number() != 0; break;
      case 86: details().sparse = true; break;
      case 87: details().group_size = device_list(fields.bytes()); break;
      default: break;
    }
  return raw;
}

using Ids = std::unordered_map<std::uint64_t, std::uint32_t>;

/// What ids stand for. False: one is not known.
bool resolve(const std::vector<std::uint64_t>& ids, const Ids& known,
             std::vector<std::uint32_t>& places) {
  places.reserve(ids.size());
  for (const auto id : ids) {
    const auto at = known.find(id);
    if (at == known.end()) return false;
    places.push_back(at->second);
  }
  return true;
}

bool read_computation(std::string_view message, Module& module, Ids& computations,
                      std::size_t& left) {
  Computation made;
  Ids known;
  std::uint64_t id = 0, root = 0;
  ProtobufFields fields(message);
  while (fields.next()) {
    if (fields.field() == 1) made.name = fields.bytes();
    if (fields.field() == 5) id = fields.number();
    if (fields.field() == 6) root = fields.number();
    if (fields.field() != 2) continue;
    if (left == 0) return false;
    --left;
    auto raw = instruction_of(fields.bytes());
    if (!resolve(raw.operands, known, raw.instruction.operands) ||
        !resolve(raw.called, computations, raw.instruction.called))
      return false;
    known.emplace(raw.id, static_cast<std::uint32_t>(made.instructions.size()));
    made.instructions.push_back(std::move(raw.instruction));
  }
  const auto at = known.find(root);
  if (fields.damaged() || at == known.end()) return false;
  made.root = at->second;
  computations.emplace(id, static_cast<std::uint32_t>(module.computations.size()));
  module.computations.push_back(std::move(made));
  return true;
}

std::uint64_t device_count(std::string_view assignment) {
  std::uint64_t replicas = 0, partitions = 0;
  for (ProtobufFields fields(assignment); fields.next();) {
    if (fields.field() == 1) replicas = fields.number();
    if (fields.field() == 2) partitions = fields.number();
  }
  return times(replicas, partitions);
}

}  // namespace

std::optional<Module> read_proto(std::string_view bytes, std::size_t most) {
  Module module;
  Ids computations;
  ProtobufFields proto(bytes);
  while (proto.next()) {
    if (proto.field() != 1) continue;
    ProtobufFields fields(proto.bytes());
    while (fields.next()) {
      if (fields.field() == 1) module.name = fields.bytes();
      if (fields.field() == 15) module.devices = device_count(fields.bytes());
      if (fields.field() == 3 && !read_computation(fields.bytes(), module, computations, most))
        return std::nullopt;
    }
    if (fields.damaged()) return std::nullopt;
  }
  if (proto.damaged() || module.computations.empty()) return std::nullopt;
  module.index();
  return module;
}

}  // namespace roofline::hlo
