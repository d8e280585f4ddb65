#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

/// A program of XLA after its optimizations, as far as the work of an instruction follows from it.
/// Texts are views into the bytes that it was read from.
namespace roofline::hlo {

enum class TypeClass : unsigned char { none, boolean, integer, real, complex };

/// An element type of xla_data.proto.
struct Type {
  unsigned code = 0;      ///< PrimitiveType
  std::string_view name;  ///< as HLO text writes it: "bf16"
  unsigned bits = 0;
  TypeClass kind = TypeClass::none;
  std::string_view ours;  ///< the dtype of that name here ("fp8_e4m3"); empty: there is none
};
/// Never null: what is not known is a type without bits.
const Type* find_type(unsigned code);
const Type* find_type(std::string_view name);

struct Shape {
  const Type* type = find_type(0u);
  std::vector<std::uint64_t> sizes;
  std::vector<Shape> parts;  ///< of a tuple
  bool tuple = false;
  std::uint64_t elements() const;  ///< of an array, saturating; of a tuple those of its first part
  std::uint64_t bytes() const;     ///< of all parts, saturating
};

struct WindowAxis {
  std::uint64_t size = 1, stride = 1, dilation = 1, base_dilation = 1;
  std::int64_t low = 0, high = 0;  ///< padding
};
struct SliceAxis {
  std::uint64_t start = 0, limit = 0, stride = 1;
};

/// What only some instructions have.
struct Details {
  std::vector<std::uint64_t> dimensions;    ///< of reduce, broadcast, transpose, concatenate
  std::vector<std::uint64_t> slice_sizes;   ///< of gather
  std::vector<SliceAxis> slices;            ///< of slice
  std::vector<std::uint64_t> lhs_contract;  ///< of dot
  std::vector<WindowAxis> window;
  std::uint64_t kernel_input = 0, kernel_output = 0, input_batch = 0, input_feature = 0,
                output_batch = 0, output_feature = 0;  ///< of a convolution: axes
  std::vector<std::uint64_t> kernel_spatial, input_spatial, output_spatial;
  std::uint64_t groups = 1, batch_groups = 1;
  std::uint64_t group_size = 0;  ///< of a collective; 0: all devices
  bool unique_indices = false, sparse = false;
  std::string_view target, backend_config;  ///< of a custom call
};

struct Instruction {
  std::string_view name, opcode;
  Shape shape;
  std::vector<std::uint32_t> operands;  ///< instructions of the same computation, before this one
  std::vector<std::uint32_t> called;    ///< computations of the module, before this one's
  std::uint64_t number = 0;             ///< of a parameter, or of a tuple's element
  std::unique_ptr<Details> details;     ///< see more()
  const Details& more() const;          ///< those of an instruction without any are the defaults
};

struct Computation {
  std::string_view name;
  std::vector<Instruction> instructions;  ///< operands before their users
  std::uint32_t root = 0;
};

struct Place {
  std::uint32_t computation = 0, instruction = 0;
};

class Module {
 public:
  std::string_view name;
  std::vector<Computation> computations;  ///< callees before their callers
  std::uint64_t devices = 0;              ///< that it runs on; 0: not told
  /// Instructions that may still be looked at for what others call: computations that call one
  /// another again and again end with it.
  mutable std::uint64_t visits_left = std::uint64_t{4} * 1000 * 1000;

  const Instruction& at(Place place) const {
    return computations[place.computation].instructions[place.instruction];
  }
  /// An instruction by its name, which is one of a kind in a compiled module; of several that of the
  /// last computation, which is the one that calls the others.
  std::optional<Place> find(std::string_view instruction) const;
  /// To be called when all is there.
  void index();
  std::size_t instructions() const { return places_.size(); }

 private:
  std::unordered_map<std::string_view, Place> places_;
};

inline constexpr std::size_t kMostInstructions = std::size_t{1} << 20;

/// Reads an HloProto (xla/service/hlo.proto) as XLA's profiles hold it. nullopt: it is none, its
/// references point nowhere or forward, or it has more than `most` instructions.
std::optional<Module> read_proto(std::string_view bytes, std::size_t most = kMostInstructions);

/// Reads a module as XLA prints it, from its first computation on: `%name (...) -> ... { ... }`,
/// with one instruction to a line. nullopt as above.
std::optional<Module> read_text(std::string_view text);
/// Reads an instruction as XLA prints it with the shapes of its operands, as profiles name events
/// ("long_name"): `%dot.1 = f32[8,2] dot(f32[8,4] %a, f32[4,2] %b), lhs_contracting_dims={1}`. It
/// is the root; what it calls is not there. nullopt as above.
std::optional<Module> read_instruction(std::string_view text);

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);
/// a * b, and the largest number where that is past it.
std::uint64_t times(std::uint64_t a, std::uint64_t b);
/// a + b likewise.
std::uint64_t plus(std::uint64_t a, std::uint64_t b);

}  // namespace roofline::hlo
